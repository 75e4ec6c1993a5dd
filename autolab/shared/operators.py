"""Python's operators as NumPy's functions, for types of arrays that define them all in one go."""

from __future__ import annotations

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
