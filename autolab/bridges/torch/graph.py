"""graph(): the existing graph of a tensor, as far as PyTorch still has it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from torch import Tensor
from torch.nn import Module

from ...engine import a_kind
from ...recording.drafts import Draft, Use
from ...recording.graph import graph_recording
from ...recording.locate import CodePosition
from ...recording.model import Recording
from ...recording.step_text import expression_of
from ..library import LibraryBudget
from ..run import BUDGET
from .edges import Edge, edge_of, function_of, saved_by
from .inputs import TORCH, needs_gradient

_UNKNOWN = "?"
_OPERATORS = {"mm": "matmul", "mv": "matmul", "dot": "matmul", "bmm": "matmul"}


def graph(y: Tensor, /, **named: Tensor) -> Recording:
    """The existing graph of a tensor, without running anything again.

    PyTorch keeps the values that gradients need, until a backward pass frees them, and the gradients of leaves and of
    tensors with ``retain_grad()``. The values of the caller's variables are also known, and the parameters of the
    caller's modules by their names. Other values are not shown, constants are shown as ``?``, and functions have the
    names in ``grad_fn``. `record` knows more.

    Parameters
    ----------
    y : Tensor
        A tensor with a graph: one that requires a gradient.
    **named : Tensor
        Names for values; others have the names of the caller's variables.

    Returns
    -------
    Recording

    Raises
    ------
    TypeError
        If ``y`` or one of ``named`` is not a tensor.
    ValueError
        If ``y`` has no graph.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import graph
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * x + 1
    >>> [step.source or step.name for step in graph(y).steps]
    ['x', 'x * x', '(x * x) + ?']
    """
    return graph_in(sys._getframe(1), y, named)


def graph_in(frame: FrameType, y: Tensor, named: Mapping[str, Tensor]) -> Recording:
    """`graph` for the code that runs in ``frame``, whose variables provide the names."""
    for what, value in {"y": y, **named}.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"graph: {what} is {a_kind(value)}; expected a tensor")
    if not needs_gradient(y):
        raise ValueError("graph: y has no graph: it requires no gradient, or was detached")
    return _TorchGraph(y, [*named.items(), *_variables_in(frame)]).recording()


def _variables_in(frame: FrameType) -> list[tuple[str, Tensor]]:
    """The tensors that are variables of a frame, and the parameters of the modules that are."""
    known = {name: value for name, value in {**frame.f_globals, **frame.f_locals}.items() if name[0] != "_"}
    found = [(name, value) for name, value in frame.f_locals.items() if name in known and isinstance(value, Tensor)]
    for name, value in known.items():
        if isinstance(value, Module):
            prefix = "" if name == "self" else f"{name}."
            found += [(prefix + key, parameter) for key, parameter in value.named_parameters()]
    return found


class _TorchGraph:
    """The nodes of autograd's graph as steps, operands before users."""

    def __init__(self, y: Tensor, known: Sequence[tuple[str, Tensor]]) -> None:
        edge = edge_of(y)
        assert edge is not None
        self._root, self._budget = edge, LibraryBudget(BUDGET, TORCH)
        self._nodes = _ordered(edge[0])
        self._used: set[Edge] = {edge, *[parent for node in self._nodes for parent in node.next_functions]}
        self._values: dict[Edge, Tensor] = {}
        self._names: dict[Edge, str] = {}
        for node in self._nodes:
            self._values.update({at: t for t in saved_by(node) if (at := edge_of(t)) is not None})
        nodes = set(self._nodes)
        leaves = [("", node.variable) for node in self._nodes if hasattr(node, "variable")]
        for name, tensor in [*known, ("", y), *leaves]:
            at = edge_of(tensor)
            if at is not None and at[0] in nodes:
                self._values[at] = tensor
                if name:
                    self._names.setdefault(at, name)

    def recording(self) -> Recording:
        """The graph as plain data."""
        self._drafts: list[Draft] = []
        self._ids: dict[Edge, int] = {}
        for node in self._nodes:
            self._add(node)
        name, output = self._names.get(self._root, "graph"), self._ids[self._root]
        return graph_recording(name, self._drafts, output, self._budget, "not_retained")

    def _add(self, node: Any) -> None:
        if hasattr(node, "variable"):
            self._draft((node, 0), "leaf", None, [])
            return
        draft = self._draft((node, 0), "call", _title(node), list(self._uses(node)))
        draft.place = CodePosition("", 0, source=expression_of(draft, self._drafts))
        if len(node._input_metadata) > 1:
            draft.name = draft.value = draft.grad = None
            for number in sorted([number for user, number in self._used if user is node]):
                part = self._draft((node, number), "part", draft.function, [Use("part", draft.id, None)])
                part.place = draft.place

    def _draft(self, edge: Edge, kind: Any, function: str | None, uses: list[Use]) -> Draft:
        tensor = self._values.get(edge)
        draft = Draft(len(self._drafts), kind, function, self._names.get(edge), uses, None, requires_grad=True)
        if tensor is not None:
            g = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
            draft.value, draft.grad = self._budget.snapshot(tensor), g if g is None else self._budget.snapshot(g)
        self._drafts.append(draft)
        self._ids[edge] = draft.id
        return draft

    def _uses(self, node: Any) -> Iterator[Use]:
        for i, edge in enumerate(node.next_functions):
            label = f"inputs[{i}]"
            yield Use(label, None, _UNKNOWN) if edge[0] is None else Use(label, self._ids[edge], None)


def _ordered(root: Any) -> list[Any]:
    """All nodes below, operands before users; without recursion."""
    found: dict[Any, None] = {}
    waiting: list[tuple[Any, bool]] = [(root, False)]
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            found.setdefault(node)
        elif node not in found:
            waiting.append((node, True))
            waiting += [(parent, False) for parent, _ in reversed(node.next_functions) if parent is not None]
    return list(found)


def _title(node: Any) -> str:
    """``exp`` for ``ExpBackward0``; the name of a user's Function."""
    cls = function_of(node)
    if cls is not None:
        return cls.__name__
    name = str(node.name()).rpartition("::")[2].rpartition("Backward")[0]
    name = "".join([f"_{c.lower()}" if c.isupper() else c for c in name]).lstrip("_")
    return _OPERATORS.get(name, name)
