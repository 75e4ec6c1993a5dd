"""Python's collector of cyclic garbage, told to wait while much plain data is made that stays.

Whenever the number of objects has grown by a quarter, the collector looks at all of them. While ten thousand steps
become data that takes a quarter of the time, and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """Nothing is collected in the block or in a function that this decorates; at most one step of a user runs in it.

    Examples
    --------
    >>> import gc
    >>> with collector_waits():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():  # by the user, or by another thread, which turns it on again
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
    """In a block of this, Python collects cyclic garbage less often: a run makes many objects, and they stay.

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
        if 0 < self._before[0] < _PATIENT:  # else it is switched off, or another thread is recording
            gc.set_threshold(_PATIENT, *self._before[1:])

    def __exit__(self, *raised: object) -> None:
        if 0 < self._before[0] < _PATIENT:
            gc.set_threshold(*self._before)


_PATIENT = 20_000
