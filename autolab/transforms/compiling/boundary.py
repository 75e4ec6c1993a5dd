"""The boundary of a compiled function: whatever computed its inputs is not part of it, and may differ at each call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

from ...engine import Node, Variable, wrap
from ...engine.backward import gradients, watched_nodes
from ...engine.sliced_gradient import SlicedGradient
from ...engine.store import Gradients
from .call_tape import CallTape


def gradients_since(
    begin: int, ys: list[Variable], starts: list[Any], nodes: Iterable[Node | None], create_graph: bool = False
) -> Gradients:
    """The gradients of what existed before the function was called; the pass does not continue into earlier steps."""
    made = frozenset([node for node in nodes if node is not None and node.order])
    starts = [g if isinstance(g, Variable) else wrap(g, None) for g in starts]
    found = gradients(ys, starts, create_graph, made, begin if made else 0)
    return {node: g.whole() if type(g) is SlicedGradient else g for node, g in found.items()}


@contextmanager
def not_passed(earlier: Iterable[Node], tape: CallTape) -> Iterator[None]:
    """Refuse a backward pass inside that continues into what computed the inputs: at each call that may differ."""

    def tell(_: bool) -> None:
        tape.refuse("its backward pass continues into what computed its inputs")

    told = {ref(node): tell for node in earlier}
    watched_nodes.update(told)
    try:
        yield
    finally:
        for key in told:
            del watched_nodes[key]
