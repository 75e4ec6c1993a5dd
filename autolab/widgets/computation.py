"""Computation: a function that runs in a thread of its own, so that it can be waited for, or stopped.

It is stopped in two ways. A check that the function calls at every step of the engine raises `Stopped` as soon as that
is asked for. Where no such step comes, `Stopped` is raised in the thread from outside, between two bytecodes; only
inside one long call of compiled code (a large product, a sleep) it has to wait for that call to return.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..engine.config import unset_modes

Result = TypeVar("Result")

PATIENCE = 0.5
"""Seconds between asking a computation to stop and stopping it from outside."""


class Stopped(BaseException):
    """Ends a computation. No Exception, so that what a function catches does not keep it."""


class Computation(Generic[Result]):
    """``work(check)`` in a thread; ``done(computation, result)`` is called there at the end, whatever happens.

    Attributes
    ----------
    stopped : str or None
        Why it is to stop, once it is.
    """

    def __init__(
        self,
        work: Callable[[Callable[[], None]], Result],
        done: Callable[[Computation[Result], Result | None], None],
        limit: float | None = None,
    ) -> None:
        self._work, self._done, self._limit = work, done, limit
        self._wake = threading.Event()  # it has ended, or is to
        self._ended = threading.Event()
        self._guard = threading.Lock()
        self._interruptible, self._interrupted = True, False
        self._made = time.monotonic()
        self.stopped: str | None = None
        context = contextvars.copy_context()  # what is printed belongs to the cell or message that began this
        context.run(unset_modes)  # modes belong to what is computed
        self._thread = threading.Thread(target=context.run, args=(self._run,), name="autolab-view", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def seconds(self) -> float:
        """How long ago it was made."""
        return time.monotonic() - self._made

    def guard(self) -> None:
        """Watch over the time, and stop from outside what does not stop by itself. Only slow ones need that."""
        threading.Thread(target=self._watch, name="autolab-watch", daemon=True).start()

    def stop(self, why: str) -> None:
        """Ask it to end soon."""
        self.stopped = self.stopped or why
        self._wake.set()

    def check(self) -> None:
        """What ``work`` calls at every step."""
        if self.stopped:
            raise Stopped

    def _run(self) -> None:
        result: Any = None
        try:
            try:
                result = self._work(self.check)
            finally:
                self._end_interruptions()
        except Stopped:
            self.stop("asked")
        self._ended.set()
        self._wake.set()
        self._done(self, result)

    def _watch(self) -> None:
        self._wake.wait(self._limit)
        if not self._ended.is_set():
            self.stop("seconds")
        if not self._ended.wait(PATIENCE):
            self._interrupt()

    def _interrupt(self) -> None:
        with self._guard:
            if self._interruptible:
                self._interrupted = True
                identity = ctypes.c_ulong(self._thread.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(Stopped))

    def _end_interruptions(self) -> None:
        """From here on the thread works for the view; an interruption that is still under way arrives now.

        It is not taken back: CPython 3.11 then looks for it for ever, in every thread, and a debugger would hang.
        """
        with self._guard:
            self._interruptible = False
        with contextlib.suppress(Stopped):
            for _ in range(100 * self._interrupted):
                pass
