"""IDX: the file format of MNIST. A header with dtype and shape is followed by the numbers."""

from __future__ import annotations

import gzip
import math
import os
import struct
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..shared.files import free_bytes, reading, refused, visible

_KINDS = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
_PIECE = 1 << 16


def read_idx(file: str | os.PathLike[str], max_bytes: int | None = None) -> np.ndarray:
    """Read the array in an IDX file, which may be compressed with gzip.

    Parameters
    ----------
    file : path
    max_bytes : int, optional
        The most memory that the array may take; by default 64 MiB, or 64 bytes for each byte of the file.

    Raises
    ------
    FileFormatError
        If the file is damaged, too large, or longer or shorter than its header says.
    OSError
        If there is no such file, or it cannot be read.

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
    with open(file, "rb") as stream, reading(file):
        limit = free_bytes(os.fstat(stream.fileno()).st_size) if max_bytes is None else max_bytes
        compressed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        with gzip.open(stream) if compressed else nullcontext(stream) as numbers:
            return _read(file, numbers, limit)


def _read(file: Any, stream: Any, limit: int) -> np.ndarray:
    head = stream.read(4)
    if len(head) != 4 or head[:2] != b"\0\0" or head[2] not in _KINDS:
        raise refused(file, "it is not an IDX file")
    lengths = stream.read(4 * head[3])
    if len(lengths) != 4 * head[3]:
        raise refused(file, "its header is cut off")
    shape = struct.unpack(f">{head[3]}I", lengths)
    dtype = np.dtype(_KINDS[head[2]])
    size = math.prod(shape) * dtype.itemsize
    if size > limit:
        raise refused(file, f"it would need {visible(size, 40)} bytes (limit {limit})")
    flat = np.empty(size // dtype.itemsize, dtype)
    room = flat.view(np.uint8).data
    done = 0
    while piece := stream.read(_PIECE):  # to the end, where gzip verifies its checksum
        if done + len(piece) > size:
            raise refused(file, f"it holds more numbers; its header says {size} bytes")
        room[done : done + len(piece)] = piece
        done += len(piece)
    if done != size:
        raise refused(file, f"it holds {done} bytes of numbers; its header says {size}")
    return flat.astype(dtype.newbyteorder("="), copy=False).reshape(shape)
