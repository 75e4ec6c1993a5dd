"""The methods of Variable: Python's special methods, those of NumPy arrays, and some from other libraries.

Binary operators are set next to their functions, by `arithmetic.set_operator`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dis import opmap
from operator import attrgetter
from typing import Any

import numpy as np

from ..engine import Array, Variable, in_own_words, listeners, numpy_protocol, wrap
from ..engine.arrays import plain
from ..engine.arrays import to_cpu as _in_main_memory
from ..engine.calls import LateSignature, signature_of
from ..engine.habits import instead
from ..engine.leaving import left
from ..engine.parts import DETACHED, ELEMENT, is_thrown_away
from ..engine.updates import METHODS as LEAF_METHODS
from .arrays.axes import squeeze, swapaxes
from .arrays.device_transfer import to_cpu, to_gpu
from .arrays.diagonals import diagonal, trace
from .arrays.indexing import getitem
from .arrays.joining import flat_shape
from .arrays.repeating import repeat
from .arrays.shape import cast, reshape, transpose
from .arrays.sorting import sort
from .elementwise.division import floor_divide, remainder
from .elementwise.exponentials import exp, log
from .elementwise.logistic import sigmoid
from .elementwise.powers import abs as _abs
from .elementwise.powers import sqrt
from .elementwise.rounding import round as _round
from .elementwise.selection import clip
from .elementwise.trig import cos, sin, tanh
from .in_place_names import set_elements
from .linear_algebra.products import dot
from .networks.rectifiers import relu
from .networks.softmaxes import softmax
from .numpy_names import copy as _copy
from .numpy_names import take
from .reductions.cumulative import cumprod, cumsum, prod
from .reductions.extrema import max as _max
from .reductions.extrema import min as _min
from .reductions.reduce import mean, std, var
from .reductions.reduce import sum as _sum


def detach(self: Variable) -> Variable:
    """A Variable with the same array, detached from the graph: no gradient flows through it. Nothing is copied.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable([1.0, 2.0])
    >>> (x * x).detach().requires_grad
    False
    """
    data = self._data
    detached = wrap(left(self, data) if listeners and self.node is not None else data, None)
    detached._taken = DETACHED
    return detached


def numpy(self: Variable) -> np.ndarray:
    """The values as a NumPy array, without the graph; from a GPU they are copied.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([1.0, 2.0]).numpy()
    array([1., 2.])
    """
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return _in_main_memory(data)


def tolist(self: Variable) -> Any:
    """The values as nested lists of Python numbers; for a 0-d value, the number.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([[1.0, 2.0]]).tolist()
    [[1.0, 2.0]]
    """
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return data.tolist()


def astype(self: Variable, dtype: Any, copy: bool = True) -> Variable:
    """Cast to another dtype. Casts to floating-point dtypes are differentiable; integers and booleans are constants.

    Parameters
    ----------
    dtype : dtype
    copy : bool
        If False, the Variable itself is returned if it already has the dtype.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([1.5, 2.5]).astype("float32").dtype, Variable([1.5, 2.5]).astype(int)
    (dtype('float32'), variable([1 2]))
    """
    wanted = np.dtype(dtype)
    if not copy and wanted == self.dtype:
        return self
    if wanted.kind not in "biu":
        return cast(self, dtype=wanted)
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return wrap(data.astype(wanted), None)


def formatted(self: Variable, spec: str) -> str:
    """``f"{loss:.3f}"`` for a value with one element; without a format, the same as `str`."""
    if not spec:
        return str(self)
    if self.size != 1:
        raise TypeError(
            f"Variable: format {spec!r:.40} for shape {self.shape}; expected one element. "
            "numpy.array2string(x.data, precision=3) shows them all"
        )
    number = self._data.item()
    return format(left(self, number) if listeners and self.node is not None else number, spec)


def _of_data(name: str) -> Callable[..., Any]:
    """An array method whose result is not differentiable."""

    def method(self: Variable, /, *args: Any, **options: Any) -> Array:
        return plain(getattr(self._data, name)(*args, **in_own_words(name, ("axis", "keepdims"), options)))

    method.__name__, method.__doc__ = name, f"As ``numpy.ndarray.{name}``: of the values, as an array without a graph."
    return method


def transposed(self: Variable) -> Variable:
    """The matrices of the last two axes, transposed."""
    return swapaxes(self, -1, -2)


PLAIN = ("all", "any", "argmax", "argmin", "argpartition", "nonzero", "searchsorted")
PROPERTIES = ("itemsize", "nbytes", "strides")

METHODS: dict[str, Callable[..., Any]] = {
    "__format__": formatted,
    "astype": astype,
    "detach": detach,
    "numpy": numpy,
    "to_numpy": numpy,
    "tolist": tolist,
    **{name: _of_data(name) for name in PLAIN},
}
"""Method name -> function."""


def _method(function: Any) -> Callable[..., Any]:
    """A declared function of one input as a method that accepts its attributes by position as well."""

    def method(self: Variable, /, *args: Any, **attributes: Any) -> Any:
        names = [*signature_of(function).parameters][1:] if args else []
        if len(args) > len(names):
            expected = ", ".join(names) + "".join([instead("keywords", name) for name in names])
            raise TypeError(f"Variable.{function.__name__}: got {len(args)} arguments; expected {expected}")
        return function(self, **dict(zip(names, args, strict=False)), **attributes)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    method.__signature__ = LateSignature.of(lambda: _by_position(function))  # type: ignore[attr-defined]
    return method


def _by_position(function: Any) -> inspect.Signature:
    first, *rest = signature_of(function).parameters.values()
    return inspect.Signature([first, *[p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in rest]])


def _reshape(self: Variable, *shape: Any, order: str = "C") -> Variable:
    """``x.reshape(2, 3)``, ``x.reshape((2, 3))`` or ``x.reshape([2, 3])``; the same shape gives the same Variable.

    With ``order="F"`` the first index changes fastest.
    """
    wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    if order != "C":
        if order != "F":
            raise ValueError(f"Variable.reshape: order is {order!r:.60}; expected 'C' or 'F'")
        return transpose(_reshape(transpose(self), *wanted[::-1]))
    return self if wanted == self.shape else reshape(self, shape=wanted)


def _transpose(self: Variable, *axes: Any) -> Variable:
    """``x.transpose()``, ``x.transpose(1, 0, 2)`` or ``x.transpose((1, 0, 2))``; two axes of more are swapped."""
    wanted = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], list | tuple)) else axes
    if len(axes) == 2 < self.ndim:
        return swapaxes(self, *axes)
    return transpose(self, axes=tuple(wanted) if wanted else None)


@numpy_protocol.adapt(np.ravel)
def _ravel(self: Variable, order: str = "C") -> Variable:
    """Flatten to one axis."""
    return _reshape(self, -1, order=order)


def flatten(self: Variable, start_dim: int | str = 0, end_dim: int = -1, order: str = "C") -> Variable:
    """Flatten to one axis; ``x.flatten(1)`` leaves the first axis as it is. As in NumPy, the first argument may also be
    an order, ``F`` or ``C``.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([[[1.0, 2.0], [3.0, 4.0]]]).flatten(1)
    variable([[1. 2. 3. 4.]])
    """
    if isinstance(start_dim, str) or order != "C":
        return _ravel(self, start_dim if isinstance(start_dim, str) else order)
    return _reshape(self, flat_shape(self.shape, start_dim, end_dim))


def _rounded(self: Variable, ndigits: int | None = None) -> Variable:
    """``round(x)``, ``round(x, 2)``"""
    return _round(self, decimals=ndigits or 0)


def _clip(self: Variable, min: Any = None, max: Any = None) -> Variable:
    """Limit the elements to the interval from ``min`` to ``max``; either may be None."""
    return clip(self, min, max)


def _getitem(self: Variable, index: Any) -> Variable:
    """``x[index]``; the index may contain Variables of integers or booleans."""
    y = getitem(self, index=numpy_protocol.unwrap(index))
    if y.node is None and not y._data.ndim:
        y._taken = ELEMENT
    return y


def _divmod(self: Variable, other: Any) -> tuple[Variable, Variable]:
    """``divmod(x, y)``"""
    return floor_divide(self, other), remainder(self, other)


_UNPACK = opmap["UNPACK_SEQUENCE"]


def _iterate(self: Variable) -> Iterator[Variable]:
    if self.ndim == 0:
        raise TypeError("Variable: a value without axes cannot be iterated over")
    frame = sys._getframe(1)
    step, count = frame.f_code.co_code[max(frame.f_lasti, 0) :][:2]
    if step == _UNPACK and count == 2 != len(self):
        raise ValueError(
            f"Variable: {len(self)} rows cannot be unpacked into two names. x.max(1) is NumPy's, which has one result; "
            "values, places = x.max(dim=1)"
        )
    return (self[i] for i in range(len(self)))


_sorted = _method(sort)


def _sort(self: Variable, *args: Any, **attributes: Any) -> Any:
    """As `sort`; of a statement ``x.sort()``, which NumPy's arrays and lists take for an order, says what to write."""
    if is_thrown_away(sys._getframe(1)):
        raise TypeError("Variable.sort: it gives sorted values, and x stays as it is; write x = x.sort()")
    return _sorted(self, *args, **attributes)


