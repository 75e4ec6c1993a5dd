"""Python's operators as NumPy's functions, for types of arrays that define them all in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

OPERATORS: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""Those of two operands, by the names of their methods without underscores; they also come reflected."""

COMPARISONS: dict[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

UNARY: dict[str, np.ufunc] = {"neg": np.negative, "abs": np.absolute, "invert": np.invert}


def operator_methods(
    call: Callable[[Any, np.ufunc, tuple[Any, ...], bool], Any], is_foreign: Callable[[Any], bool]
) -> dict[str, Callable[..., Any]]:
    """All of them as methods of a type of arrays, by their names.

    Parameters
    ----------
    call : callable
        ``call(self, function, operands, in_place)`` computes.
    is_foreign : callable
        Whether the other operand knows better, such as a Variable.
    """

    def binary(function: np.ufunc, swapped: bool = False, in_place: bool = False) -> Callable[..., Any]:
        def apply(self: Any, other: Any) -> Any:
            if is_foreign(other):
                return NotImplemented
            return call(self, function, (other, self) if swapped else (self, other), in_place)

        return apply

    def unary(function: np.ufunc) -> Callable[..., Any]:
        return lambda self: call(self, function, (self,), False)

    arithmetic = {**OPERATORS, "matmul": np.matmul}
    return {
        **{f"__{name}__": binary(function) for name, function in {**arithmetic, **COMPARISONS}.items()},
        **{f"__r{name}__": binary(function, swapped=True) for name, function in arithmetic.items()},
        **{f"__i{name}__": binary(function, in_place=True) for name, function in arithmetic.items()},
        **{f"__{name}__": unary(function) for name, function in {**UNARY, "pos": np.positive}.items()},
    }
