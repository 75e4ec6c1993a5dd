"""The differentiable functions: arrays in, arrays out; Variables in, Variables out.

Array inputs are positional, everything else goes in by keyword. NumPy's own functions reach these when they are
applied to Variables.
"""

from .activation import elu, gelu, leaky_relu, log_softmax, relu, silu, softmax, softplus
from .choose import clip, maximum, minimum, where
from .exponentials import expm1, log1p, log2, log10, logaddexp, sigmoid
from .fused import expadd, muladd
from .linalg import matmul
from .math import add, cos, div, exp, log, mul, neg, pow, sin, sub, tanh
from .nn import dropout, embedding, linear
from .normalization import batch_norm, layer_norm
from .operators import install as _install
from .powers import abs, cbrt, hypot, reciprocal, sqrt, square
from .products import dot, outer, tensordot
from .reduce import sum
from .rounding import ceil, floor, round, sign
from .shape import broadcast_to, cast, reshape, sum_to, transpose
from .special import erf
from .trig import arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, cosh, sinh, tan

_install()

__all__ = [
    "abs",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "batch_norm",
    "broadcast_to",
    "cast",
    "cbrt",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "div",
    "dot",
    "dropout",
    "elu",
    "embedding",
    "erf",
    "exp",
    "expadd",
    "expm1",
    "floor",
    "gelu",
    "hypot",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logaddexp",
    "matmul",
    "maximum",
    "minimum",
    "mul",
    "muladd",
    "neg",
    "outer",
    "pow",
    "reciprocal",
    "relu",
    "reshape",
    "round",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "sub",
    "sum",
    "sum_to",
    "tan",
    "tanh",
    "tensordot",
    "transpose",
    "where",
]
