"""The part of the live view that computes: beside the messages, never two at once, the latest point last; it can be
stopped."""

from __future__ import annotations

import threading
from typing import Any

import traitlets

from ..display.messages import say
from ..recording.model import Recording
from .computation import Computation
from .part import Part, obeys
from .user_error import UserError, for_page, user_error

Outcome = Recording | UserError

OUTDATED = 1.0
"""A computation that has taken so many seconds is given up for a later point."""


class Computing(Part):
    """Traits and messages of a computation that takes its time.

    A message that moves something waits a little for its result, so that a fast function answers it at once and in one
    message. A slow one is answered without: ``computing`` then says that the picture is of an earlier point, further
    messages are obeyed meanwhile, and of the points that they lead to only the latest is computed.
    """

    needs_session = True

    computing = traitlets.Enum(("", "running", "stopping"), "").tag(sync=True)
    changed: traitlets.List[Any]
    error = traitlets.Dict(allow_none=True).tag(sync=True)

    wait_seconds = 0.1

    _lock = traitlets.Instance(threading.Condition, ())  # for everything that both threads touch
    _running = traitlets.Instance(Computation, allow_none=True)
    _again = traitlets.Bool()
    _closed = traitlets.Bool()

    def _refresh(self) -> None:
        """Compute at the present point; if that is going on for an earlier one, afterwards, and give a long one up."""
        if self._running is not None:
            self._again = True
            if self._running.seconds > OUTDATED:
                self._running.stop("outdated")
            return
        state = self._session.state
        self._running = Computation(
            lambda check: self._session.compute(state, check), self._computed, self._session.seconds
        )
        self._running.start()

    def _wait_a_little(self) -> None:
        """Wait for a computation that has just begun; if it is a slow one, say so and let it go on."""
        running = self._running
        if running is None or self.computing:
            return
        try:
            self._lock.wait_for(lambda: self._running is None, self.wait_seconds)
        except KeyboardInterrupt:  # where messages are obeyed by the main thread
            running.stop("asked")
        if self._running is not None:
            self.computing = "running"
            self._running.guard()

    def _computed(self, computation: Computation[Outcome], outcome: Outcome | None) -> None:
        """In the thread of the computation: show what came out."""
        with self._lock, self.hold_sync():
            self._running = None
            if not self._closed:
                try:
                    self._show(computation, outcome)
                except Exception as error:
                    self._publish({"error": for_page(user_error(error))})
                self._go_on()
            self._lock.notify_all()

    def _show(self, computation: Computation[Outcome], outcome: Outcome | None) -> None:
        if isinstance(outcome, Recording):
            self._recording = outcome
            self._publish({"error": None, **self._shown(outcome)})
            return
        error = outcome or UserError(
            say("stopped"), say(f"stopped_{computation.stopped}", seconds=self._session.seconds)
        )
        self._publish({"error": for_page(error), "changed": []})

    def _go_on(self) -> None:
        """Compute at the point to which things were moved meanwhile."""
        again, self._again = self._again, False
        if again:
            self._refresh()
        if self._running is None:
            self.computing = ""
        elif self.computing:
            self.computing = "running"
            self._running.guard()

    @obeys("stop")
    def _stop(self) -> None:
        self._again = False
        if self._running is not None:
            self._running.stop("asked")
            self.computing = "stopping"

    def _end(self) -> None:
        """Stop, and show nothing any more."""
        with self._lock:
            self._closed = True
            if self._running is not None:
                self._running.stop("asked")
                self._running.guard()
