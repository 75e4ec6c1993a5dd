"""Where a compiled function begins: what computed its inputs is not part of it, and another time is something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

from ...engine.backward import gradients, watched_nodes
from ...engine.node import Node
from ...engine.store import Gradients
from ...engine.variable import Variable, wrap
from .call_tape import CallTape


def gradients_since(begin: int, ys: list[Variable], starts: list[Any], nodes: Iterable[Node | None]) -> Gradients:
    """The gradients of what was there before the function was called: no pass goes on into what made its inputs."""
    made = frozenset([node for node in nodes if node is not None and node.order])
    return gradients(ys, [wrap(g, None) for g in starts], False, made, begin if made else 0)


@contextmanager
def not_passed(earlier: Iterable[Node], tape: CallTape) -> Iterator[None]:
    """Refuse where a backward pass inside goes on into what computed the inputs: another time that is another graph."""

    def tell(_: bool) -> None:
        tape.refuse("its backward pass goes on into what computed its inputs")

    told = {ref(node): tell for node in earlier}
    watched_nodes.update(told)
    try:
        yield
    finally:
        for key in told:
            del watched_nodes[key]
