"""A user's function that runs in a thread of its own, so that it can be waited for and stopped; what it depended on;
and what it raised, as data.
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

from ...engine import config, using_config
from ...engine.modes import unset_modes
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...engine.undisturbed import float_setting, undisturbed
from ...recording.model import Recording
from ...recording.origins import Origins
from ...recording.raised import MAX_MESSAGE, last_recording, place_of, told_as
from ..draw import clean

Result = TypeVar("Result")

HAS_THREADS = sys.platform != "emscripten"
"""False for Python in a browser: a computation then runs at once, and stops by itself when its time is up."""

PATIENCE = 0.5
"""Seconds between asking a computation to stop and interrupting it from outside."""


class Stopped(BaseException):
    """Ends a computation. It is not an Exception, so that a function's own handlers do not catch it."""


class Computation(Generic[Result]):
    """``work(check)`` in a thread; ``done(computation, result)`` is called there at the end, in every case.

    Attributes
    ----------
    stopped : str or None
        Why it is to stop; None as long as it is not.
    """

    def __init__(
        self,
        work: Callable[[Callable[[], None]], Result],
        done: Callable[[Computation[Result], Result | None], None],
        limit: float | None = None,
    ) -> None:
        self._work, self._done, self._limit = work, done, limit
        self._wake = threading.Event()  # set when it has ended, or is to end
        self._ended = threading.Event()
        self._guard = threading.Lock()
        self._interruptible, self._interrupted = True, False
        self._made = time.monotonic()
        self.stopped: str | None = None
        context = self._context = contextvars.copy_context()  # output belongs to the cell or message that started it
        context.run(unset_modes)  # modes belong to the computed function
        self._thread = 0  # id of the thread that runs it

    def start(self) -> None:
        """Start it; without threads, also finish it."""
        if HAS_THREADS:
            _hand_over(self)
        else:
            self._context.run(self._run)

    @property
    def seconds(self) -> float:
        """Seconds since it was created."""
        return time.monotonic() - self._made

    def guard(self) -> None:
        """Watch the time limit, and interrupt a computation that does not stop by itself. Only slow ones need this."""
        if HAS_THREADS:
            threading.Thread(target=self._watch, name="autolab-watch", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait until it has ended; after this many seconds it is stopped."""
        if not self._ended.wait(seconds):
            self.stop("seconds")
            self.guard()
            self._ended.wait()

    def stop(self, why: str) -> None:
        """Ask it to stop soon."""
        self.stopped = self.stopped or why
        self._wake.set()

    def check(self) -> None:
        """Raise `Stopped` if it is to stop; ``work`` calls this at every step."""
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
        """Run it in this thread, in the context in which it was created. Returns whether it was interrupted."""
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
        """Let no interruption in from here on, where the thread works for the view; one under way arrives now.

        A pending one is not cancelled: CPython 3.11 would then look for it for ever, in every thread, and a debugger
        would hang.
        """
        with self._guard:
            self._interruptible = False
        with contextlib.suppress(Stopped):
            for _ in range(100 * self._interrupted):
                pass


_idle: list[SimpleQueue[Computation[Any]]] = []
"""Queues of idle threads: starting a thread takes longer than a small function does."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked child has none of these threads


def _hand_over(computation: Computation[Any]) -> None:
    """Have an idle thread run it, or a new one."""
    try:
        jobs = _idle.pop()
    except IndexError:
        jobs = SimpleQueue()
        threading.Thread(target=_work_off, args=(jobs,), daemon=True).start()
    jobs.put(computation)


def _work_off(jobs: SimpleQueue[Computation[Any]]) -> None:
    """The loop of such a thread. It ends after an interruption, none of which may reach the next computation."""
    thread, is_fresh = threading.current_thread(), True
    while is_fresh:
        computation = jobs.get()
        thread.name = "autolab-view"
        is_fresh = not computation.run_through()
        del computation  # else the result would be kept while the thread waits
        thread.name = "autolab-idle"
        if is_fresh:
            _idle.append(jobs)


class RerunContext:
    """Repeated runs of a function, each in the mode and with the random numbers of the thread that opened the view.

    Attributes
    ----------
    origins : Origins
        What the run whose numbers are shown has accessed.
    changes : int
        Number of runs that began after something that the run before had accessed was changed.
    given : Origins
        The caller's own arrays, if the view shows copies of them.
    floats : dict
        How the thread that opened the view treats floating-point errors.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._watched = fn
        self.origins = Origins(fn)
        self.given = Origins()
        self.changes = 0
        self.floats = float_setting()
        self._train_then = self._train_now = config.train
        self._rng = copy.deepcopy(config.rng)
        self._drawn = copy.deepcopy(self._rng)  # the generator of all runs, one after the other

    def rng(self) -> np.random.Generator:
        """A generator in the state that the thread's had: every run draws the same numbers."""
        if _spawned(self._drawn) != _spawned(self._rng):
            self._drawn = copy.deepcopy(self._rng)
        self._drawn.bit_generator.state = self._rng.bit_generator.state  # many times faster than a copy
        return self._drawn

    @contextlib.contextmanager
    def running(self, check: Callable[[], None]) -> Iterator[Origins]:
        """A context to run the function in: ``check`` is called at every step of the engine, and an exception from it
        ends the run.

        What the run accesses is noted; the run whose numbers are shown makes that ``origins``.
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
        """Note the mode of the calling thread, which must be the notebook's own."""
        self._train_now = config.train

    def other_mode(self) -> str | None:
        """The notebook's present mode, ``train`` or ``test``, if it has changed and is not the mode of the runs."""
        changed = self._train_now not in (self._train_then, self.train)
        return ("train" if self._train_now else "test") if changed else None


def _spawned(rng: np.random.Generator) -> int:
    """Number of generators spawned from this one, which its state does not include."""
    return getattr(rng.bit_generator.seed_seq, "n_children_spawned", 0)


@dataclass(frozen=True)
class UserError:
    """What the user's function raised, and the innermost line of the user's own code in the traceback.

    ``recording`` is what was computed until then; None if the error did not come from a recorded run.
    """

    type: str
    message: str
    file: str | None = None
    line: int | None = None
    statement: str | None = None
    recording: Recording | None = field(default=None, compare=False, repr=False)


def user_error(error: BaseException) -> UserError:
    """An exception as data: its type and message, and the innermost line of its traceback in the user's code.

    If NumPy says only that an element could not be set, the message is that of the cause.
    """
    (kind, message), (file, line, statement) = told_as(error), place_of(error)
    return UserError(kind, message, file, line, statement, last_recording(error))


def told(work: Callable[[], Result]) -> Result | UserError:
    """The result of ``work``, or what it raised, as data, including an interrupt and ``sys.exit()``."""
    try:
        return work()
    except Stopped:
        raise
    except BaseException as error:
        return user_error(error)


def for_page(error: UserError, ended: bool = False) -> dict[str, Any]:
    """An error as the page shows it: every text on one line, with invisible characters replaced. ``ended`` says whether
    the picture is of the run that raised it, not of an earlier one.
    """
    limits = {"message": MAX_MESSAGE, "statement": 400}
    found = {key: getattr(error, key) for key in ("type", "message", "file", "line", "statement")} | {"ended": ended}
    return {key: clean(text, limits.get(key, 200)) if isinstance(text, str) else text for key, text in found.items()}
