"""The differentiable functions: arrays in, arrays out; Variables in, Variables out.

Array inputs are positional, everything else goes in by keyword. NumPy's own functions reach these when they are
applied to Variables.
"""

from .fused import expadd, muladd
from .linalg import matmul
from .math import add, cos, div, exp, log, mul, neg, pow, sin, sub, tanh
from .operators import install as _install
from .products import dot, outer, tensordot
from .reduce import sum
from .shape import broadcast_to, cast, reshape, sum_to, transpose

_install()

__all__ = [
    "add",
    "broadcast_to",
    "cast",
    "cos",
    "div",
    "dot",
    "exp",
    "expadd",
    "log",
    "matmul",
    "mul",
    "muladd",
    "neg",
    "outer",
    "pow",
    "reshape",
    "sin",
    "sub",
    "sum",
    "sum_to",
    "tanh",
    "tensordot",
    "transpose",
]
