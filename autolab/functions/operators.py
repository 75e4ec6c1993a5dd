"""Python's operators, but for those of `arithmetic.py`, and the array methods of Variable."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from ..engine import protocol
from ..engine.variable import Variable
from .arithmetic import set_operator
from .axes import squeeze, swapaxes
from .cumulative import cumprod, cumsum, prod
from .device_transfer import to_cpu, to_gpu
from .diagonals import diagonal, trace
from .division import floor_divide, remainder
from .exponentials import exp, log
from .extrema import max as _max
from .extrema import min as _min
from .indexing import getitem
from .logistic import sigmoid
from .methods import METHODS, PROPERTIES, transposed
from .numpy_names import copy as _copy
from .numpy_names import take
from .powers import abs as _abs
from .powers import pow, sqrt
from .products import dot, matmul
from .rectifiers import relu
from .reduce import mean, std, var
from .reduce import sum as _sum
from .repeating import repeat
from .rounding import round as _round
from .selection import clip
from .shape import reshape, transpose
from .softmaxes import softmax
from .sorting import sort
from .trig import cos, sin, tanh


def _method(function: Any) -> Callable[..., Any]:
    """A declared function of one input as a method, which takes the attributes by position as well."""
    first, *rest = inspect.signature(function).parameters.values()
    names = [p.name for p in rest]

    def method(self: Variable, /, *args: Any, **attributes: Any) -> Variable:
        if len(args) > len(names):
            raise TypeError(f"Variable.{function.__name__}: got {len(args)} arguments; expected {', '.join(names)}")
        return function(self, **dict(zip(names, args, strict=False)), **attributes)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [first, *[p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in rest]]
    )
    return method


def _reshape(self: Variable, *shape: Any) -> Variable:
    """``x.reshape(2, 3)``, ``x.reshape((2, 3))`` or ``x.reshape([2, 3])``; the same shape gives the same Variable."""
    wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    return self if wanted == self.shape else reshape(self, shape=wanted)


def _transpose(self: Variable, *axes: Any) -> Variable:
    """``x.transpose()``, ``x.transpose(1, 0, 2)`` or ``x.transpose((1, 0, 2))``."""
    wanted = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], list | tuple)) else axes
    return transpose(self, axes=tuple(wanted) if wanted else None)


@protocol.adapt(np.ravel)
def _ravel(self: Variable) -> Variable:
    """All elements along one axis."""
    return _reshape(self, -1)


def _rounded(self: Variable, ndigits: int | None = None) -> Variable:
    """``round(x)``, ``round(x, 2)``"""
    return _round(self, decimals=ndigits or 0)


def _clip(self: Variable, min: Any = None, max: Any = None) -> Variable:
    """The elements moved into the interval from ``min`` to ``max``; either may be None."""
    return clip(self, min, max)


def _getitem(self: Variable, index: Any) -> Variable:
    """``x[index]``; the index may hold Variables of integers or booleans."""
    return getitem(self, index=protocol.unwrap(index))


def _divmod(self: Variable, other: Any) -> tuple[Variable, Variable]:
    """``divmod(x, y)``"""
    return floor_divide(self, other), remainder(self, other)


def _iterate(self: Variable) -> Iterator[Variable]:
    if self.ndim == 0:
        raise TypeError("Variable: a value without axes cannot be iterated over")
    return (self[i] for i in range(len(self)))


def install() -> None:
    """Give Variable its other operators and its methods."""
    for name, operator in {"pow": pow, "matmul": matmul, "floordiv": floor_divide, "mod": remainder}.items():
        set_operator(name, operator)
    methods = (_sum, mean, var, std, prod, _max, _min, cumsum, cumprod)
    torch = (exp, log, sqrt, _abs, sin, cos, tanh, sigmoid, relu, softmax)
    for function in (*methods, *torch, _round, swapaxes, squeeze, repeat, diagonal, trace, sort):
        setattr(Variable, function.__name__, _method(function))
    special = {
        "pos": lambda self: self,
        "abs": _abs,
        "getitem": _getitem,
        "iter": _iterate,
        "round": _rounded,
    }
    for name, function in special.items():
        setattr(Variable, f"__{name}__", function)
    own = {"reshape": _reshape, "transpose": _transpose, "ravel": _ravel, "flatten": _ravel, "take": take, "dot": dot}
    own |= {"clip": _clip, "copy": _copy, "to_gpu": to_gpu, "to_cpu": to_cpu, "__divmod__": _divmod, **METHODS}
    for name, function in own.items():
        setattr(Variable, name, function)
    for name in PROPERTIES:
        setattr(Variable, name, property(attrgetter(f"_data.{name}"), doc=f"As ``numpy.ndarray.{name}``."))
    Variable.T, Variable.mT = property(transpose), property(transposed)  # type: ignore[assignment]
