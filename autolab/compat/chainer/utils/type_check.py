"""``chainer.utils.type_check``: what `check_type_forward` of a function checks, and how it complains.

An expression knows its value and how it was written::

    >>> import numpy as np
    >>> from autolab.compat.chainer.utils import type_check
    >>> in_types = type_check.get_types((np.ones((2, 3)),), "in_types", False)
    >>> type_check.expect(in_types.size() == 1, in_types[0].ndim == 2)
    >>> type_check.expect(in_types[0].shape[1] == 4)
    Traceback (most recent call last):
    autolab.compat.chainer.utils.type_check.InvalidType: Expect: in_types[0].shape[1] == 4
    Actual: 3 != 4
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....engine.backend import is_array
from ....engine.variable import Variable as _Engines


class InvalidType(TypeError, ValueError):
    """The inputs of a function do not fit it.

    Attributes
    ----------
    expect, actual : str
    """

    def __init__(self, expect: Any, actual: Any = "", msg: str | None = None) -> None:
        super().__init__(f"Expect: {expect}\nActual: {actual}" if msg is None else msg)
        self.expect, self.actual = expect, actual


class TypeInfo(NamedTuple):
    """Shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


class Expr:
    """A value, and the text of the expression that gives it."""

    def __init__(self, value: Any, text: str) -> None:
        self._value, self._text = value, text

    def eval(self) -> Any:
        """The value."""
        return self._value

    def __str__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("__"):
            raise AttributeError(name)
        return Expr(getattr(self._value, name), f"{self}.{name}")

    def __getitem__(self, key: Any) -> Expr:
        return Expr(self._value[eval(key)], f"{self}[{_text(key)}]")

    def __len__(self) -> int:
        return len(self._value)

    def __call__(self, *args: Any) -> Expr:
        return Expr(self._value(*map(eval, args)), f"{self}({', '.join(map(_text, args))})")

    def __bool__(self) -> bool:
        raise RuntimeError(f"type_check: {self} is an expression; it goes to type_check.expect, or type_check.eval")

    __hash__ = None  # type: ignore[assignment]  # expressions are compared by what they say


class Condition(Expr):
    """A comparison, which can be expected."""

    def __init__(self, left: Any, right: Any, signs: tuple[str, str], compare: Callable[[Any, Any], Any]) -> None:
        a, b = eval(left), eval(right)
        super().__init__(bool(compare(a, b)), f"{_text(left)} {signs[0]} {_text(right)}")
        self._actual = f"{a} {signs[1]} {b}"

    def expect(self) -> None:
        """Raise unless it holds."""
        if not self._value:
            raise InvalidType(str(self), self._actual)


def _arithmetic(sign: str, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def forward(self: Expr, other: Any) -> Expr:
        return Expr(compute(self._value, eval(other)), f"({self} {sign} {_text(other)})")

    def reflected(self: Expr, other: Any) -> Expr:
        return Expr(compute(eval(other), self._value), f"({_text(other)} {sign} {self})")

    return forward, reflected


def _comparison(sign: str, contrary: str, compare: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: Condition(self, other, (sign, contrary), compare)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**"}
for _name, _sign in _SIGNS.items():
    _forward, _reflected = _arithmetic(_sign, getattr(operator, _name))
    setattr(Expr, f"__{_name}__", _forward)
    setattr(Expr, f"__r{_name}__", _reflected)
_COMPARISONS = {"eq": ("==", "!="), "ne": ("!=", "=="), "lt": ("<", ">="), "le": ("<=", ">"), "gt": (">", "<=")}
for _name, (_sign, _contrary) in {**_COMPARISONS, "ge": (">=", "<")}.items():
    setattr(Expr, f"__{_name}__", _comparison(_sign, _contrary, getattr(operator, _name)))

Variable = Expr


class TypeInfoTuple(tuple[Any, ...]):
    """The types of all inputs, as expressions."""

    name = "in_types"

    def size(self) -> Expr:
        """How many inputs there are."""
        return Expr(len(self), f"{self.name}.size()")


def get_types(data: Sequence[Any], name: str, accept_none: bool) -> TypeInfoTuple:
    """The types of arrays as expressions that are called ``name[i]``."""
    found = TypeInfoTuple([_type(value, f"{name}[{i}]", accept_none) for i, value in enumerate(data)])
    found.name = name
    return found


def _type(value: Any, name: str, accept_none: bool) -> Expr:
    if value is None and accept_none:
        return Expr(TypeInfo((), np.dtype(object)), name)
    return Expr(TypeInfo(value.shape, value.dtype), name)


def make_variable(value: Any, name: str) -> Expr:
    """An expression that is called ``name``."""
    return Expr(value, name)


def eval(exp: Any) -> Any:
    """The value of an expression; anything else as it is."""
    return exp.eval() if isinstance(exp, Expr) else exp


def _text(value: Any) -> str:
    return str(value) if isinstance(value, Expr) else repr(value)


def expect(*bool_exprs: Any) -> None:
    """Raise `InvalidType` for the first condition that does not hold."""
    for condition in bool_exprs:
        if isinstance(condition, Condition):
            condition.expect()
        elif not condition:
            raise InvalidType(condition, "False")


def expect_broadcast_shapes(*shape_types: Any) -> None:
    """Raise `InvalidType` unless the shapes broadcast."""
    try:
        np.broadcast_shapes(*map(eval, shape_types))
    except ValueError:
        shapes = ", ".join([f"{_text(shape)} = {eval(shape)}" for shape in shape_types])
        raise InvalidType("shapes that broadcast", shapes) from None


def prod(xs: Any) -> Expr:
    """The product of lengths."""
    return Expr(math.prod(eval(xs)), f"prod({_text(xs)})")


def same_types(*arrays: Any) -> bool:
    """Whether all are arrays of NumPy, or all of CuPy."""
    kinds = {type(a.data if isinstance(a, _Engines) else a) for a in arrays}
    return len(kinds) <= 1 and all([is_array(a.data if isinstance(a, _Engines) else a) for a in arrays])
