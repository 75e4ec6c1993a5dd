"""``tensor.grad_fn``: the step that computed a tensor, under the name that PyTorch has for it."""

from __future__ import annotations

from typing import Any

from ...authoring.base import Authored
from ...engine.multi_output import OutputNode
from ...engine.node import Leaf
from ..table import made_by

_NAMES = dict(made_by("torch.autograd.names", __name__))


class GradFn:
    """A step of the graph.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> step = (x * 3).grad_fn
    >>> step, step.next_functions[0][0].name()
    (<MulBackward0>, 'AccumulateGrad')
    """

    def __init__(self, node: Any) -> None:
        self._node = node.parent if isinstance(node.function, OutputNode) else node

    def name(self) -> str:
        """Its name."""
        function = self._node.function
        if isinstance(self._node, Leaf) or function is None:
            return "AccumulateGrad"
        if isinstance(function, Authored):
            return f"{function.name}Backward"
        return f"{_NAMES.get(function.name) or _camel(function.name)}Backward0"

    @property
    def next_functions(self) -> tuple[tuple[GradFn, int], ...]:
        """The steps that computed its inputs, each with the number of the result that went in."""
        parents = self._node.parents
        return tuple([(GradFn(p), p.function.index if isinstance(p.function, OutputNode) else 0) for p in parents])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return f"<{self.name()}>"


def _camel(name: str) -> str:
    return "".join([part.capitalize() for part in name.split("_")])
