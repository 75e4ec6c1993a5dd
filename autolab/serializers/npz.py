"""npz: NumPy's archive of arrays, which ``numpy.load`` can open as well."""

from __future__ import annotations

import io
import math
import os
import re
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..shared.files import reading, refused, replacing
from ..shared.state_layout import quoted
from .entries import Entry, Stateful, flattened, load, read_all

_HEADER_BYTES = 10_000
_PIECE = 1 << 16
_END, _MANY = 22, 0xFFFF
"""The length of the record at the end of an archive, which has the number of entries, or `_MANY` if it is larger."""
_NPY_HEADER = re.compile(
    r"\{\s*'descr'\s*:\s*'([<>|=]?[biuf]\d{1,2})'\s*,\s*'fortran_order'\s*:\s*(True|False)\s*,"
    r"\s*'shape'\s*:\s*\(([\d\s,]*)\)\s*,?\s*\}\s*"
)
"""The header of an array of numbers, as NumPy and others write it."""


def save_npz(file: str | os.PathLike[str], target: Stateful, compression: bool = True) -> None:
    """Save the state of a link, an optimizer or a trainer to an npz file.

    An existing file is replaced only once the new one is complete.

    Parameters
    ----------
    file : path
        Used as it is: no extension is added.
    target : Link, Optimizer or Trainer
    compression : bool
        Compress the file: it is smaller, and slower to write.

    Raises
    ------
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from autolab import links as L, serializers
    >>> saved, loaded = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     serializers.save_npz(f"{folder}/my.model", saved)
    ...     serializers.load_npz(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    arrays = flattened("save_npz", target)
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with replacing(file) as stream, zipfile.ZipFile(stream, "w", method, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asanyarray(array), allow_pickle=False)


def load_npz(file: str | os.PathLike[str], target: Stateful, max_bytes: int | None = None) -> None:
    """Load a file written by `save_npz` into ``target``; on an error, nothing is loaded.

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
    ...     serializers.save_npz(f"{folder}/my.model", saved)
    ...     serializers.load_npz(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    load("load_npz", _stored, file, target, max_bytes)


def read_npz(file: str | os.PathLike[str], max_bytes: int | None = None) -> dict[str, np.ndarray]:
    """All arrays in a file by name, after checking all names, dtypes and sizes."""
    return read_all(_stored, file, max_bytes)


@contextmanager
def _stored(file: Any, most: int) -> Iterator[list[Entry]]:
    """The entries of an archive, which may have at most ``most`` names."""
    with _File(file, 70_000 + 400 * most) as stream:
        with reading(file):
            archive = zipfile.ZipFile(stream)
            entries = _entries(file, archive, stream)
        with archive:
            yield entries


class _File(io.BufferedReader):
    """A file that refuses reads larger than the directory of an archive may be.

    `zipfile` reads the whole directory and creates objects for its entries before its length can be checked. The
    entries themselves are read in smaller pieces.
    """

    def __init__(self, path: Any, most: int) -> None:
        super().__init__(io.FileIO(path, "rb"))
        self._path, self._most = path, most

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self._most:
            raise refused(self._path, f"its directory has {size} bytes; expected at most {self._most}")
        return super().read(size)


def _entries(file: Any, archive: zipfile.ZipFile, stream: Any) -> list[Entry]:
    members = archive.infolist()
    stream.seek(-_END, os.SEEK_END)
    signature, count = struct.unpack("<4s6xH10x", stream.read(_END))
    if signature != b"PK\5\6" or count not in (len(members), _MANY):  # an entry could be hidden inside another
        raise refused(file, f"its directory has {len(members)} entries, but its end says another number")
    return [_entry(file, archive, member) for member in members]


def _entry(file: Any, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    """The entry of a member, with name, shape and dtype from its header."""
    who = quoted(member.filename)
    if not member.filename.endswith(".npy"):
        raise refused(file, f"{who} is not an array")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack without limit
        raise refused(file, f"{who} is compressed by a method that npz files do not use")
    with archive.open(member) as stream:
        start, shape, in_columns, dtype = _header(file, who, stream)
    entry = Entry(
        member.filename.removesuffix(".npy"),
        shape,
        dtype,
        lambda: _array(file, archive, member, start, shape, in_columns, dtype),
    )
    if member.file_size != entry.nbytes + start:
        raise refused(file, f"{who} does not have the size in its header")
    return entry


def _header(file: Any, who: str, stream: Any) -> tuple[int, tuple[int, ...], bool, np.dtype]:
    """Length and content of the header: shape, whether the order is Fortran's, and dtype."""
    begin = stream.read(12)
    if begin[:6] != b"\x93NUMPY" or begin[6:8] not in (b"\1\0", b"\2\0"):
        raise refused(file, f"{who} is not an array, or of an unknown version")
    start, length = (10, begin[8:10]) if begin[6] == 1 else (12, begin[8:12])
    end = start + int.from_bytes(length, "little")
    if not len(begin) <= end <= _HEADER_BYTES:  # a negative length below would read the whole entry
        raise refused(file, f"{who} has a header of {end} bytes; expected {len(begin)} to {_HEADER_BYTES}")
    text = (begin + stream.read(end - len(begin)))[start:].decode("latin1")
    header = _NPY_HEADER.fullmatch(text)
    if header is None:
        raise refused(file, f"{who} has a header that does not describe an array of numbers")
    shape = tuple([int(n) for n in header[3].split(",") if n.strip()])
    return end, shape, header[2] == "True", np.dtype(header[1])


def _array(
    file: Any,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    start: int,
    shape: tuple[int, ...],
    in_columns: bool,
    dtype: np.dtype,
) -> np.ndarray:
    """Read the numbers; at their end `zipfile` verifies the checksum."""
    flat = np.empty(math.prod(shape), dtype)
    buffer = flat.view(np.uint8).data
    done = 0
    with archive.open(member) as stream:
        stream.read(start)
        while piece := stream.read(_PIECE):
            buffer[done : done + len(piece)] = piece
            done += len(piece)
    if done != len(buffer):
        raise refused(file, f"{quoted(member.filename)} is cut off")
    return flat.reshape(shape, order="F" if in_columns else "C")