_sort.__doc__, _sort.__signature__ = _sorted.__doc__, _sorted.__signature__  # type: ignore[attr-defined]


def install() -> None:
    """Give Variable its methods."""
    methods = (_sum, mean, var, std, prod, _max, _min, cumsum, cumprod)
    torch = (exp, log, sqrt, _abs, sin, cos, tanh, sigmoid, relu, softmax)
    for function in (*methods, *torch, _round, swapaxes, squeeze, repeat, diagonal, trace):
        setattr(Variable, function.__name__, _method(function))
    special = {
        "pos": lambda self: self,
        "abs": _abs,
        "getitem": _getitem,
        "setitem": set_elements,
        "contains": lambda self, value: bool((self == value).any()),
        "iter": _iterate,
        "round": _rounded,
    }
    for name, function in special.items():
        setattr(Variable, f"__{name}__", function)
    own = {"reshape": _reshape, "transpose": _transpose, "ravel": _ravel, "flatten": flatten, "take": take, "dot": dot}
    own["sort"] = _sort
    own |= {
        "clip": _clip,
        "copy": _copy,
        "to_gpu": to_gpu,
        "to_cpu": to_cpu,
        "__divmod__": _divmod,
        **METHODS,
        **LEAF_METHODS,
    }
    for name, function in own.items():
        if function.__name__ == f"_{name}":
            function.__name__, function.__qualname__ = name, f"Variable.{name}"  # the name in Python's own messages
        setattr(Variable, name, function)
    for name in PROPERTIES:
        setattr(Variable, name, property(attrgetter(f"_data.{name}"), doc=f"As ``numpy.ndarray.{name}``."))
    Variable.T, Variable.mT = property(transpose), property(transposed)  # type: ignore[assignment]
