"""``tensor.grad_fn``: the step that computed a tensor, under PyTorch's name for it."""

from __future__ import annotations

from ...authoring.base import Authored
from ...engine.creator import Creator
from ..table import made_by

_NAMES = dict(made_by("torch.autograd.names", __name__))


class GradFn(Creator):
    """A step of the graph.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> step = (x * 3).grad_fn
    >>> step, step.next_functions[0][0].name()
    (<MulBackward0>, 'AccumulateGrad')
    """

    def name(self) -> str:
        """Its name."""
        function = self.function
        if function is None:
            return "AccumulateGrad"
        if isinstance(function, Authored):
            return f"{function.name}Backward"
        words = "".join([part.capitalize() for part in function.name.split("_")])
        return f"{_NAMES.get(function.name, words)}Backward0"

    def __repr__(self) -> str:
        return f"<{self.name()}>"
