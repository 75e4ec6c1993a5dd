"""Elementwise functions of one and of two tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import a_kind, get_array_module  # noqa: F401  # get_array_module is for table.txt
from ...functions import pytorch_names as _names  # noqa: F401  # for table.txt
from ..raw_errors import RAW, restated
from ..table import called, fill
from ._arguments import cast, floats, is_whole, number, of_floats, tensor_of, together
from ._tensor import Engine, Tensor, constant, dressed, plain, result
from ._types import numpy_dtype


def _unary(name: str, engine: Callable[[Any], Any], floating: bool) -> Callable[[Any], Any]:
    """A function of one tensor. With ``floating``, integers give floats; otherwise they stay integers."""

    def call(input: Any) -> Any:
        x = input if isinstance(input, Engine) else tensor_of(name, input)
        y = engine(floats(x) if floating and x._data.dtype.kind != "f" else x)
        if type(y) is Engine:
            y.__class__ = Tensor
        return y

    return _named(call, name, engine)


def _named(call: Any, name: str, engine: Any) -> Any:
    first = (getattr(engine, "__doc__", None) or "").strip().partition("\n\n")[0]
    return called(call, name, f"``torch.{name}``. {first}")


_INVERSE = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_SAME = "exp expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh erf erfc reciprocal sigmoid sinc"
_FLOATS = {name: getattr(F, name) for name in _SAME.split()}
_FLOATS |= {f"{prefix}{name}": getattr(F, f"arc{name}") for prefix in ("a", "arc") for name in _INVERSE}
_ANY = {name: getattr(F, name) for name in ("abs", "ceil", "floor", "neg", "relu")}
_ANY |= {"absolute": F.abs, "negative": F.neg}

UNARY = {name: _unary(name, engine, name in _FLOATS) for name, engine in {**_FLOATS, **_ANY}.items()}


def trunc(input: Any) -> Any:
    """Each element rounded towards 0; the gradient is 0."""
    x = tensor_of("trunc", input)
    return dressed(F.where(plain(x) < 0, F.ceil(x), F.floor(x)))


# ---------------------------------------------------------------------- two tensors
def binary(name: str, engine: Callable[[Any, Any], Any], floating: bool = False) -> Callable[[Any, Any], Any]:
    """A function of two tensors with type promotion; with ``floating``, the results are floats."""

    def call(input: Any, other: Any) -> Any:
        fit = False
        if isinstance(input, Engine) and (dtype := input._data.dtype).kind == "f":
            kind = type(other)
            fit = kind is float or kind is int or (isinstance(other, Engine) and other._data.dtype is dtype)
        y = engine(input, other) if fit else engine(*_brought_together(name, input, other, floating))
        if type(y) is Engine:
            y.__class__ = Tensor
            return y
        return result(y)

    return _named(call, name, engine)


def _first_where(ufunc: Any, a: Any, b: Any) -> Any:
    """The element for which a comparison holds: the first of equal ones, the other one if one is NaN."""
    x, y = plain(a), plain(b)
    return F.where(ufunc(x, y) | (y != y), a, b)


def _whole_at_nan(extreme: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The maximum or minimum of two tensors; where one element is NaN, both get the whole gradient."""

    def call(a: Any, b: Any) -> Any:
        y = extreme(a, b)
        is_nan = np.isnan(plain(y))
        return F.where(is_nan, F.add(a, b), y) if is_nan.any() else y

    call.__doc__ = extreme.__doc__
    return call


def _brought_together(name: str, a: Any, b: Any, floating: bool) -> list[Any]:
    """Two operands promoted to a common type; with ``floating``, to a floating-point type."""
    for place, x in (("input", a), ("other", b)):
        if not isinstance(x, Engine | int | float | np.ndarray | np.generic):
            raise TypeError(f"{name}: {place} is {a_kind(x)}; expected a tensor or a number")
    a, b = [floats(x) if floating and isinstance(x, Engine) else x for x in together(a, b)]
    if name in _DIVIDING and is_whole(a) and is_whole(b) and not np.all(plain(b)):
        raise RuntimeError(f"{name}: other has a 0, by which integers cannot be divided (ZeroDivisionError)")
    return [a, b]


_DIVIDING = {"floor_divide", "remainder", "fmod"}


