"""A live view that computes in another thread than the messages, one computation at a time and always the latest point
last, and that can be stopped. It says when its numbers are not those that the notebook would give now."""

from __future__ import annotations

import threading
from typing import Any

import traitlets

from ..draw import clean
from ..draw.messages import listed, say
from .computation import Computation, UserError, for_page, user_error
from .protocol import on_message
from .widget import LiveView

OUTDATED = 1.0
"""A computation that has taken this many seconds is stopped in favour of a later point."""

_MOST_NAMES = 5


class SessionView(LiveView):
    """Shows what ``_session.compute`` returns for ``_session.state``.

    A message that moves something waits briefly for its result, so that a fast function is answered at once, in a
    single message. A slow one is answered without a result: ``computing`` then says that the picture is of an earlier
    point, further messages are accepted, and of the points that they lead to only the latest is computed.
    """

    _session: Any
    wait_seconds = 0.1
    outdated_seconds = OUTDATED
    stopped_words = "stopped"  # prefix of the keys of the sentences

    _locks = (*LiveView._locks, "_lock")
    _lock = traitlets.Instance(threading.Condition, ())  # guards everything that both threads touch
    _running = traitlets.Instance(Computation, allow_none=True)
    _again = traitlets.Bool()

    # ------------------------------------------------------------------ computing
    def _refresh(self) -> None:
        """Compute at the present point; if a computation for an earlier point is running, do so afterwards, and stop
        that one if it has taken long.
        """
        if self._running is not None:
            self._again = True
            if self._running.seconds > self.outdated_seconds:
                self._running.stop("outdated")
            return
        session, state = self._session, self._session.state  # the view may be closed before the thread begins
        self._running = Computation(lambda check: session.compute(state, check), self._computed, session.seconds)
        self._running.start()

    def _wait_a_little(self, seconds: float | None = None) -> None:
        """Wait briefly for a computation that has just begun; if it is slow, say so and let it go on."""
        running = self._running
        if running is None or self.computing:
            return
        try:
            self._lock.wait_for(lambda: self._running is None, self.wait_seconds if seconds is None else seconds)
        except KeyboardInterrupt:  # if the main thread handles messages
            running.stop("asked")
        if self._running is not None:
            self._tell(computing="running")
            self._running.guard()

    def _computed(self, computation: Computation[Any], outcome: Any) -> None:
        """Show the result; called in the thread of the computation."""
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
            return  # the next computation is the one that was asked for
        if outcome is None:
            words = say(f"{self.stopped_words}_{'asked' if why == 'outdated' else why}", seconds=self._session.seconds)
            outcome = UserError(say("stopped"), words)
        if isinstance(outcome, UserError):
            self._show_error(outcome)
        else:
            self._show_result(outcome)

    def _show_result(self, result: Any) -> None:
        """Publish the result."""
        raise NotImplementedError

    def _show_error(self, error: UserError) -> None:
        """Publish why there is no result: the picture is still that of the point before."""
        self._tell(error=for_page(error))

    def _go_on(self) -> None:
        """Compute again if the point was moved in the meantime."""
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
        """Stop the computation, show nothing more, and close the view."""
        with self._lock:
            if self._running is not None:
                self._running.stop("asked")
                self._running.guard()
            super().close()
            self._lock.notify_all()  # for those who wait for a result

    # ------------------------------------------------------------------ what has changed
    def _since(self) -> dict[str, Any]:
        """Sentences for the page, and whether computing again would take effect; empty if nothing has changed."""
        return stale(self._session)

    def look_again(self) -> None:
        """Check whether something has changed, and say so on the pages; called in the thread that runs the cells."""
        with self._lock, self.hold_sync():
            self._session.note_mode()
            self._tell(since=self._since())

    @on_message("hello")
    def _hello(self) -> None:
        """A page has opened, or wants to know whether the kernel answers."""
        self._tell(since=self._since())

    @on_message("again")
    def _compute_again(self) -> None:
        self._refresh()


def stale(session: Any) -> dict[str, Any]:
    """What has changed since a session computed: the ``text``, and whether it helps to compute ``again``."""
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
