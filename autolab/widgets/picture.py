"""The parts of the live view that show a recording: the graph with its numbers, and the selected step."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

import traitlets

from ..display.answer import answer
from ..display.detail import detail, home
from ..display.readings import readings, view_scale
from ..display.scene import scene, structure
from ..display.tone import SCALES
from ..display.walk import Walk
from ..recording.model import Recording
from .board import SHOW
from .columns import in_columns, shaded
from .folding import Folding
from .part import Part, not_understood, obeys


class Picture(Folding):
    """The graph: where everything stands, the numbers in it, and which of them changed."""

    scene = traitlets.Dict().tag(sync=True, to_json=in_columns("nodes", "frames", "edges"))
    readings = traitlets.Dict().tag(sync=True, to_json=in_columns("nodes", each=shaded))
    changed: traitlets.List[Any] = traitlets.List().tag(sync=True)

    _drawn: tuple[Any, dict[str, Any]] = (None, {})

    @property
    def _graphs(self) -> tuple[Recording, ...]:
        return self._recording, *self._recording.higher

    def _holder(self, recording: Recording, identity: int) -> int:
        """The box of the picture in which a step or group stands."""
        return recording.outline.holder(identity, self._open_groups(recording))

    def _holders(self, recording: Recording) -> dict[int, int]:
        """The box of every step."""
        return recording.outline.holders(self._open_groups(recording))

    def _show_step(self, step: int) -> None:
        """Open what is around a step, and select it."""
        around = set(self._recording.outline.around(step))
        if not around <= self._open_groups(self._recording):
            self._expand(self._recording, around)
        self._obey({"do": "select", "id": step})

    def _folded(self) -> dict[str, Any]:
        return self._shown(self._recording)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        expanded = self._open_groups(recording)
        picture, numbers = self._scene(recording, expanded), readings(recording, expanded)
        same_picture = picture["key"] == self.scene.get("key")
        before = self.readings.get("nodes", {}) if same_picture else numbers["nodes"]
        changed = [int(k) for k, node in numbers["nodes"].items() if node != before[k]]
        return {**super()._shown(recording), "scene": picture, "readings": numbers, "changed": changed}

    def _scene(self, recording: Recording, expanded: frozenset[int]) -> dict[str, Any]:
        """The picture, which most moves leave as it was."""
        program = structure(recording), expanded
        if program != self._drawn[0]:
            self._drawn = program, scene(recording, expanded)
        return self._drawn[1]


class Selection(Part):
    """Everything about the chosen box, at first none.

    ``look``: whether values, gradients or both are shown of arrays, and on which scale their colours are.
    """

    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    detail = traitlets.Dict().tag(sync=True)
    detail_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)
    look = traitlets.Dict({"show": "both", "scale": "asinh"}).tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), **self._selection(recording, self.selected)}

    @obeys("select", id=(int, NoneType))
    def _select(self, id: int | None) -> None:
        """Choose a box, or none."""
        self._publish(self._selection(self._recording, id))

    @obeys("look", show=str, scale=str)
    def _choose_look(self, show: str, scale: str) -> None:
        """What is shown of arrays, and whether their colours follow the numbers evenly or by powers of ten."""
        if show not in SHOW or scale not in SCALES:
            raise not_understood({"do": "look", "show": show, "scale": scale})
        self._publish({"look": {"show": show, "scale": scale}})

    def _selection(self, recording: Recording, node: int | None) -> dict[str, Any]:
        """The traits that show the chosen box, that of the node in its graph; nothing, where it is drawn in none."""
        if node is not None:
            graph = home(recording, node)
            expanded = self._open_groups(graph)  # type: ignore[attr-defined]
            box, boxes = graph.outline.holder(node, expanded), graph.outline.holders(expanded)
            if box in boxes.values():
                walk = self._walk if graph is recording else Walk(graph)  # type: ignore[attr-defined]
                facts, buffers = answered(graph, walk, box, boxes, self.most_cells, view_scale(recording))
                return {"selected": box, "detail": facts, "detail_buffers": buffers}
        return {"selected": None, "detail": {}, "detail_buffers": []}


def answered(
    recording: Recording,
    walk: Walk,
    box: int,
    boxes: Mapping[int, int],
    most: int,
    scale: float | None = None,
) -> tuple[dict[str, Any], list[bytes]]:
    """Everything about a box for the page: where its gradient comes from, what it hands on, and its details."""
    facts, buffers = detail(recording, box, most, scale)
    return {**facts, "answer": answer(walk, box, boxes)}, buffers
