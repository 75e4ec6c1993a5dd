"""The last backward pass once more, to see what became of it on its way: nothing is stored, and nobody hears of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.backend import Array, get_array_module
from ...engine.backward import grad
from ...engine.node import Node
from ...engine.observe import BackwardEvent, observe, silence
from ...engine.variable import Variable
from .trace import Flow, State

MOST_STEPS = 20_000


def graph_of(output: Variable) -> set[Node]:
    """All nodes that a value depends on, its own too."""
    found: set[Node] = set()
    open_ = [output.node]
    while open_:
        node = open_.pop()
        if node is not None and node not in found:
            found.add(node)
            open_ += node.parents
    return found


def uses_array(nodes: set[Node], array: Array) -> bool:
    """Whether a graph keeps this very array, or a view of it, for its rules. Arrays on a GPU are not looked for."""
    if not isinstance(array, np.ndarray):
        return False
    kept = [saved for node in nodes for edge in node.edges for saved in _arrays(getattr(edge, "saved", None))]
    return any([np.may_share_memory(saved, array) for saved in kept])


def _arrays(saved: Any) -> list[np.ndarray]:
    if isinstance(saved, np.ndarray):
        return [saved]
    return [array for item in saved for array in _arrays(item)] if isinstance(saved, tuple | list) else []


def replay(output: Variable, target: Variable) -> Flow | None:
    """The flow of a backward pass from ``output``; None if it cannot be had again."""
    flow = Flow(starts={output.node})

    def hear(event: Any) -> None:
        if isinstance(event, BackwardEvent):
            _note(flow, event)

    start = output.grad if getattr(output.node, "given", False) else None
    try:
        with np.errstate(all="ignore"), silence, observe(hear):
            grad(output, target, start)
    except Exception:  # the user's own backward may refuse to run twice: then there is no explanation, and no error
        return None
    return flow


def _note(flow: Flow, event: BackwardEvent) -> None:
    node = event.node
    flow.upstream[node] = state_of(event.upstream)
    flow.names[node] = str(getattr(node.function, "name", type(node.function).__name__))
    for parent, share in zip(node.parents, event.gradients, strict=False):
        if share is not None:
            flow.arrivals.setdefault(parent, []).append((node, state_of(share)))


def state_of(g: Any) -> State:
    """The state of an array, of a Variable's, or of several together."""
    if isinstance(g, dict):
        states = [state_of(part) for part in g.values()]
        return State(all([s.zero for s in states]), all([s.finite for s in states]))
    array = g._data if isinstance(g, Variable) else g
    return State(not bool(array.any()), bool(get_array_module(array).isfinite(array).all()))
