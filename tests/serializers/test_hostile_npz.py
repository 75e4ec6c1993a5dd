"""npz files that want to break, fill or read the machine: one kind of error, soon, and nothing loaded (R9)."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
from helpers.each import each
from helpers.saved import B, W, refused
from numpy.lib import format as npy

from autolab import links as L
from autolab.serializers import load_npz, save_npz
from autolab.shared.files import FileFormatError

pytestmark = pytest.mark.goal(id="R9")


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('code of the file was run')",)


def member(array, **options):
    stream = io.BytesIO()
    npy.write_array(stream, np.asarray(array), **options)
    return stream.getvalue()


def header(text, version=(1, 0)):
    body = text.encode("latin1")
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(body)) + body


GOOD = {"W.npy": member(W), "b.npy": member(B)}


def archive(members, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return stream.getvalue()


def patched(content, old, new):
    assert content.count(old) >= 1 and len(old) == len(new)
    return content.replace(old, new)


def described(shape, descr="<f4", order=False):
    return header(f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}".ljust(118) + "\n")


def hidden():
    """The directory's first entry has a comment as long as the second entry, which is then none."""
    content = bytearray(archive(GOOD))
    first = content.index(b"PK\x01\x02")
    second = content.index(b"PK\x01\x02", first + 4)
    content[first + 32 : first + 34] = struct.pack("<H", content.index(b"PK\x05\x06") - second)
    return bytes(content)


