"""A live view that computes: beside the messages, never two at once, the latest point last; it can be stopped. It says
when its numbers are not those that the notebook would give now."""

from __future__ import annotations

import threading
from typing import Any

import traitlets

from ..draw.escape import clean
from ..draw.messages import listed, say
from .computation import Computation, UserError, for_page, user_error
from .protocol import on_message
from .widget import LiveView

OUTDATED = 1.0
"""A computation that has taken so many seconds is given up for a later point."""

_MOST_NAMES = 5


class SessionView(LiveView):
    """Shows what ``_session.compute`` makes of ``_session.state``.

    A message that moves something waits a little for its result, so that a fast function answers it at once and in one
    message. A slow one is answered without: ``computing`` then says that the picture is of an earlier point, further
    messages are taken meanwhile, and of the points that they lead to only the latest is computed.
    """

    _session: Any
    wait_seconds = 0.1
    outdated_seconds = OUTDATED
    stopped_words = "stopped"  # how the keys of the sentences begin

    _locks = (*LiveView._locks, "_lock")
    _lock = traitlets.Instance(threading.Condition, ())  # for everything that both threads touch
    _running = traitlets.Instance(Computation, allow_none=True)
    _again = traitlets.Bool()

    # ------------------------------------------------------------------ computing
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
        except KeyboardInterrupt:  # where messages are taken by the main thread
            running.stop("asked")
        if self._running is not None:
            self._tell(computing="running")
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
                self._tell(error=for_page(user_error(error)))
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
            self._show_error(outcome)
        else:
            self._show_result(outcome)

    def _show_result(self, result: Any) -> None:
        """Publish what came out."""
        raise NotImplementedError

    def _show_error(self, error: UserError) -> None:
        """Publish that nothing came out, and why: the picture is still that of the point before."""
        self._tell(error=for_page(error))

    def _go_on(self) -> None:
        """Compute at the point to which things were moved meanwhile."""
        again, self._again = self._again, False
        if again:
            self._refresh()
        if self._running is None:
            if self.computing:
                self._tell(computing="")
        elif self.computing:
            self._tell(computing="running")
            self._running.guard()

    @on_message("stop")
    def _stop(self) -> None:
        self._again = False
        if self._running is not None:
            self._running.stop("asked")
            self._tell(computing="stopping")

    def _take(self, content: dict[str, Any]) -> None:
        with self._lock:
            super()._take(content)

    def close(self) -> None:
        """Stop what is being computed, show nothing any more, and end."""
        with self._lock:
            if self._running is not None:
                self._running.stop("asked")
                self._running.guard()
            super().close()
            self._lock.notify_all()  # whoever waits for a result

    # ------------------------------------------------------------------ what has changed since
    def _since(self) -> dict[str, Any]:
        """Sentences for the page and whether computing again would follow; nothing while nothing has changed."""
        return stale(self._session)

    def look_again(self) -> None:
        """In the thread that runs the cells: see whether something has changed, and say so on the pages."""
        with self._lock, self.hold_sync():
            self._session.note_mode()
            self._tell(since=self._since())

    @on_message("hello")
    def _hello(self) -> None:
        """A page has opened, or is not sure that somebody answers."""
        self._tell(since=self._since())

    @on_message("again")
    def _compute_again(self) -> None:
        self._refresh()


def stale(session: Any) -> dict[str, Any]:
    """What has changed since a session computed: the ``text``, and whether to compute ``again`` helps."""
    origins, sentences = session.origins, []
    reached, given = origins.changed(), session.given.changed()
    if reached:
        sentences.append(say("since_reached", names=_listed(reached)))
    if given:
        sentences.append(say("since_given", names=_listed(given)))
    if (name := origins.redefined()) is not None:
        sentences.append(say("since_redefined", name=clean(name)))
    if (mode := session.other_mode()) is not None:
        sentences.append(say("since_mode", mode=mode))
    return {"text": " ".join(sentences), "again": bool(reached)} if sentences else {}


def _listed(names: list[str]) -> str:
    return listed([clean(name, 60) for name in names], _MOST_NAMES)
