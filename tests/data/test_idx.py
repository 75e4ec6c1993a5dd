"""IDX files: what they hold is read, and damaged ones are one class of error."""

from __future__ import annotations

import gzip
import os
import struct

import numpy as np
import pytest

from autolab.data import read_idx
from autolab.files import FileFormatError


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no IDX file"),
        (b"hello, world", "no IDX file"),
        (b"\1" + idx((2, 3))[1:], "no IDX file"),
        (b"\0\1" + idx((2, 3))[2:], "no IDX file"),
        (idx((2, 3), 7), "no IDX file"),
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


def test_the_limit_of_an_idx_file_can_be_set(tmp_path):
    numbers = np.arange(6, dtype=">f4").tobytes()
    (tmp_path / "file").write_bytes(bytes([0, 0, 13, 2]) + struct.pack(">2I", 2, 3) + numbers)
    np.testing.assert_array_equal(read_idx(tmp_path / "file", max_bytes=24), np.arange(6.0).reshape(2, 3))
    with pytest.raises(FileFormatError, match="limit 23"):
        read_idx(tmp_path / "file", max_bytes=23)
    assert os.listdir(tmp_path) == ["file"]
