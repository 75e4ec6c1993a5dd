"""Files that want to break, fill or read the machine: one kind of error, soon, and nothing loaded (R9)."""

from __future__ import annotations

import io
import pickle
import struct
import time
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
from numpy.lib import format as npy

from autolab import links as L
from autolab.files import FileFormatError
from autolab.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autolab.serializers.hdf5 import read_hdf5

pytestmark = pytest.mark.goal(id="R9")

h5py = pytest.importorskip("h5py")
SECRET = b"sentinel: this must never be read"


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


W, B = np.ones((2, 3), np.float32), np.zeros(2, np.float32)
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
    "member is no array": archive({**GOOD, "b.npy": b"hello"}),
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


def hdf5(build):
    def write(path, secret):
        with h5py.File(path, "w") as stored:
            stored["W"], stored["b"] = W, B
            build(stored, secret)

    return write


def external(stored, secret):
    del stored["b"]
    stored.create_dataset("b", (2,), "f4", external=[(str(secret), 0, 8)])


def virtual(stored, secret):
    del stored["b"]
    layout = h5py.VirtualLayout((2,), "f4")
    layout[:] = h5py.VirtualSource(str(secret.with_suffix(".h5")), "b", (2,))
    stored.create_virtual_dataset("b", layout)


def link(make):
    def build(stored, secret):
        del stored["b"]
        stored["b"] = make(secret)

    return hdf5(build)


def replaced(**options):
    def build(stored, secret):
        del stored["b"]
        stored.create_dataset("b", **options)

    return hdf5(build)


def odd_floats(stored):
    """Four bytes as well, and other numbers."""
    del stored["b"]
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_ebias(100)
    space = h5py.h5s.create_simple((2,))
    h5py.h5d.create(stored.id, b"b", kind, space).write(h5py.h5s.ALL, h5py.h5s.ALL, B)


def half(stored):
    del stored["b"]
    stored.create_dataset("b", (2,), "f4", chunks=(1,))[0] = 1


def piece(stored, content):
    """One packed piece with this in it; None: one that is cut off."""
    del stored["b"]
    dataset = stored.create_dataset("b", (2,), "f4", chunks=(2,), compression="gzip")
    dataset.id.write_direct_chunk((0,), zlib.compress(bytes(8))[:-6] if content is None else zlib.compress(content))


def loop(stored, secret):
    stored.create_group("g")["again"] = stored["/"]


HDF5 = {
    "no HDF5": lambda path, secret: path.write_bytes(b"hello" * 100),
    "empty": lambda path, secret: path.write_bytes(b""),
    "cut off": lambda path, secret: (save_hdf5(path, L.Linear(3, 2)), path.write_bytes(path.read_bytes()[:900])),
    "numbers of another file": hdf5(external),
    "a virtual array": hdf5(virtual),
    "an external link": link(lambda secret: h5py.ExternalLink(str(secret.with_suffix(".h5")), "b")),
    "a soft link": link(lambda secret: h5py.SoftLink("/W")),
    "a link to nowhere": link(lambda secret: h5py.SoftLink("/nowhere")),
    "one array under two names": hdf5(lambda stored, secret: stored.__setitem__("c", stored["W"])),
    "a loop": hdf5(loop),
    "terabytes promised": replaced(shape=(1 << 40,), dtype="f4", chunks=(1 << 16,)),
    "text": replaced(data=["a", "b"]),
    "complex": replaced(data=np.ones(2, complex)),
    "references": replaced(shape=(2,), dtype=h5py.ref_dtype),
    "arrays of any length": replaced(shape=(2,), dtype=h5py.vlen_dtype(np.float32)),
    "nothing": replaced(data=h5py.Empty("f4")),
    "records": replaced(data=np.zeros(2, [("x", "f4")])),
    "raw bytes": replaced(data=np.zeros(2, "V4")),
    "text of one length": replaced(data=np.array([b"abcd", b"efgh"])),
    "text of any length": replaced(shape=(2,), dtype=h5py.string_dtype()),
    "arrays as elements": replaced(shape=(2,), dtype=np.dtype(("f4", (3,)))),
    "names for numbers": replaced(shape=(2,), dtype=h5py.enum_dtype({"a": 0, "b": 1}, basetype="i1")),
    "truth values": replaced(data=np.zeros(2, bool)),
    "floats of another kind": hdf5(lambda stored, secret: odd_floats(stored)),
    "no numbers": replaced(shape=(2,), dtype="f4"),
    "no numbers, in pieces": replaced(shape=(2,), dtype="f4", chunks=(1,)),
    "a piece is missing": hdf5(lambda stored, secret: half(stored)),
    "a piece that is too long": hdf5(lambda stored, secret: piece(stored, bytes(9))),
    "a piece that is too short": hdf5(lambda stored, secret: piece(stored, bytes(4))),
    "a piece that does not end": hdf5(lambda stored, secret: piece(stored, None)),
    "a filter nobody knows": replaced(data=B, chunks=(2,), compression="lzf"),
    "groups in groups": hdf5(lambda stored, secret: stored.create_group("g/" * 200)),
    "a type": hdf5(lambda stored, secret: stored.__setitem__("t", np.dtype("f4"))),
    "up and out": hdf5(lambda stored, secret: stored.create_group("..").__setitem__("c", B)),
}


