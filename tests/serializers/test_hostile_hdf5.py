"""HDF5 files that want to break, fill or read the machine: one kind of error, soon, and nothing loaded (R9)."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from helpers.each import each
from helpers.saved import SECRET, B, W, h5py, refused

from autolab import links as L
from autolab.serializers import load_hdf5, save_hdf5
from autolab.serializers.hdf5 import read_hdf5
from autolab.shared.files import FileFormatError

pytestmark = pytest.mark.goal(id="R9")


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


def piece(stored, packed):
    """One packed piece with this in it."""
    del stored["b"]
    dataset = stored.create_dataset("b", (2,), "f4", chunks=(2,), compression="gzip")
    dataset.id.write_direct_chunk((0,), packed)


def packed_twice(stored, secret):
    del stored["b"]
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2,))
    for _ in range(2):
        plist.set_deflate(4)
    h5py.h5d.create(stored.id, b"b", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((2,)), plist)
    stored["b"][:] = 1


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
    "a piece that is too long": hdf5(lambda stored, secret: piece(stored, zlib.compress(bytes(9)))),
    "a piece that is too short": hdf5(lambda stored, secret: piece(stored, zlib.compress(bytes(4)))),
    "a piece that does not end": hdf5(lambda stored, secret: piece(stored, zlib.compress(bytes(8))[:-6])),
    "a piece with much after its end": hdf5(
        lambda stored, secret: piece(stored, zlib.compress(bytes(8)) + bytes(2000))
    ),
    "packed twice": hdf5(packed_twice),
    "pieces larger than the whole": replaced(data=B, maxshape=(None,), chunks=(1 << 19,), compression="gzip"),
    "a filter nobody knows": replaced(data=B, chunks=(2,), compression="lzf"),
    "groups in groups": hdf5(lambda stored, secret: stored.create_group("g/" * 200)),
    "a type": hdf5(lambda stored, secret: stored.__setitem__("t", np.dtype("f4"))),
    "up and out": hdf5(lambda stored, secret: stored.create_group("..").__setitem__("c", B)),
}


@each("kind", HDF5)
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
        ("a type", "'t' is not an array"),
        ("nothing", "'b' is not an array"),
        ("numbers of another file", "'b' takes its numbers from another file"),
        ("a virtual array", "'b' takes its numbers from another file"),
        ("complex", "'b' is of type complex128; expected numbers"),
        ("floats of another kind", "'b' is of type float"),
        ("a filter nobody knows", "'/?b' is packed by an unknown filter"),
        ("pieces larger than the whole", "'b' has chunks that are larger than itself"),
        ("packed twice", "'/?b' is packed by an unknown filter"),
        ("a piece with much after its end", "'/?b' has a chunk of 2011 bytes for 8"),
        ("no numbers, in pieces", "'/?b' has no numbers, or not all of them"),
    ],
)
def test_what_is_wrong_with_an_hdf5_is_said(kind, message, tmp_path):
    """Also where nobody knows what to expect."""
    HDF5[kind](tmp_path / "file.h5", tmp_path / "secret")
    with pytest.raises(FileFormatError, match=message):
        read_hdf5(tmp_path / "file.h5")


def test_a_good_hdf5_loads(tmp_path):
    layer = L.Linear(3, 2)
    hdf5(lambda stored, secret: None)(tmp_path / "good.h5", None)
    load_hdf5(tmp_path / "good.h5", layer)
    np.testing.assert_array_equal(layer.W.data, W)
