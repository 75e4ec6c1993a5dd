"""HDF5, with h5py: the same state in a format that other programs can read."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

import numpy as np

from ..shared.files import reading, refused, visible, write
from ..shared.state_layout import quoted
from .entries import EMPTY, Entry, Stateful, flattened, load, read_all

_EMPTY_MARK = "autolab:empty"
_SUM = "autolab:crc32"
"""The attribute with the checksum of a dataset; that of the file is a checksum of all these."""

_BLOCK = 1 << 20
_MORE = 64
"""So many surplus names are still read, so that an error can name one that is unknown."""


def save_hdf5(file: str | os.PathLike[str], target: Stateful, compression: int = 4) -> None:
    """Save the state of a link, an optimizer or a trainer to an HDF5 file.

    Parameters
    ----------
    file : path
        Used as it is: no extension is added.
    target : Link, Optimizer or Trainer
    compression : int
        Level of compression, from 0 for none to 9.

    Raises
    ------
    ModuleNotFoundError
        If h5py is not installed.
    ValueError
        If ``compression`` is not one of these numbers.
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from autolab import links as L, serializers
    >>> saved, loaded = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     serializers.save_hdf5(f"{folder}/my.model", saved)
    ...     serializers.load_hdf5(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    h5py = _h5py("save_hdf5")
    if compression not in range(10):
        raise ValueError(f"save_hdf5: compression is {compression!r:.60}; expected a whole number from 0 to 9")
    arrays = flattened("save_hdf5", target)
    with h5py.File(f"autolab {token_hex(8)}", "w", driver="core", backing_store=False, block_size=_BLOCK) as stored:
        sums = {name.removeprefix(EMPTY): _checksum(name, array) for name, array in arrays.items()}
        stored.attrs[_SUM] = _seal(sums)
        for name, array in arrays.items():
            options = {"compression": "gzip", "compression_opts": compression} if compression and array.ndim else {}
            dataset = stored.create_dataset(name.removeprefix(EMPTY), data=array, **options)
            if name.startswith(EMPTY):
                dataset.attrs[_EMPTY_MARK] = True
            dataset.attrs[_SUM] = sums[name.removeprefix(EMPTY)]
        stored.flush()
        image = stored.id.get_file_image()
    write(file, image)  # HDF5 itself would end the process if the disk is full


def load_hdf5(file: str | os.PathLike[str], target: Stateful, max_bytes: int | None = None) -> None:
    """Load a file written by `save_hdf5` into ``target``; on an error, nothing is loaded.

    Links, external storage and virtual datasets are refused, as they would read other files of the machine.

    Parameters
    ----------
    file : path
    target : Link, Optimizer or Trainer
        Of the same structure as the saved one; parameters that have no size yet get theirs.
    max_bytes : int, optional
        The most memory that the arrays may take. By default, as much as ``target`` needs, and for arrays whose size is
        not known, such as parameters that have no size yet, 64 MiB, or 64 bytes for each byte of the file.

    Raises
    ------
    ModuleNotFoundError
        If h5py is not installed.
    FileFormatError
        If the file is damaged or too large, contains anything but arrays of numbers, or does not fit ``target``.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from autolab import links as L, serializers
    >>> saved, loaded = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     serializers.save_hdf5(f"{folder}/my.model", saved)
    ...     serializers.load_hdf5(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    _h5py("load_hdf5")
    load("load_hdf5", _stored, file, target, max_bytes)


def read_hdf5(file: str | os.PathLike[str], max_bytes: int | None = None) -> dict[str, np.ndarray]:
    """All arrays in a file by name, after checking all names, dtypes and sizes."""
    return read_all(_stored, file, max_bytes)


@contextmanager
def _stored(file: Any, most: int) -> Iterator[list[Entry]]:
    """The entries of a file, which may have at most ``most`` names."""
    h5py = _h5py("load_hdf5")
    with open(file, "rb"):  # a missing or unreadable file is not reported as a damaged one
        pass
    with reading(file):
        stored = h5py.File(file, "r")
    with stored:
        with reading(file):
            datasets = _datasets(h5py, file, stored, most)
            summed = any([_SUM in item.attrs for item in (stored, *datasets.values())])
            entries = [_entry(h5py, file, path, dataset, summed) for path, dataset in datasets.items()]
            if summed and _stored_sum(stored) != _seal({path: _stored_sum(item) for path, item in datasets.items()}):
                raise refused(file, "it is damaged: its checksum does not match")
        yield entries


def _datasets(h5py: Any, file: Any, stored: Any, most: int) -> dict[str, Any]:
    """All datasets by path; links, which may lead out of the file, and objects that occur twice are refused."""
    found: dict[str, Any] = {}
    groups, seen = [("", stored)], {_address(h5py, stored)}
    while groups:
        prefix, group = groups.pop()
        if len(seen) + len(group) > most + _MORE:
            raise refused(file, f"it has far more names than the {most} that are expected")
        for name in group:
            path = f"{prefix}{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise refused(file, f"{quoted(path)} is a link")
            item = group[name]
            address = _address(h5py, item)
            if address in seen:
                raise refused(file, f"{quoted(path)} occurs in it twice")
            seen.add(address)
            if isinstance(item, h5py.Group):
                groups.append((f"{path}/", item))
            else:
                found[path] = item
    return found


def _address(h5py: Any, item: Any) -> int:
    return int(h5py.h5o.get_info(item.id).addr)


def _h5py(function: str) -> Any:
    try:
        import h5py
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{function}: h5py is not installed; python -m pip install h5py, or use npz files instead"
        ) from None
    return h5py


# ---------------------------------------------------------------------------------------------------- one dataset
def _entry(h5py: Any, file: Any, path: str, item: Any, summed: bool) -> Entry:
    """The entry of a dataset, after checking that the file itself contains all of its numbers."""
    who = quoted(path)
    if not isinstance(item, h5py.Dataset) or item.shape is None:
        raise refused(file, f"{who} is not an array")
    if item.is_virtual or item.external:
        raise refused(file, f"{who} takes its numbers from another file")
    name = (EMPTY if _EMPTY_MARK in item.attrs else "") + path
    entry = Entry(name, item.shape, item.dtype, lambda: _array(h5py, file, name, item, summed))
    if entry.dtype.kind not in "biuf" or not item.id.get_type().equal(h5py.h5t.py_create(entry.dtype, logical=True)):
        raise refused(file, f"{who} is of type {visible(entry.dtype, 40)}; expected numbers")
    if item.chunks is None:
        if entry.nbytes != item.id.get_storage_size():
            raise refused(file, f"{who} has no numbers, or not all of them")
    elif math.prod(item.chunks) * entry.dtype.itemsize > entry.nbytes + _BLOCK:
        raise refused(file, f"{who} has chunks that are larger than itself")
    return entry


def _array(h5py: Any, file: Any, name: str, item: Any, summed: bool) -> np.ndarray:
    """Read a dataset: check its chunks first, and its checksum afterwards."""
    if item.chunks is not None:
        _check_pieces(h5py, file, item)
    array = np.empty(item.shape, item.dtype)
    if array.size:
        item.id.read(h5py.h5s.ALL, h5py.h5s.ALL, array)
    if summed and _stored_sum(item) != _checksum(name, array):
        raise refused(file, f"{quoted(name)} is damaged: its checksum does not match")
    return array


def _check_pieces(h5py: Any, file: Any, item: Any) -> None:
    """Check that all chunks exist, and that none unpacks to more than it should, which HDF5 itself would allow."""
    who, plist = quoted(item.name), item.id.get_create_plist()
    filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
    if len(set(filters)) < len(filters) or not {*filters} <= {h5py.h5z.FILTER_DEFLATE, *_plain_filters(h5py)}:
        raise refused(file, f"{who} is packed by an unknown filter")
    pieces: list[Any] = []
    item.id.chunk_iter(pieces.append)
    expected = math.prod([-(-n // c) for n, c in zip(item.shape, item.chunks, strict=True)])
    if len({tuple(piece.chunk_offset) for piece in pieces}) != expected or len(pieces) != expected:
        raise refused(file, f"{who} has no numbers, or not all of them")
    size = math.prod(item.chunks) * item.dtype.itemsize
    for piece in pieces:
        if piece.size > size + size // 8 + 1024:
            raise refused(file, f"{who} has a chunk of {piece.size} bytes for {size}")
        mask, packed = item.id.read_direct_chunk(piece.chunk_offset)
        if h5py.h5z.FILTER_DEFLATE in filters and not mask >> filters.index(h5py.h5z.FILTER_DEFLATE) & 1:
            unpacked = len(zlib.decompressobj().decompress(packed, size + 64))
            if unpacked not in (size, size + 4):  # 4: the checksum of another filter
                raise refused(file, f"{who} has a chunk that does not unpack to {size} bytes")


def _plain_filters(h5py: Any) -> tuple[int, int]:
    """The filters that do not change the size, except for a checksum."""
    return h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32


def _checksum(name: str, array: np.ndarray) -> np.uint32:
    """The checksum of the numbers, and of name, dtype and shape."""
    start = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode("utf-8", "surrogatepass"))
    return np.uint32(zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, start))


def _seal(sums: Mapping[str, Any]) -> np.uint32:
    """A checksum of all checksums, which reveals a dataset that comes from another file."""
    return np.uint32(zlib.crc32(repr(sorted([(name, int(value or 0)) for name, value in sums.items()])).encode()))


def _stored_sum(item: Any) -> int | None:
    if _SUM not in item.attrs:
        return None
    attribute = item.attrs.get_id(_SUM)
    if attribute.shape != () or attribute.dtype != np.dtype("<u4"):
        return None
    return int(item.attrs[_SUM])