def refused(load, path, layer):
    """Load; it must raise the one error soon and with little memory, and the layer stays as it was."""
    before = layer.W.data.copy()
    tracemalloc.start()
    start = time.perf_counter()
    try:
        with pytest.raises(FileFormatError) as caught:
            load(path, layer)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - start < 5 and peak < 64 << 20
    message = str(caught.value)
    assert "othing was loaded" in message and SECRET.decode() not in message
    np.testing.assert_array_equal(layer.W.data, before)


@pytest.mark.parametrize("kind", NPZ)
def test_a_hostile_npz_is_refused(kind, tmp_path):
    path = tmp_path / "file.npz"
    path.write_bytes(NPZ[kind])
    refused(load_npz, path, L.Linear(3, 2))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("a very long header", "'b.npy' has a header of 1048588 bytes; expected 12 to 10000"),
        ("a header of no bytes", "'b.npy' has a header of 10 bytes; expected 12 to 10000"),
        ("numbers cut off", "'b.npy' has another size than its header says"),
        ("numbers too many", "'b.npy' has another size than its header says"),
        ("unpacks to less", "'b.npy' is cut off"),
    ],
)
def test_what_is_wrong_with_an_npz_is_said(kind, message, tmp_path):
    (tmp_path / "file.npz").write_bytes(NPZ[kind])
    with pytest.raises(FileFormatError, match=message):
        load_npz(tmp_path / "file.npz", L.Linear(3, 2))


@pytest.mark.parametrize("kind", HDF5)
def test_a_hostile_hdf5_is_refused(kind, tmp_path):
    path, secret = tmp_path / "file.h5", tmp_path / "secret"
    secret.write_bytes(SECRET)
    with h5py.File(secret.with_suffix(".h5"), "w") as stored:
        stored["before"] = np.zeros(1000)  # so that it stands at a place that the hostile file has nothing at
        stored["b"] = np.frombuffer(SECRET[:8], np.float32)
    HDF5[kind](path, secret)
    refused(load_hdf5, path, L.Linear(3, 2))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("a type", "'t' is no array"),
        ("nothing", "'b' is no array"),
        ("numbers of another file", "'b' takes its numbers from another file"),
        ("a virtual array", "'b' takes its numbers from another file"),
        ("complex", "'b' is of type complex128; expected numbers"),
        ("floats of another kind", "'b' is of type float"),
        ("no numbers, in pieces", "'/?b' has no numbers, or not all of them"),
    ],
)
def test_what_is_wrong_with_an_hdf5_is_said(kind, message, tmp_path):
    """Also where nobody knows what to expect."""
    HDF5[kind](tmp_path / "file.h5", tmp_path / "secret")
    with pytest.raises(FileFormatError, match=message):
        read_hdf5(tmp_path / "file.h5")


def test_the_good_files_load(tmp_path):
    layer = L.Linear(3, 2)
    (tmp_path / "good.npz").write_bytes(archive(GOOD))
    load_npz(tmp_path / "good.npz", layer)
    np.testing.assert_array_equal(layer.W.data, W)
    hdf5(lambda stored, secret: None)(tmp_path / "good.h5", None)
    other = L.Linear(3, 2)
    load_hdf5(tmp_path / "good.h5", other)
    np.testing.assert_array_equal(other.W.data, W)


def test_the_limit_can_be_raised(tmp_path):
    layer = L.Linear(300, 200)
    save_npz(tmp_path / "large", layer)
    with pytest.raises(FileFormatError, match="Raise max_bytes if you trust the file"):
        load_npz(tmp_path / "large", layer, max_bytes=100_000)
    load_npz(tmp_path / "large", layer)
