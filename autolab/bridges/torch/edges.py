"""Autograd's graph: where gradients arrive, which step of a recording a tensor is, and what a value was computed from.

A tensor is a step as long as it is what it was when the step was recorded. Values whose computation was not observed,
from a user's ``Function`` or ``autograd.grad``, are found in the graph. Its nodes also know what they keep for
backward.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge

from ..needed import UnsupportedError
from .inputs import needs_gradient, tensors_in

Edge = tuple[Any, int]
"""Where a gradient arrives: a node of autograd's graph, and the index of its result."""


def edge_of(tensor: Tensor) -> Edge | None:
    """The edge at which the gradient of a tensor arrives; None if the tensor needs none."""
    if not needs_gradient(tensor):
        return None
    with torch.enable_grad():  # for a leaf, it makes a view and inspects that
        edge = get_gradient_edge(tensor)
    return edge.node, edge.output_nr


@dataclass
class _KnownTensor:
    """A reference to ``tensor`` is kept, so that its id cannot be reused."""

    step: int
    tensor: Tensor
    version: int
    edge: Edge | None


class KnownTensors:
    """The tensors that are steps.

    Attributes
    ----------
    edges : dict
        The step of every edge at which a gradient arrives.
    """

    def __init__(self) -> None:
        self._entries: dict[int, _KnownTensor] = {}
        self.edges: dict[Edge, int] = {}

    def add(self, step: int, tensor: Tensor) -> None:
        """Note that the tensor, as it is now, is that step."""
        edge = edge_of(tensor)
        self._entries[id(tensor)] = _KnownTensor(step, tensor, tensor._version, edge)
        if edge is not None:
            self.edges[edge] = step

    def __contains__(self, tensor: Tensor) -> bool:
        return id(tensor) in self._entries

    def step_of(self, tensor: Tensor) -> int | None:
        """The step of a tensor; None if it is not a step, or has since become another value.

        Raises
        ------
        UnsupportedError
            If it was changed where that is not observed: through a view, or under ``no_grad``.
        """
        entry = self._entries.get(id(tensor))
        if entry is None:
            return None
        same_edge, same_version = entry.edge == edge_of(tensor), entry.version == tensor._version
        if same_edge and (same_version or not tensor.requires_grad):
            return entry.step if same_version else None  # an updated buffer is a new constant
        if tensor._is_view() and not same_version:
            raise UnsupportedError(
                f"record: a view of shape {tuple(tensor.shape)} and what it is a view of share their numbers, and one "
                "of them was changed in place; use an operation that makes a new tensor, or clone()"
            )
        if same_edge:
            raise UnsupportedError(
                f"record: a tensor of shape {tuple(tensor.shape)} was changed in place where autograd does not see it "
                "(.data, no_grad or NumPy); its gradient would belong to other numbers"
            )
        return None

    def tensors(self) -> list[tuple[int, Tensor]]:
        """All steps with their tensors."""
        return [(entry.step, entry.tensor) for entry in self._entries.values()]


def boundaries(start: Sequence[Any], known: Container[Edge]) -> Iterator[tuple[Any, int, Edge]]:
    """Where gradients from the nodes ``start`` reach known values or leaves: each node with the index of an input, and
    the edge to which it passes that input's gradient.
    """
    for node in nodes_between(start, known):
        for place, edge in enumerate(node.next_functions):
            if edge[0] is not None and (edge in known or hasattr(edge[0], "variable")):
                yield node, place, edge


def passed_on(edge: Edge, g: Tensor, ends: Container[Edge]) -> Iterator[tuple[Any, int, Edge, Tensor]]:
    """The gradients that reach ``ends`` if ``g`` arrives at an edge: those of `boundaries`, each with its share of
    ``g``. No hook sees them.
    """
    nodes = set(nodes_between([edge[0]], ends))
    missing = Counter([parent for node in nodes for parent, _ in node.next_functions])
    arrived: dict[Any, dict[int, Tensor]] = {edge[0]: {edge[1]: g}}
    ready = [edge[0]]
    while ready:
        node = ready.pop()
        given = arrived.pop(node, {})
        passed = node(*[given.get(i) for i in range(len(node._input_metadata))]) if given else None
        shares = passed if isinstance(passed, tuple) else (passed,) * len(node.next_functions)
        for place, (below, share) in enumerate(zip(node.next_functions, shares, strict=True)):
            if share is not None and below[0] is not None:
                if below in ends:
                    yield node, place, below, share
                else:
                    sums = arrived.setdefault(below[0], {})
                    sums[below[1]] = sums[below[1]] + share if below[1] in sums else share
            missing[below[0]] -= 1
            if not missing[below[0]] and below[0] in nodes:
                ready.append(below[0])


def nodes_between(start: Sequence[Any], known: Container[Edge]) -> list[Any]:
    """The nodes of one call: from those of its results, which come first, to those known before it."""
    found, waiting, seen = [], list(start), set(start)
    while waiting:
        found.append(waiting.pop())
        for parent, number in found[-1].next_functions:
            if parent is not None and (parent, number) not in known and parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return found


def used_inside(results: Mapping[int, Any], known: Container[Edge]) -> set[int]:
    """The results from which a call computes another of its results, given the nodes of all: an LSTM cell computes
    ``h`` from its ``c``.
    """
    nodes = {node for node in results.values() if node is not None}
    inside = {inner for node in nodes for inner in nodes_between([node], known)[1:]} if len(nodes) > 1 else set()
    return {step for step, node in results.items() if node in inside}


def function_of(node: Any) -> type | None:
    """The user's class, if a node belongs to a ``torch.autograd.Function``; else None."""
    found = getattr(node, "_forward_cls", None)
    return found if isinstance(found, type) else None


def saved_by(node: Any) -> Iterator[Tensor]:
    """The tensors that a node keeps for its gradient, as long as it has them."""
    kind: Any = type(node)
    for name in _names(kind):
        try:
            yield from tensors_in([getattr(node, name)])
        except RuntimeError:  # changed in place, as backward reports, or freed by it
            continue


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple([name for name in dir(kind) if name.startswith("_saved_") or name == "saved_tensors"])
