"""Suspends Python's cyclic garbage collector while many long-lived objects are created.

The collector visits all objects whenever their number has grown by a quarter. While ten thousand steps are turned into
data, that takes a quarter of the time and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """No garbage collection in the block, or in a function decorated with it. At most one user's step runs in it.

    Examples
    --------
    >>> import gc
    >>> with collector_waits():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():  # disabled by the user, or by another thread, which enables it again
        yield
        return
    try:
        gc.disable()
        yield
    finally:
        try:
            gc.enable()
        except BaseException:  # an interrupt on the way out
            gc.enable()
            raise


class PatientCollector:
    """A ``with`` block with less frequent garbage collection: a run creates many long-lived objects.

    Examples
    --------
    >>> import gc
    >>> before = gc.get_threshold()
    >>> with PatientCollector():
    ...     gc.get_threshold()[0] > before[0]
    True
    >>> gc.get_threshold() == before
    True
    """

    def __enter__(self) -> None:
        self._before = gc.get_threshold()
        if 0 < self._before[0] < _PATIENT:  # otherwise it is disabled, or another thread is recording
            gc.set_threshold(_PATIENT, *self._before[1:])

    def __exit__(self, *raised: object) -> None:
        if 0 < self._before[0] < _PATIENT:
            gc.set_threshold(*self._before)


_PATIENT = 20_000
