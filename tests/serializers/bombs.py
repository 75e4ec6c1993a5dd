"""Small files that unpack to much: `bombs.py build FOLDER SIZE` makes them, with `load` it measures loading them.

They are made and loaded in processes of their own, so that memory which making them took hides nothing.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
import time
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np

from autolab import links as L
from autolab.data import read_idx
from autolab.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autolab.shared.files import FileFormatError

SIZE = int(sys.argv[3]) if __name__ == "__main__" else 1 << 20  # other modules only look at it
_zeros: dict[int, bytes] = {}


def zeros(wrapped):
    """Many zeros, packed: as zlib does it (15), or for gzip (31)."""
    if wrapped not in _zeros:
        packer = zlib.compressobj(1, zlib.DEFLATED, wrapped)
        _zeros[wrapped] = b"".join([*map(packer.compress, much()), packer.flush()])
    return _zeros[wrapped]


def header(shape, descr="<f4", length=118):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", length) + text.ljust(length - 1).encode() + b"\n"


GOOD = {"W.npy": header((2, 3)) + bytes(24), "b.npy": header((2,)) + bytes(8)}


def npz(members, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive:
        for name, pieces in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                    member.write(piece)
    return stream.getvalue()


def much(begin=b""):
    return [begin, *[bytes(1 << 20)] * (SIZE >> 20)]


def directory(count):
    """An archive whose directory has ``count`` entries, all of them the first one."""
    whole = npz(GOOD, zipfile.ZIP_STORED)
    start = whole.index(b"PK\x01\x02")
    one = whole[start : whole.index(b"PK\x01\x02", start + 4)]
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, count * len(one), start, 0)
    return whole[:start] + one * count + end


NPZ = {
    "larger than wanted": lambda: npz({**GOOD, "W.npy": much(header((2, SIZE >> 3)))}),
    "a name that nobody wants": lambda: npz({**GOOD, "c.npy": much(header((SIZE >> 2,)))}),
    "bz2": lambda: npz({**GOOD, "W.npy": much(header((2, SIZE >> 3)))}, zipfile.ZIP_BZIP2),
    "lzma": lambda: npz({**GOOD, "W.npy": much(header((2, SIZE >> 3)))}, zipfile.ZIP_LZMA),
    "a long header": lambda: npz({**GOOD, "b.npy": much(b"\x93NUMPY\x02\x00" + struct.pack("<I", SIZE))}),
    "500,000 entries": lambda: directory(500_000),
    "1,000 times the same entry": lambda: directory(1_000),
}


def hdf5(build):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as stored:
        stored["W"], stored["b"] = np.zeros((2, 3), np.float32), np.zeros(2, np.float32)
        build(stored)
    return stream.getvalue()


def instead(**options):
    def build(stored):
        del stored["W"]
        stored.create_dataset("W", **options)

    return lambda: hdf5(build)


def packed_piece(stored):
    del stored["W"]
    dataset = stored.create_dataset("W", (2, 3), "f4", chunks=(2, 3), compression="gzip")
    dataset.id.write_direct_chunk((0, 0), zeros(15))


def packed_twice(stored):
    del stored["W"]
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2, 3))
    plist.set_deflate(9)
    plist.set_deflate(9)
    space = h5py.h5s.create_simple((2, 3))
    dataset = h5py.h5d.create(stored.id, b"W", h5py.h5t.IEEE_F32LE, space, plist)
    dataset.write_direct_chunk((0, 0), zlib.compress(zeros(15), 9))


def large_pieces(stored):
    del stored["W"]
    options = {"maxshape": (None, None), "chunks": (1 << 14, SIZE >> 16), "compression": "gzip"}
    stored.create_dataset("W", (2, 3), "f4", **options)
    stored["W"].id.write_direct_chunk((0, 0), zeros(15))


def many_sets(stored):
    for i in range(30_000 if SIZE >= 1 << 30 else 2_000):
        stored.create_dataset(f"s{i}", shape=(), dtype="f4")


def deep_groups(stored):
    group = stored
    for _ in range(300):
        group = group.create_group("g")


def large_attribute():
    """16 MB where a checksum is expected."""
    path = Path(sys.argv[2], "attribute.h5")
    with h5py.File(path, "w", libver="latest") as stored:
        stored["W"], stored["b"] = np.zeros((2, 3), np.float32), np.zeros(2, np.float32)
        stored["W"].attrs["autolab:crc32"] = np.zeros(1 << 21)
    return path.read_bytes()


HDF5 = {
    "a terabyte that is not there": instead(shape=(2, 1 << 37), dtype="f4", chunks=(1, 1 << 20)),
    "nothing there": instead(shape=(2, 3), dtype="f4", chunks=(2, 3)),
    "nothing there, in one piece": instead(shape=(2, 3), dtype="f4"),
    "zeros, packed": instead(data=np.zeros((2, SIZE >> 5), np.float32), compression="gzip"),
    "a piece that unpacks to much": lambda: hdf5(packed_piece),
    "a piece that is packed twice": lambda: hdf5(packed_twice),
    "pieces larger than the whole": lambda: hdf5(large_pieces),
    "many sets": lambda: hdf5(many_sets),
    "deep groups": lambda: hdf5(deep_groups),
    "a large attribute": large_attribute,
}
LAZY = {  # for a parameter that has no size yet
    "npz": lambda: npz({**GOOD, "W.npy": much(header((2, SIZE >> 3)))}),
    "hdf5": instead(shape=(2, SIZE >> 3), dtype="f4", chunks=(1, 1 << 20)),
}
IDX = {
    "more than the header says": lambda: gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 6])) + zeros(31),
    "as much as the header says": lambda: gzip.compress(struct.pack(">4BI", 0, 0, 8, 1, SIZE)) + zeros(31),
    "a header of 255 axes": lambda: bytes([0, 0, 8, 255]) + b"\xff" * 1020,
}
LOADERS = {
    **{name: (make, lambda path: load_npz(path, L.Linear(3, 2))) for name, make in NPZ.items()},
    **{name: (make, lambda path: load_hdf5(path, L.Linear(3, 2))) for name, make in HDF5.items()},
    "npz without a size": (LAZY["npz"], lambda path: load_npz(path, L.Linear(None, 2))),
    "hdf5 without a size": (LAZY["hdf5"], lambda path: load_hdf5(path, L.Linear(None, 2))),
    **{name: (make, read_idx) for name, make in IDX.items()},
}


def peak():
    """The most memory that the process has had since `forget`, in bytes."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) << 10


def forget():
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def build(folder):
    for number, (make, _) in enumerate(LOADERS.values()):
        try:
            content = make()
        except OSError:  # HDF5 before 1.14.5 does not write a piece that is larger than it should be
            content = b""
        (folder / f"bomb{number}").write_bytes(content)


def load(folder):
    for save, again in ((save_npz, load_npz), (save_hdf5, load_hdf5)):  # what comes once is no part of what is measured
        save(folder / "good", L.Linear(3, 2))
        again(folder / "good", L.Linear(3, 2))
    for number, (name, (_, loader)) in enumerate(LOADERS.items()):
        before, start = forget(), time.perf_counter()
        try:
            loader(folder / f"bomb{number}")
            said = "loaded"
        except FileFormatError as error:
            said = str(error)
        seconds = time.perf_counter() - start
        print(json.dumps({"name": name, "said": said, "bytes": peak() - before, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    {"build": build, "load": load}[sys.argv[1]](Path(sys.argv[2]))
