"""A function of the user's that runs in a thread of its own, so that it can be waited for or stopped; what it depended
on; and what it raised, as data.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import numpy as np

from ...engine.configuration import config, using_config
from ...engine.float_errors import float_setting
from ...engine.modes import unset_modes
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...engine.undisturbed import undisturbed
from ...recording.model import Recording
from ...recording.origins import Origins
from ...recording.raised import MAX_MESSAGE, last_recording, place_of, told_as
from ..draw.escape import clean

Result = TypeVar("Result")

HAS_THREADS = sys.platform != "emscripten"
"""A browser's Python has none: there a computation runs at once, and ends by itself when its time is over."""

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
        context = self._context = (
            contextvars.copy_context()
        )  # what is printed belongs to the cell or message that began
        context.run(unset_modes)  # modes belong to what is computed
        self._thread = 0  # the number of the one that runs it

    def start(self) -> None:
        """Begin; without threads, also end."""
        if HAS_THREADS:
            _hand_over(self)
        else:
            self._context.run(self._run)

    @property
    def seconds(self) -> float:
        """How long ago it was made."""
        return time.monotonic() - self._made

    def guard(self) -> None:
        """Watch over the time, and stop from outside what does not stop by itself. Only slow ones need that."""
        if HAS_THREADS:
            threading.Thread(target=self._watch, name="autolab-watch", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait for its end; after so many seconds it is stopped."""
        if not self._ended.wait(seconds):
            self.stop("seconds")
            self.guard()
            self._ended.wait()

    def stop(self, why: str) -> None:
        """Ask it to end soon."""
        self.stopped = self.stopped or why
        self._wake.set()

    def check(self) -> None:
        """What ``work`` calls at every step."""
        if not HAS_THREADS and self._limit is not None and self.seconds > self._limit:
            self.stop("seconds")
        if self.stopped:
            raise Stopped

    def _run(self) -> None:
        result: Any = None
        self._thread = threading.get_ident()
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

    def run_through(self) -> bool:
        """Run it in this thread, in the context in which it was made; whether the thread was interrupted."""
        self._context.run(self._run)
        return self._interrupted

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
                identity = ctypes.c_ulong(self._thread)
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


_idle: list[SimpleQueue[Computation[Any]]] = []
"""Where threads wait for their next computation: to begin one takes longer than a small function does."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child has none of these threads


def _hand_over(computation: Computation[Any]) -> None:
    """Have it run by a thread that has nothing to do, or by a new one."""
    try:
        jobs = _idle.pop()
    except IndexError:
        jobs = SimpleQueue()
        threading.Thread(target=_work_off, args=(jobs,), daemon=True).start()
    jobs.put(computation)


def _work_off(jobs: SimpleQueue[Computation[Any]]) -> None:
    """What such a thread does. One that was interrupted ends: nothing of that may reach the next computation."""
    thread, is_fresh = threading.current_thread(), True
    while is_fresh:
        computation = jobs.get()
        thread.name = "autolab-view"
        is_fresh = not computation.run_through()
        del computation  # waiting, it would keep what it computed
        thread.name = "autolab-idle"
        if is_fresh:
            _idle.append(jobs)


class RerunContext:
    """A function that is run again and again, in the mode and with the random numbers of the thread that opened it.

    Attributes
    ----------
    origins : Origins
        What the run reached whose numbers are shown.
    changes : int
        How many runs began after something that the run before had reached was changed.
    given : Origins
        The caller's own arrays, where copies of them are looked at.
    floats : dict
        What the thread that opened the view did about floating-point errors.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._watched = fn
        self.origins = Origins(fn)
        self.given = Origins()
        self.changes = 0
        self.floats = float_setting()
        self._train_then = self._train_now = config.train
        self._rng = copy.deepcopy(config.rng)
        self._drawn = copy.deepcopy(self._rng)  # from which the runs draw, one after the other

    def rng(self) -> np.random.Generator:
        """A generator at the place where that of the thread stood: every run draws the same numbers."""
        if _spawned(self._drawn) != _spawned(self._rng):
            self._drawn = copy.deepcopy(self._rng)
        self._drawn.bit_generator.state = self._rng.bit_generator.state  # a copy takes many times longer
        return self._drawn

    @contextlib.contextmanager
    def running(self, check: Callable[[], None]) -> Iterator[Origins]:
        """Inside, the function runs: ``check`` is called at every step of the engine, and what it raises ends the run.

        What is reached is noted; the run whose numbers are shown makes that ``origins``.
        """
        origins = Origins(self._watched)

        def hear(event: ForwardEvent | BackwardEvent) -> None:
            check()
            origins.look(event)

        with (
            using_config("train", self.train),
            using_config("rng", self.rng()),
            np.errstate(**self.floats),
            observe(hear),
            undisturbed(),
        ):
            yield origins
        origins.settle()

    @property
    def train(self) -> bool:
        """The mode in which the function runs."""
        return self._train_then

    def note_mode(self) -> None:
        """Note the mode of the thread that calls, which is to be the notebook's own."""
        self._train_now = config.train

    def other_mode(self) -> str | None:
        """The mode of the notebook, ``train`` or ``test``, if it was changed there to another one than this."""
        changed = self._train_now not in (self._train_then, self.train)
        return ("train" if self._train_now else "test") if changed else None


def _spawned(rng: np.random.Generator) -> int:
    """How many generators it has spawned, which its state does not say."""
    return getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0)


@dataclass(frozen=True)
class UserError:
    """What the user's function raised, and the innermost line of the user's own code on the way there.

    ``recording`` is what was computed up to there; None where the error did not come out of a recorded run.
    """

    type: str
    message: str
    file: str | None = None
    line: int | None = None
    statement: str | None = None
    recording: Recording | None = field(default=None, compare=False, repr=False)


def user_error(error: BaseException) -> UserError:
    """An exception as data: its type and message, and the innermost line of its traceback that is the user's.

    Where NumPy says only that an element could not be set, the cause says why.
    """
    (kind, message), (file, line, statement) = told_as(error), place_of(error)
    return UserError(kind, message, file, line, statement, last_recording(error))


def told(work: Callable[[], Result]) -> Result | UserError:
    """What ``work`` returns; what it raises, also an interrupt and ``sys.exit()``, as data."""
    try:
        return work()
    except Stopped:
        raise
    except BaseException as error:
        return user_error(error)


def for_page(error: UserError, ended: bool = False) -> dict[str, Any]:
    """An error as the page shows it: every text on one line, what cannot be seen replaced; and whether the picture is
    of the run that it ``ended``, not of an earlier one."""
    limits = {"message": MAX_MESSAGE, "statement": 400}
    found = {key: getattr(error, key) for key in ("type", "message", "file", "line", "statement")} | {"ended": ended}
    return {key: clean(text, limits.get(key, 200)) if isinstance(text, str) else text for key, text in found.items()}
