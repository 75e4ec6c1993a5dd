"""The parts of the live view that show a recording: the graph with its numbers, and the selected step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import traitlets

from ..display.scene import detail, readings, scene
from ..recording.model import Recording
from .part import Part, obeys


class Picture(Part):
    """The graph: where everything stands, the numbers in it, and which of them changed."""

    scene = traitlets.Dict().tag(sync=True)
    readings = traitlets.Dict().tag(sync=True)
    changed: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        picture, numbers = scene(recording), readings(recording)
        same_picture = picture["key"] == self.scene.get("key")
        before = self.readings.get("nodes", {}) if same_picture else numbers["nodes"]
        changed = [int(k) for k, node in numbers["nodes"].items() if node != before[k]]
        return {**super()._shown(recording), "scene": picture, "readings": numbers, "changed": changed}


class Selection(Part):
    """Everything about one step; it stands before `Picture` among the bases."""

    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    detail = traitlets.Dict().tag(sync=True)
    detail_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        shown = super()._shown(recording)
        return {**shown, **_selection(recording, shown["scene"], self.selected, self.most_cells)}

    def answerable(self) -> Iterator[dict[str, Any]]:
        yield from super().answerable()
        yield from ({"do": "select", "id": node["id"]} for node in self.scene["nodes"])  # type: ignore[attr-defined]

    @obeys("select", id=int)
    def _select(self, id: int) -> None:
        self._publish(_selection(self._recording, self.scene, id, self.most_cells))  # type: ignore[attr-defined]


def _selection(recording: Recording, picture: Mapping[str, Any], node: int | None, most: int) -> dict[str, Any]:
    """The traits that show one node; the output where there is no such node."""
    if node is None or all(node != shown["id"] for shown in picture["nodes"]):
        node = recording.outputs[0]
    facts, buffers = detail(recording, node, most)
    return {"selected": node, "detail": facts, "detail_buffers": buffers}