def short():
    """An entry that unpacks to less than the directory says, with the checksum of that."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("W.npy", member(W))
        packed.writestr("b.npy", member(B)[:-4])
        packed.getinfo("b.npy").file_size += 4
    return stream.getvalue()


_STORED = b"PK\x01\x02\x14\x03\x14\x00\x00\x00"  # how an entry of the directory begins

NPZ = {
    "empty file": b"",
    "no archive": b"hello, world" * 100,
    "a pickle": pickle.dumps({"W": 1}),
    "cut in the middle": archive(GOOD)[:200],
    "end cut off": archive(GOOD)[:-10],
    "byte flipped": patched(archive(GOOD), member(W)[-24:], b"\x00" * 23 + b"\x01"),
    "member is not an array": archive({**GOOD, "b.npy": b"hello"}),
    "member without suffix": archive({**GOOD, "c.txt": b"hello"}),
    "a folder": archive({**GOOD, "sub/": b""}),
    "empty member": archive({**GOOD, "b.npy": b""}),
    "header cut off": archive({**GOOD, "b.npy": member(B)[:20]}),
    "numbers cut off": archive({**GOOD, "b.npy": member(B)[:-1]}),
    "numbers too many": archive({**GOOD, "b.npy": member(B) + b"\0"}),
    "unknown version": archive({**GOOD, "b.npy": b"\x93NUMPY\x09\x00" + member(B)[8:]}),
    "another mark": archive({**GOOD, "b.npy": b"\x92" + member(B)[1:]}),
    "unknown minor version": archive({**GOOD, "b.npy": patched(member(B), b"NUMPY\x01\x00", b"NUMPY\x01\x09")}),
    "array without suffix": archive({"W.npy": member(W), "b": member(B)}),
    "unpacks to less": short(),
    "a header of no bytes": archive({**GOOD, "b.npy": b"\x93NUMPY\1\0\0\0" + bytes(1 << 26)}, zipfile.ZIP_DEFLATED),
    "objects": archive({**GOOD, "b.npy": member(np.array([Bomb()], object), allow_pickle=True)}),
    "objects in fields": archive({**GOOD, "b.npy": described((1,), [("a", "|O")]) + b"\0" * 8}),
    "text": archive({**GOOD, "b.npy": member(np.array(["a", "b"]))}),
    "complex": archive({**GOOD, "b.npy": member(np.ones(2, complex))}),
    "dates": archive({**GOOD, "b.npy": member(np.array(["2020"], "M8[D]"))}),
    "records": archive({**GOOD, "b.npy": member(np.zeros(2, [("x", "f4")]))}),
    "code in the header": archive({**GOOD, "b.npy": header("__import__('os').getcwd()".ljust(118) + "\n")}),
    "a deep header": archive({**GOOD, "b.npy": header("(" * 5000 + ")" * 5000)}),
    "a long header": archive({**GOOD, "b.npy": header(" " * 60000)}),
    "a very long header": archive({**GOOD, "b.npy": header(" " * (1 << 20), (2, 0))}),
    "terabytes promised": archive({**GOOD, "b.npy": described((1 << 40,))}),
    "sizes that overflow": archive({**GOOD, "b.npy": described((1 << 62, 1 << 62, 1 << 62))}),
    "negative size": archive({**GOOD, "b.npy": described((-1,))}),
    "shape of floats": archive({**GOOD, "b.npy": described((2.5,))}),
    "shape of truth": archive({**GOOD, "b.npy": described((True, 2))}),
    "zeros, packed": archive({**GOOD, "b.npy": described((1 << 28,)) + bytes(1 << 24)}, zipfile.ZIP_DEFLATED),
    "a bomb": archive({**GOOD, "b.npy": described((3 << 28,)) + bytes(1 << 26)}, zipfile.ZIP_DEFLATED),
    "twice": archive({**GOOD, "c.npy": member(B)}).replace(b"c.npy", b"b.npy"),
    "up and out": archive({**GOOD, "../b.npy": member(B)}),
    "up in the middle": archive({**GOOD, "a/../../b.npy": member(B)}),
    "from the root": archive({**GOOD, "/etc/b.npy": member(B)}),
    "a drive": archive({**GOOD, "C:\\b.npy": member(B)}),
    "no name": archive({**GOOD, ".npy": member(B)}),
    "a very long name": archive({**GOOD, "n" * 5000 + ".npy": member(B)}),
    "encrypted": patched(archive(GOOD), _STORED, _STORED[:-2] + b"\x01\x00"),
    "truth values": archive({**GOOD, "b.npy": member(np.zeros(2, bool))}),
    "bz2": archive(GOOD, zipfile.ZIP_BZIP2),
    "lzma": archive(GOOD, zipfile.ZIP_LZMA),
    "an entry in the comment of another": hidden(),
    "a comment at the end": archive(GOOD)[:-2] + b"\x05\x00hello",
    "a comment that looks like an end": archive(GOOD)[:-2] + struct.pack("<H10xH10x", 22, 2),
    "something after the end": archive(GOOD) + b"hello",
    "a header without an order": archive(
        {**GOOD, "b.npy": header("{'descr': '<f4', 'shape': (2,), }".ljust(118) + "\n")}
    ),
    "a header with more": archive(
        {**GOOD, "b.npy": header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}")}
    ),
    "a number of three bytes": archive({**GOOD, "b.npy": described((2,), "<f3") + bytes(6)}),
    "columns first, and one column too many": archive({**GOOD, "W.npy": described((3, 2), order=True) + bytes(24)}),
    "marked as empty, and is not": archive({"W.npy": member(W), "autolab:empty/b.npy": member(B)}),
    "marked as empty, and has a size": archive({"W.npy": member(W), "autolab:empty/b.npy": member(np.zeros(0))}),
    "unknown compression": patched(archive(GOOD), _STORED + b"\x00\x00", _STORED + b"\x63\x00"),
}


@each("kind", NPZ)
def test_a_hostile_npz_is_refused(kind, tmp_path):
    path = tmp_path / "file.npz"
    path.write_bytes(NPZ[kind])
    refused(load_npz, path, L.Linear(3, 2))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("a very long header", "'b.npy' has a header of 1048588 bytes; expected 12 to 10000"),
        ("a header of no bytes", "'b.npy' has a header of 10 bytes; expected 12 to 10000"),
        ("numbers cut off", "'b.npy' does not have the size in its header"),
        ("numbers too many", "'b.npy' does not have the size in its header"),
        ("unpacks to less", "'b.npy' is cut off"),
    ],
)
def test_what_is_wrong_with_an_npz_is_said(kind, message, tmp_path):
    (tmp_path / "file.npz").write_bytes(NPZ[kind])
    with pytest.raises(FileFormatError, match=message):
        load_npz(tmp_path / "file.npz", L.Linear(3, 2))


def test_a_good_npz_loads(tmp_path):
    layer = L.Linear(3, 2)
    (tmp_path / "good.npz").write_bytes(archive(GOOD))
    load_npz(tmp_path / "good.npz", layer)
    np.testing.assert_array_equal(layer.W.data, W)


def test_the_limit_can_be_raised(tmp_path):
    layer = L.Linear(300, 200)
    save_npz(tmp_path / "large", layer)
    with pytest.raises(FileFormatError, match="Raise max_bytes if you trust the file"):
        load_npz(tmp_path / "large", layer, max_bytes=100_000)
    load_npz(tmp_path / "large", layer)
