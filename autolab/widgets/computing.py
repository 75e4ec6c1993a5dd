"""The part of a live view that computes: beside the messages, never two at once, the latest point last; it can be
stopped."""

from __future__ import annotations

import threading
from typing import Any

import traitlets

from ..display.messages import say
from .computation import Computation
from .conversation import Conversation
from .part import obeys
from .user_error import UserError, for_page, user_error

OUTDATED = 1.0
"""A computation that has taken so many seconds is given up for a later point."""


class Computing(Conversation):
    """Traits and messages of a computation that takes its time: what ``_session.compute`` makes of ``_session.state``.

    A message that moves something waits a little for its result, so that a fast function answers it at once and in one
    message. A slow one is answered without: ``computing`` then says that the picture is of an earlier point, further
    messages are obeyed meanwhile, and of the points that they lead to only the latest is computed.
    """

    computing = traitlets.Enum(("", "running", "stopping"), "").tag(sync=True)

    _session: Any
    wait_seconds = 0.1
    outdated_seconds = OUTDATED
    stopped_words = "stopped"  # how the keys of the sentences begin

    _locks = (*Conversation._locks, "_lock")
    _lock = traitlets.Instance(threading.Condition, ())  # for everything that both threads touch
    _running = traitlets.Instance(Computation, allow_none=True)
    _again = traitlets.Bool()

    def _refresh(self) -> None:
        """Compute at the present point; if that is going on for an earlier one, afterwards, and give a long one up."""
        if self._running is not None:
            self._again = True
            if self._running.seconds > self.outdated_seconds:
                self._running.stop("outdated")
            return
        state = self._session.state
        self._running = Computation(
            lambda check: self._session.compute(state, check), self._computed, self._session.seconds
        )
        self._running.start()

    def _wait_a_little(self, seconds: float | None = None) -> None:
        """Wait for a computation that has just begun; if it is a slow one, say so and let it go on."""
        running = self._running
        if running is None or self.computing:
            return
        try:
            self._lock.wait_for(lambda: self._running is None, self.wait_seconds if seconds is None else seconds)
        except KeyboardInterrupt:  # where messages are obeyed by the main thread
            running.stop("asked")
        if self._running is not None:
            self.computing = "running"
            self._running.guard()

    def _computed(self, computation: Computation[Any], outcome: Any) -> None:
        """In the thread of the computation: show what came out."""
        with self._lock, self.hold_sync():
            if self.closed:
                return
            self._running = None
            try:
                self._show(computation, outcome)
            except Exception as error:
                self._publish({"error": for_page(user_error(error))})
            self._go_on()
            self._lock.notify_all()

    def _show(self, computation: Computation[Any], outcome: Any) -> None:
        why = computation.stopped
        if outcome is None and why == "outdated" and self._again:
            return  # what follows is what was asked for
        if outcome is None:
            words = say(f"{self.stopped_words}_{'asked' if why == 'outdated' else why}", seconds=self._session.seconds)
            outcome = UserError(say("stopped"), words)
        if isinstance(outcome, UserError):
            self._show_error(for_page(outcome))
        else:
            self._show_result(outcome)

    def _show_result(self, result: Any) -> None:
        """Publish what came out."""
        raise NotImplementedError

    def _show_error(self, error: dict[str, Any]) -> None:
        """Publish that nothing came out, and why: the picture is still that of the point before."""
        self._publish({"error": error})

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

    def _answer(self, content: dict[str, Any]) -> None:
        with self._lock:
            super()._answer(content)

    def close(self) -> None:
        """Stop what is being computed, show nothing any more, and end."""
        with self._lock:
            if self._running is not None:
                self._running.stop("asked")
                self._running.guard()
            super().close()  # type: ignore[misc]
            self._lock.notify_all()  # whoever waits for a result
