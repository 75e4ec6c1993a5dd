"""Python's operators as NumPy's functions, for array types that define all of them at once."""

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
"""Binary operators by the names of their methods, without underscores; all have reflected versions."""

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
    """The methods of all operators for an array type, by their names.

    Parameters
    ----------
    call : callable
        ``call(self, function, operands, in_place)`` computes the result.
    is_foreign : callable
        Whether the other operand, such as a Variable, should compute the result instead.
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
