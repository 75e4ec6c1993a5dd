"""Cutting a graph: what ``unchain`` and ``unchain_backward`` do."""

from __future__ import annotations

from typing import Any

from ...engine.node import Leaf, Node, Whole


class Cut:
    """Stands in the place of a function whose history was forgotten: no gradient passes it."""

    name = "cut"

    def pull(self, node: Node, g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """Nothing to hand on."""
        return []


_CUT = Cut()


def cut(node: Node) -> None:
    """Let the graph end at ``node``: what it was computed from may be freed."""
    if not isinstance(node, Whole):  # the walk follows the edges of a plain node, so one that leads nowhere is left
        node.rule = _passed_on
        node.fit = None
    node.parent, node.saved, node.more, node.function = Node.leaf(), None, None, _CUT


def cut_all(node: Node) -> None:
    """The same for ``node`` and for all that it was computed from."""
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here not in seen and not isinstance(here, Leaf):
            seen.add(here)
            waiting += here.parents
    for here in seen:
        cut(here)


def _passed_on(g: Any, saved: Any) -> Any:
    return g
