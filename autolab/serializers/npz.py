"""npz: NumPy's archive of arrays, which ``numpy.load`` opens as well."""

from __future__ import annotations

import os
import tokenize
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..files import FileFormatError, replacing
from .entries import MAX_BYTES, Entry, Stateful, check, check_target, flattened, refused, restored

_HEADER_BYTES = 10_000
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError, RuntimeError),
    tokenize.TokenError,
)
"""What reading a damaged file raises; the last from NumPy's look at a header, since Python 3.12."""


def save_npz(file: str | os.PathLike[str], target: Stateful, compression: bool = True) -> None:
    """Save the state of a link, an optimizer or a trainer under exactly this name.

    The file is written beside the old one and takes its place when it is whole.

    Parameters
    ----------
    file : path
    target : Link, Optimizer or Trainer
    compression : bool
        Smaller, and slower to write.

    Raises
    ------
    OSError
        If the file cannot be written; the old one is as it was.

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
    with replacing(file) as temporary, zipfile.ZipFile(temporary, "w", method, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asanyarray(array), allow_pickle=False)


def load_npz(file: str | os.PathLike[str], target: Stateful, max_bytes: int = MAX_BYTES) -> None:
    """Load what `save_npz` saved: all of it or, on an error, nothing.

    Parameters
    ----------
    file : path
    target : Link, Optimizer or Trainer
        Of the same structure; parameters without a size get theirs.
    max_bytes : int
        How much memory the arrays may take.

    Raises
    ------
    FileFormatError
        If the file is damaged, too large, or holds something else than arrays of numbers.
    ValueError
        If it does not fit ``target``.

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
    check_target("load_npz", target)
    target.load_state(restored(read_npz(file, max_bytes)))


def read_npz(file: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> dict[str, np.ndarray]:
    """The arrays in a file by name, after all of its names, kinds and sizes were checked."""
    try:
        with open(file, "rb") as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            check(file, [_entry(file, archive, member) for member in members], max_bytes)
            return {_name(member): _array(file, archive, member) for member in members}
    except FileFormatError:
        raise
    except _DAMAGE as error:
        raise refused(file, f"it is no npz file, or is damaged ({error!s:.100})") from None


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.removesuffix(".npy")


def _entry(file: Any, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    """Name, shape and kind from the member's header."""
    if not member.filename.endswith(".npy") or member.flag_bits & 1:
        raise refused(file, f"{member.filename!r:.100} is no array")
    with archive.open(member) as stream:
        shape, _, dtype = _header(file, member, stream)
        entry = Entry(_name(member), shape, dtype)
        if member.file_size != entry.nbytes + stream.tell():
            raise refused(file, f"{entry.name!r:.100} has another size than its header says")
        return entry


def _header(file: Any, member: zipfile.ZipInfo, stream: Any) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = npy.read_magic(stream)
    if version not in _READERS:
        raise refused(file, f"{member.filename!r:.100} has the unknown version {version}")
    shape, order, dtype = _READERS[version](stream, max_header_size=_HEADER_BYTES)
    if any([not isinstance(n, int) or isinstance(n, bool) or n < 0 for n in shape]):
        raise refused(file, f"{member.filename!r:.100} has the shape {shape!r:.60}")
    return shape, order, dtype


def _array(file: Any, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as stream:
        array: np.ndarray = npy.read_array(stream, allow_pickle=False, max_header_size=_HEADER_BYTES)
        if stream.read(1):  # to the end, where the checksum is compared
            raise refused(file, f"{member.filename!r:.100} is longer than its header says")
        return array
