"""The parts of the live view that keep the overview: search, colours by what flows, what is wrong, the first NaN."""

from __future__ import annotations

from collections import Counter
from typing import Any

import traitlets

from ..display.flow import MEASURES, flow
from ..display.health import SIGNS, findings, sentences, signs_at
from ..display.messages import say
from ..display.nan_path import nan_path, path_in_boxes
from ..display.search import matches
from ..recording.model import Recording
from .part import Part, not_understood, obeys

_LONGEST = 100  # characters of what is searched for


class Search(Part):
    """What is searched for, and where it was found; it stands before `Selection` among the bases.

    ``found``: the text, how many steps match, the number of the one that was gone to, and how many are in each box.
    """

    found = traitlets.Dict().tag(sync=True)

    _wanted = ""
    _at: int | None = None

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), "found": self._found(recording)}

    def _found(self, recording: Recording) -> dict[str, Any]:
        steps = matches(recording, self._wanted)
        at = self._at if self._at is not None and self._at < len(steps) else None
        boxes = Counter([self._holder(recording, step) for step in steps])  # type: ignore[attr-defined]
        return {"text": self._wanted, "count": len(steps), "at": at, "boxes": {str(k): n for k, n in boxes.items()}}

    @obeys("find", text=str)
    def _find(self, text: str) -> None:
        self._wanted, self._at = text[:_LONGEST], None
        self._publish({"found": self._found(self._recording)})

    @obeys("go", by=int)
    def _next_match(self, by: int) -> None:
        """Go to the next match, or back; its groups are opened, and it is selected."""
        steps = matches(self._recording, self._wanted)
        if steps:
            self._at = (0 if by > 0 else -1) % len(steps) if self._at is None else (self._at + by) % len(steps)
            self._show_step(steps[self._at])  # type: ignore[attr-defined]
            self._publish({"found": self._found(self._recording)})


class Flow(Part):
    """Colours and widths by a measure, signs for what is wrong, and the path of the first NaN.

    ``flow`` is empty while nothing is chosen; ``path`` while it is not asked for.
    """

    flow = traitlets.Dict().tag(sync=True)
    health = traitlets.Dict().tag(sync=True)
    path = traitlets.Dict().tag(sync=True)

    _by: Any = None
    _with_path = False

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), **self._flow(recording), "health": self._health(recording)}

    def _flow(self, recording: Recording) -> dict[str, Any]:
        expanded = self._open_groups(recording)  # type: ignore[attr-defined]
        return {
            "flow": {} if self._by is None else flow(recording, self._by, expanded),
            "path": self._path(recording) if self._with_path else {},
        }

    def _health(self, recording: Recording) -> dict[str, Any]:
        """The signs of every box, the sentences, and whether there is a NaN whose path could be shown."""
        found = findings(recording)
        signs = signs_at(found, self._holders(recording))  # type: ignore[attr-defined]
        told = [[SIGNS[sign], sentence] for sign, sentence in sentences(recording, found)]
        measures = [[by, say(f"flow_{by}")] for by in MEASURES]
        has_nan = any(finding.sign == "nan" for finding in found)
        return {"signs": signs, "told": told, "none": say("health_none"), "measures": measures, "nan": has_nan}

    def _path(self, recording: Recording) -> dict[str, Any]:
        path = nan_path(recording)
        return {} if path is None else path_in_boxes(path, self._holders(recording))  # type: ignore[attr-defined]

    @obeys("colour", by=(str, type(None)))
    def _colour(self, by: str | None) -> None:
        if by is not None and by not in MEASURES:
            raise not_understood({"do": "colour", "by": by})
        self._by = by
        self._publish(self._flow(self._recording))

    @obeys("path", show=bool)
    def _show_path(self, show: bool) -> None:
        """Show the path of the first NaN: its box is opened and selected."""
        self._with_path = show
        path = nan_path(self._recording) if show else None
        if path is not None:
            self._show_step(path["born"])  # type: ignore[attr-defined]
        self._publish(self._flow(self._recording))