mul = multiply = binary("mul", F.mul)
_pow = binary("pow", F.pow)
true_divide = binary("div", F.div, floating=True)
maximum = binary("maximum", _whole_at_nan(F.maximum))
minimum = binary("minimum", _whole_at_nan(F.minimum))
fmod = binary("fmod", F.fmod)
remainder = binary("remainder", F.remainder)
floor_divide = binary("floor_divide", F.floor_divide)
atan2 = arctan2 = binary("atan2", F.arctan2, floating=True)
_add = binary("add", F.add)
_sub = binary("sub", F.sub)


def _scaled(name: str, input: Any, other: Any, alpha: float) -> Any:
    """``alpha * other``"""
    if is_whole(input) and is_whole(other) and isinstance(alpha, float):
        raise RuntimeError(f"{name}: alpha is {alpha}; expected a whole number for tensors of integers")
    return mul(other, alpha) if isinstance(other, Engine) else other * alpha


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """``input / other``; with ``rounding_mode`` "floor" or "trunc", rounded down or towards 0."""
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError(f"div: rounding_mode is {rounding_mode!r:.60}; expected None, 'floor' or 'trunc'")
    a, b = together(input, other)
    if is_whole(a) and is_whole(b):
        return cast((a - fmod(a, b)) // b, a._data.dtype)  # a quotient of floats would lose digits
    return trunc(true_divide(a, b))


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Clamp each element to the interval from ``min`` to ``max``, which may be tensors; either may be None."""
    if min is None and max is None:
        raise ValueError("clamp: min and max are both None; expected at least one")
    x = tensor_of("clamp", input)
    for bound in (min, max):
        if bound is not None:
            x = together(x, bound)[0]
    bounds = [cast(bound, x._data.dtype) if isinstance(bound, Engine) else bound for bound in (min, max)]
    return dressed(F.clip(x, *bounds))


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of ``input`` where ``condition`` is true, else of ``other``. With ``condition`` alone, its indices."""
    if input is None and other is None:
        return result(plain(condition).nonzero())
    if tensor_of("where", condition, "condition")._data.dtype not in (np.bool_, np.uint8):
        raise RuntimeError(f"where: condition is of {condition.dtype}; expected booleans")
    neither = not isinstance(input, Engine) and not isinstance(other, Engine)
    a, b = together(number(input), number(other)) if neither else together(input, other)
    kind = next(x._data.dtype for x in (a, b) if isinstance(x, Engine))
    for given in (a, b):
        if isinstance(given, int) and kind.kind in "iu" and abs(given) > np.iinfo(kind).max + 1:
            raise RuntimeError(f"where: {given} does not fit into torch.{kind}")
    a, b = [x if isinstance(x, Engine) else constant(np.asarray(x).astype(kind)) for x in (a, b)]
    return dressed(F.where(condition._data != 0, a, b))


def _typed(function: str, input: Any, dtype: Any) -> Any:
    return of_floats(function, input if dtype is None else cast(input, numpy_dtype(function, dtype)))


def _axis(function: str, x: Any, dim: Any) -> int:
    tensor_of(function, x)
    if dim is None:
        raise TypeError(f"{function}: dim is missing; expected an axis, such as dim=1")
    return int(dim)


def _truth(name: str, ufunc: Any, of_two: bool) -> Callable[..., Any]:
    """A predicate for each element, or a comparison of each pair of elements."""

    def of_one(input: Any) -> Any:
        return constant(ufunc(tensor_of(name, input)._data))

    def of_pair(input: Any, other: Any) -> Any:
        try:
            a, b = together(input, other)
            if not isinstance(b, Engine) and a._data.dtype.kind in "iu":
                b = np.asarray(b).astype(a._data.dtype)
            return constant(ufunc(plain(a), plain(b)))
        except RAW as error:
            raise (restated(name, error, {"input": input, "other": other}) or error) from None

    words = ufunc.__name__.replace("_", " ")
    return called(of_pair if of_two else of_one, name, f"``torch.{name}``: {words} for each element, as a tensor.")


_UFUNCS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_UFUNCS |= {f"{kind}_{name}": f"{kind}_{name}" for kind in ("logical", "bitwise") for name in ("and", "or", "xor")}
COMPARISONS = {name: _truth(name, getattr(np, ufunc), True) for name, ufunc in _UFUNCS.items()}


QUESTIONS = {name: _truth(name, getattr(np, name), False) for name in ("isnan", "isfinite", "isinf", "logical_not")}


__getattr__ = fill(__name__)
