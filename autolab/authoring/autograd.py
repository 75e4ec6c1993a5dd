"""``autolab.autograd``: the functions and classes of ``torch.autograd``.

``autolab.Function``: chooses the base class that matches the form in which a function is written.
"""

from __future__ import annotations

from typing import Any

from ..engine import Variable, no_grad
from ..engine.grad import grad as _grad
from ..engine.habits import answering
from .array_function import Function as ArrayFunction
from .context_function import ContextFunction
from .simple_function import SimpleFunction


class _ByForm(type):
    """Makes a class a subclass of the base class that matches its form."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **options: Any) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, members)
        rest = tuple([base for base in bases if not isinstance(base, _ByForm)])
        return type(name, (*rest, _base_of(members)), members, **options)


def _base_of(members: dict[str, Any]) -> type:
    forward, backward = members.get("forward"), members.get("backward")
    if isinstance(forward, staticmethod) or isinstance(backward, staticmethod):
        return ContextFunction
    code = getattr(backward, "__code__", None)
    return ArrayFunction if code is not None and code.co_varnames[1:2] == ("inputs",) else SimpleFunction


class FunctionByForm(metaclass=_ByForm):
    """A function with a backward of its own, written as in PyTorch, DeZero or Chainer.

    With a static ``forward(ctx, ...)`` it becomes an `authoring.ContextFunction`, with ``forward(self, x, ...)`` and
    ``backward(self, gy, ...)`` an `authoring.SimpleFunction`, with ``backward(self, inputs, grad_outputs)`` an
    `authoring.Function`.

    Examples
    --------
    >>> import autolab
    >>> class Square(autolab.Function):
    ...     def forward(self, x):
    ...         return x ** 2
    ...     def backward(self, gy):
    ...         (x,) = self.inputs
    ...         return 2 * x * gy
    >>> Square()(autolab.Variable(3.0)), Square.__mro__[1].__name__
    (variable(9.0), 'SimpleFunction')
    """


Function = FunctionByForm

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
