"""IDX files: what they hold is read, and damaged ones are one class of error."""

from __future__ import annotations

import gzip
import hashlib
import os
import struct

import numpy as np
import pytest
from helpers.each import each

from autolab.data import mnist, read_idx
from autolab.shared.files import FileFormatError


def idx(shape, kind=8, numbers=None):
    head = bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return head + (bytes(range(int(np.prod(shape)))) if numbers is None else numbers)


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress], ids=["plain", "gzip"])
def test_idx_files_are_read(pack, tmp_path):
    path = tmp_path / "images"
    path.write_bytes(pack(idx((2, 3, 4))))
    np.testing.assert_array_equal(read_idx(path), np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    path.write_bytes(pack(idx((2,), 12, struct.pack(">2i", -5, 1 << 20))))
    assert read_idx(path).tolist() == [-5, 1 << 20]


@pytest.mark.parametrize(("kind", "dtype"), {8: "u1", 9: "i1", 11: "i2", 12: "i4", 13: "f4", 14: "f8"}.items())
def test_every_kind_of_number_is_read_as_numbers_of_this_machine(kind, dtype, tmp_path):
    numbers = np.array([1, 100, -2 if dtype != "u1" else 200], dtype)
    (tmp_path / "file").write_bytes(idx((3,), kind, numbers.astype(numbers.dtype.newbyteorder(">")).tobytes()))
    np.testing.assert_array_equal(read_idx(tmp_path / "file"), numbers, strict=True)
    assert read_idx(tmp_path / "file").dtype.isnative


def test_a_size_of_thousands_of_digits_is_cut(tmp_path):
    (tmp_path / "file").write_bytes(idx([(1 << 32) - 1] * 255, numbers=b""))
    with pytest.raises(FileFormatError, match=r"it would need \d{1,40}… bytes") as caught:
        read_idx(tmp_path / "file")
    assert len(str(caught.value)) <= 300


@each(
    ("content", "message"),
    [
        (b"", "not an IDX file"),
        (b"hello, world", "not an IDX file"),
        (b"\0\0\x08", "not an IDX file"),
        (b"\1" + idx((2, 3))[1:], "not an IDX file"),
        (b"\0\1" + idx((2, 3))[2:], "not an IDX file"),
        (idx((2, 3), 7), "not an IDX file"),
        (idx((2, 3))[:6], "header is cut off"),
        (idx((2, 3))[:-1], "its header says 6"),
        (idx((2, 3)) + b"x", "its header says 6"),
        (idx((1 << 30, 1 << 20), numbers=b""), "limit"),
        (gzip.compress(idx((2, 3)), mtime=0)[:-9], "damaged"),
        (b"\x1f\x8b" + b"junk" * 9, "damaged"),
    ],
)
def test_damaged_idx_files_are_refused(content, message, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_idx(path)


@pytest.mark.parametrize(
    "content",
    [
        bytes([0, 0, 8, 65]) + struct.pack(">65I", *[1] * 65) + b"x",
        bytes([0, 0, 8, 255]) + b"\0" * 1020,
        gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]), mtime=0)[:-8] + bytes(8),
        gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]), mtime=0) + b"more",
        b"\x1f\x8b\x08\xff" + b"n" * 100,
    ],
)
def test_a_damaged_idx_file_is_one_class_of_error(content, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FileFormatError, match="Nothing was loaded"):
        read_idx(tmp_path / "file")


def test_what_was_fetched_for_mnist_unpacks_to_a_limit(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    content = gzip.compress(idx((20, 28, 28), numbers=bytes(15680)), mtime=0)
    name = "t10k-images-idx3-ubyte.gz"
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / name).write_bytes(content)
    monkeypatch.setenv("AUTOLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(mnist, "_MAX_BYTES", 15679)
    monkeypatch.setattr(mnist.MNIST, "sums", {name: hashlib.sha256(content).hexdigest()})
    with pytest.raises(FileFormatError, match=r"15680 bytes \(limit 15679\)"):
        mnist.MNIST(train=False)


def test_the_limit_of_an_idx_file_can_be_set(tmp_path):
    numbers = np.arange(6, dtype=">f4").tobytes()
    (tmp_path / "file").write_bytes(bytes([0, 0, 13, 2]) + struct.pack(">2I", 2, 3) + numbers)
    np.testing.assert_array_equal(read_idx(tmp_path / "file", max_bytes=24), np.arange(6.0).reshape(2, 3))
    with pytest.raises(FileFormatError, match="limit 23"):
        read_idx(tmp_path / "file", max_bytes=23)
    assert os.listdir(tmp_path) == ["file"]
