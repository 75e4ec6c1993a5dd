"""The part of a live view that opens and closes groups of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

import traitlets

from ..display.messages import say
from ..recording.model import Recording
from ..recording.outline import Group
from .part import Part, obeys

MOST_BOXES = 1000
"""A picture with more boxes is not drawn: it would be slow, and nobody could find anything in it."""


class Folding(Part):
    """Which groups of steps stand open; who uses it has the ``_graphs`` and says what is shown of them.

    ``expanded`` are the groups that the user left open, by the order of the graph; a graph of which nothing was opened
    or closed yet is not in it.
    """

    expanded = traitlets.Dict().tag(sync=True)
    notice = traitlets.Unicode().tag(sync=True)

    @property
    def _graphs(self) -> Sequence[Recording]:
        """The graphs that are drawn."""
        raise NotImplementedError

    def _folded(self) -> dict[str, Any]:
        """The traits that show the graphs, with the groups that are open now."""
        raise NotImplementedError

    def _open_groups(self, graph: Recording) -> frozenset[int]:
        """The open groups of the graph of the function, or of that of a derivative."""
        chosen = self.expanded.get(str(graph.order))
        return graph.outline.at_first() if chosen is None else frozenset(chosen)

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
        self._publish(self._folded())


def only_children(group: Group) -> Iterator[int]:
    """The groups that are all that a group holds: opening it alone would show another closed box and nothing else."""
    while len(group.items) == 1 and isinstance(group.items[0], Group):
        group = group.items[0]
        yield group.id
