"""The parts of the live view that show a recording: the graph with its numbers, and the selected step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import traitlets

from ..display.messages import say
from ..display.scene import detail, readings, scene, structure
from ..recording.model import Recording
from ..recording.outline import Group
from .columns import in_columns, shaded
from .part import Part, obeys

MOST_BOXES = 1000
"""A picture with more boxes is not drawn: it would be slow, and nobody could find anything in it."""


class Picture(Part):
    """The graph: where everything stands, the numbers in it, and which of them changed.

    ``expanded`` are the groups of steps that the user left open, by the order of the graph; a graph of which nothing
    was opened or closed yet is not in it.
    """

    scene = traitlets.Dict().tag(sync=True, to_json=in_columns("nodes", "frames", "edges"))
    readings = traitlets.Dict().tag(sync=True, to_json=in_columns("nodes", each=shaded))
    changed: traitlets.List[Any] = traitlets.List().tag(sync=True)
    expanded = traitlets.Dict().tag(sync=True)
    notice = traitlets.Unicode().tag(sync=True)

    _drawn: tuple[Any, dict[str, Any]] = (None, {})

    def _open_groups(self, graph: Recording) -> frozenset[int]:
        """The open groups of the graph of the function, or of that of a derivative."""
        chosen = self.expanded.get(str(graph.order))
        return graph.outline.at_first() if chosen is None else frozenset(chosen)

    @property
    def _graphs(self) -> tuple[Recording, ...]:
        return self._recording, *self._recording.higher

    def _holder(self, recording: Recording, identity: int) -> int:
        """The box of the picture in which a step or group stands."""
        return recording.outline.holder(identity, self._open_groups(recording))

    def _holders(self, recording: Recording) -> dict[int, int]:
        """The box of every step."""
        return recording.outline.holders(self._open_groups(recording))

    @obeys("open", id=int)
    def _open(self, id: int) -> None:
        """Show what is in a group; all of it that fits where its own groups hold nothing but one group."""
        for graph in self._graphs:
            tree = graph.outline
            if id in tree.groups:
                self._expand(graph, {id, *tree.around(id), *only_children(tree.groups[id])})

    @obeys("close", id=int)
    def _close(self, id: int) -> None:
        """Show a group as one box; what was open in it is forgotten."""
        for graph in self._graphs:
            tree = graph.outline
            if id in tree.groups:
                closed = {other for other in tree.groups if other == id or id in tree.around(other)}
                self._show_groups(graph, self._open_groups(graph) - closed)

    @obeys("open all")
    def _open_all(self) -> None:
        for graph in self._graphs:
            self._expand(graph, {group.id for group in graph.outline.groups.values() if group.kind != "run"})

    @obeys("close all")
    def _close_all(self) -> None:
        for graph in self._graphs:
            self._show_groups(graph, frozenset())

    def _show_step(self, step: int) -> None:
        """Open what is around a step, and select it."""
        around = set(self._recording.outline.around(step))
        if not around <= self._open_groups(self._recording):
            self._expand(self._recording, around)
        self._obey({"do": "select", "id": step})

    def _expand(self, graph: Recording, more: Set[int]) -> None:
        """Open groups, unless that made a picture in which nobody finds anything."""
        expanded = self._open_groups(graph) | more
        count = graph.outline.size(expanded)
        if count > MOST_BOXES:
            self._publish({"notice": say("too_many_boxes", count=count, most=MOST_BOXES)})
        else:
            self._show_groups(graph, expanded)

    def _show_groups(self, graph: Recording, expanded: Set[int]) -> None:
        self._publish({"expanded": {**self.expanded, str(graph.order): sorted(expanded)}, "notice": ""})
        self._publish(self._shown(self._recording))

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


def only_children(group: Group) -> Iterator[int]:
    """The groups that are all that a group holds: opening it alone would show another closed box and nothing else."""
    while len(group.items) == 1 and isinstance(group.items[0], Group):
        group = group.items[0]
        yield group.id


class Selection(Part):
    """Everything about one step; it stands before `Picture` among the bases."""

    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    detail = traitlets.Dict().tag(sync=True)
    detail_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        shown = super()._shown(recording)
        return {**shown, **self._selection(recording, shown["scene"], self.selected)}

    @obeys("select", id=int)
    def _select(self, id: int) -> None:
        self._publish(self._selection(self._recording, self.scene, id))  # type: ignore[attr-defined]

    def _selection(self, recording: Recording, picture: Mapping[str, Any], node: int | None) -> dict[str, Any]:
        """The traits that show one box: that of the node, also in a derivative's graph, or else of the output."""
        for graph in recording.higher:
            if node in graph.outline.groups or any([s.id == node and s.order == graph.order for s in graph.steps]):
                box = graph.outline.holder(node, self._open_groups(graph))  # type: ignore[arg-type, attr-defined]
                facts, buffers = detail(graph, box, self.most_cells)
                return {"selected": box, "detail": facts, "detail_buffers": buffers}
        drawn = {shown["id"] for shown in picture["nodes"]}
        wished = [recording.outputs[0]] if node is None else [node, recording.outputs[0]]
        held = [self._holder(recording, identity) for identity in wished]  # type: ignore[attr-defined]
        chosen = next(box for box in held if box in drawn)
        facts, buffers = detail(recording, chosen, self.most_cells)
        return {"selected": chosen, "detail": facts, "detail_buffers": buffers}
