"""IDX: the file format of MNIST. A header says kind and lengths; the numbers follow."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from typing import Any

import numpy as np

from ..files import FileFormatError

_KINDS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(file: str | os.PathLike[str], max_bytes: int = 1 << 30) -> np.ndarray:
    """The array in an IDX file, which may be compressed with gzip.

    Parameters
    ----------
    file : path
    max_bytes : int
        How much memory the array may take.

    Raises
    ------
    FileFormatError
        If the file is damaged, too large, or longer or shorter than its header says.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from autolab.data import read_idx
    >>> header = bytes([0, 0, 8, 1, 0, 0, 0, 3])  # unsigned bytes, one axis, of length 3
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels")
    ...     size = path.write_bytes(header + bytes([7, 2, 1]))
    ...     read_idx(path)
    array([7, 2, 1], dtype=uint8)
    """
    with open(file, "rb") as stream:
        compressed = stream.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(file) if compressed else open(file, "rb") as stream:
            return _read(file, stream, max_bytes)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{file}: it is damaged ({error!s:.100}). Nothing was loaded.") from None


def _read(file: Any, stream: Any, max_bytes: int) -> np.ndarray:
    head = stream.read(4)
    if len(head) != 4 or head[:2] != b"\0\0" or head[2] not in _KINDS:
        raise FileFormatError(f"{file}: it is no IDX file. Nothing was loaded.")
    lengths = stream.read(4 * head[3])
    if len(lengths) != 4 * head[3]:
        raise FileFormatError(f"{file}: its header is cut off. Nothing was loaded.")
    shape = struct.unpack(f">{head[3]}I", lengths)
    dtype = np.dtype(_KINDS[head[2]])
    size = math.prod(shape) * dtype.itemsize
    if size > max_bytes:
        raise FileFormatError(f"{file}: it would need {size} bytes (limit {max_bytes}). Nothing was loaded.")
    numbers = stream.read(size + 1)
    if len(numbers) != size:
        raise FileFormatError(f"{file}: it holds {len(numbers)} bytes or more; its header says {size}.")
    array = np.frombuffer(numbers, dtype).reshape(shape)
    return array.astype(dtype.newbyteorder("="))
