"""Values whose making nobody saw, found again in autograd's graph: of a user's ``Function``, of ``autograd.grad``."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..needed import UnsupportedError
from .known import Edge


def takes_context(function: Any) -> bool:
    """Whether the first parameter of a Function's forward is ``ctx``: where it has no ``setup_context``."""
    return function.setup_context is torch.autograd.Function.setup_context


@dataclass(frozen=True)
class Boundary:
    """``node`` hands the gradient of its input number ``place`` to ``edge``; a leaf of the graph is given as such."""

    node: Any
    place: int
    edge: Edge
    leaf: Tensor | None


def boundaries(start: Sequence[Any], known: Container[Edge], inner: Mapping[Any, str] | None = None) -> list[Boundary]:
    """Where the gradients from the nodes ``start`` leave for what is known, or for leaves.

    ``inner`` are nodes inside of steps: what goes through one of them is not told apart from the step's own.

    Raises
    ------
    UnsupportedError
        If they pass through one.
    """
    found: list[Boundary] = []
    waiting, seen = list(start), set(start)
    while waiting:
        node = waiting.pop()
        _refuse(node, inner or {})
        for place, (parent, number) in enumerate(node.next_functions):
            if parent is None:
                continue
            edge, leaf = (parent, number), getattr(parent, "variable", None)
            if edge in known or leaf is not None:
                found.append(Boundary(node, place, edge, leaf))
            elif parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return found


def nodes_between(start: Any, known: Container[Edge]) -> set[Any]:
    """The nodes of one call: from that of its result to what was known before it."""
    waiting, seen = [start], {start}
    while waiting:
        for parent, number in waiting.pop().next_functions:
            if parent is not None and (parent, number) not in known and parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return seen


def function_of(node: Any) -> type | None:
    """The user's class, where a node is that of a ``torch.autograd.Function``."""
    found = getattr(node, "_forward_cls", None)
    return found if isinstance(found, type) else None


def _refuse(node: Any, inner: Mapping[Any, str]) -> None:
    if node in inner:
        raise UnsupportedError(
            f"record: a second derivative goes through values inside of {inner[node]!r:.60}, which is one step; write "
            "it as its parts, such as log_softmax and nll_loss, or softmax and matmul"
        )
