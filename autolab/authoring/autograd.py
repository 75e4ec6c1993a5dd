"""``autolab.autograd``: the functions and classes of ``torch.autograd``."""

from __future__ import annotations

from typing import Any

from ..engine import Variable, no_grad
from ..engine.grad import grad as _grad
from ..engine.habits import answering
from .by_form import FunctionByForm as Function

__path__: list[str] = []  # so that ``import autolab.autograd.functional`` calls `__getattr__` below
__all__ = ["Function", "Variable", "backward", "grad", "no_grad"]


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, **options: Any) -> tuple[Any, ...]:
    """`autolab.grad`, which here returns a tuple even for a single input."""
    found = _grad(outputs, inputs, grad_outputs, **options)
    return found if isinstance(found, tuple) else (found,)


def backward(tensors: Any, grad_tensors: Any = None, **options: Any) -> None:
    """``y.backward(g)`` for a Variable, or for each of a sequence."""
    several = isinstance(tensors, list | tuple)
    starts = (grad_tensors or [None] * len(tensors)) if several else [grad_tensors]
    for y, g in zip(tensors if several else [tensors], starts, strict=True):
        y.backward(gradient=g, **options)


__getattr__ = answering(__name__, "autograd", __name__.partition(".")[0])
