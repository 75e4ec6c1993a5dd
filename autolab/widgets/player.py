"""The parts of the live view that walk through a recording: the player, and the source with its lines."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

import traitlets

from ..display.frames import frame
from ..display.groups import results
from ..display.listing import listing
from ..display.messages import say
from ..display.sheet import MAX_CELLS
from ..display.walk import Walk
from ..recording.model import Recording
from .part import Part, obeys

_SAVED = 600  # a saved page holds the walk if it has at most so many moments
_WORDS = ("not_yet", "absent", "follow", "walk_rest", "walk_rest_forward", "walk_rule")


class Player(Part):
    """Where the view stands in the walk forward and backward; it stands before `Selection` among the bases.

    ``frame`` is empty while the view rests and shows everything.
    """

    plan = traitlets.Dict().tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)
    frame_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)
    listing = traitlets.Dict().tag(sync=True)

    _walk: Walk
    _boxes: Mapping[int, int]
    _results: Mapping[int, int]
    _moment: int | None = None
    _pick: Any = None

    def _shown(self, recording: Recording) -> dict[str, Any]:
        self._walk, self._boxes = Walk(recording), self._holders(recording)  # type: ignore[attr-defined]
        self._results = results(recording, self._open_groups(recording))  # type: ignore[attr-defined]
        if self._moment is not None and self._moment >= len(self._walk):
            self._moment = None
        words = {key: say(key) for key in _WORDS}
        plan = {**self._walk.plan(self._boxes, self._results), "words": words, "saved": len(self._walk) <= _SAVED}
        shown = super()._shown(recording)
        return {**shown, "plan": plan, "listing": listing(recording, self._boxes), **self._frame()}

    def _frame(self) -> dict[str, Any]:
        if self._moment is None:
            return {"frame": {}, "frame_buffers": []}
        cells = min(self.most_cells, MAX_CELLS)
        told, buffers = frame(self._walk, self._moment, self._boxes, self._pick, cells, self._results)
        return {"frame": told, "frame_buffers": buffers}

    @obeys("walk", to=(int, NoneType), pick=(list, tuple, NoneType))
    def _go(self, to: int | None, pick: Any) -> None:
        """Go to a moment; past the last one, or for None, the view rests."""
        at_rest = to is None or not 0 <= to < len(self._walk)
        self._moment, self._pick = (None if at_rest else to), _understood(pick)
        self._publish(self._frame())

    def _select(self, id: int | None) -> None:
        """While walking, choosing a step goes to the moment that is about it."""
        super()._select(id)  # type: ignore[misc]
        step = None if id is None else self._results.get(id, id)
        if self._moment is not None and step in self._walk.steps:
            self._go(self._walk.find(step, self._moment), None)


def _understood(pick: Any) -> Any:
    """A cell as the page names it; None for anything else."""
    match pick:
        case ["out" | "in" as space, row, column] if type(row) is type(column) is int:
            return space, row, column
    return None
