"""Fingerprints: checksums that reveal whether an array, or a list, has changed."""

from __future__ import annotations

from typing import Any
from weakref import ref
from zlib import crc32

import numpy as np

from ..engine import Array, is_array, to_cpu

WHOLE = 1000
"""Up to this many elements the checksum is of all bytes; above, it is of sums over them."""

_COLUMNS = 1021  # prime, so that exchanged rows or columns do not contribute to the same sums
_SAMPLES = 256

_shared: dict[int, ref[Fingerprint]] = {}  # by identity; stale entries stay until the identity is used again


class Fingerprint:
    """A value and its fingerprint. All nodes that retain the value in the same state share one object."""

    __slots__ = ("__weakref__", "look", "value")

    def __init__(self, value: Any, look: object) -> None:
        self.value, self.look = value, look

    @property
    def intact(self) -> bool:
        """Whether the value is unchanged."""
        return fingerprint(self.value) == self.look


def taken(value: Any) -> Fingerprint:
    """The fingerprint of the value as it is now; the existing object, if the value has not changed since."""
    look, last = fingerprint(value), _shared.get(id(value))
    known = None if last is None else last()
    if known is None or known.value is not value or known.look != look:
        known = Fingerprint(value, look)
        _shared[id(value)] = ref(known)
    return known


def fingerprint(value: Any) -> object:
    """A checksum of an array (or a list), which differs after a change.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(3.0)
    >>> before = fingerprint(x)
    >>> x[0] = -0.0
    >>> fingerprint(x) == before
    False
    """
    if not is_array(value):
        return crc32(repr(value).encode())
    if value.size <= WHOLE and type(value) is np.ndarray:
        return value.shape, value.dtype, crc32(value.tobytes("A"))
    flat = value.ravel("A")  # in memory order, if that is C's or Fortran's
    if value.size <= WHOLE:
        return value.shape, value.dtype, _crc(flat)
    return value.shape, value.dtype, _crc(flat[:: value.size // _SAMPLES]), _sums(flat)


def _sums(flat: Array) -> tuple[int, int]:
    """Checksums of the sums, modulo 2**64, over every 1021st word, and of the remaining words.

    Changing one element changes one sum; exchanging two elements changes two, unless they are a multiple of 1021 words
    apart.
    """
    size = min(flat.itemsize, 8)
    words = flat.view(f"u{size}")
    even = words.size - words.size % _COLUMNS
    return _crc(words[:even].reshape(-1, _COLUMNS).sum(axis=0, dtype="u8")), _crc(words[even:])


def _crc(flat: Array) -> int:
    return crc32(to_cpu(flat).tobytes())
