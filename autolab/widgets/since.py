"""The part of the live view that says when its numbers are not those that the notebook would give now."""

from __future__ import annotations

from typing import Any

import traitlets

from ..display.escape import clean
from ..display.messages import say
from ..recording.model import Recording
from .part import Part, obeys

_MOST_NAMES = 5


class Since(Part):
    """What has changed in the notebook since the picture was computed.

    ``since`` holds sentences for the page and whether computing again would follow; it is empty while nothing has.
    """

    needs_session = True

    since = traitlets.Dict().tag(sync=True)
    _lock: Any

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), "since": self._since()}

    def _since(self) -> dict[str, Any]:
        session = self._session
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

    def look_again(self) -> None:
        """In the thread that runs the cells: see whether something has changed, and say so on the pages."""
        with self._lock, self.hold_sync():
            self._session.note_mode()
            self._publish({"since": self._since()})

    @obeys("hello")
    def _hello(self) -> None:
        """A page has opened, or is not sure that somebody answers."""
        self._publish({"since": self._since()})

    @obeys("again")
    def _compute_again(self) -> None:
        self._refresh()


def _listed(names: list[str]) -> str:
    shown = [clean(name, 60) for name in names[:_MOST_NAMES]]
    return ", ".join(shown + (["\u2026"] if len(names) > _MOST_NAMES else []))
