"""The differentiable functions: arrays in, arrays out; Variables in, Variables out.

Array inputs are positional, everything else goes in by keyword. NumPy's own functions reach these when they are
applied to Variables.
"""

from .activation import elu, gelu, leaky_relu, log_softmax, relu, silu, softmax, softplus
from .axes import expand_dims, moveaxis, squeeze, swapaxes
from .choose import clip, maximum, minimum, where
from .diagonals import diagonal, trace, tril, triu
from .exponentials import expm1, log1p, log2, log10, logaddexp, sigmoid
from .fused import expadd, muladd
from .linalg import matmul
from .indexing import getitem, take_along_axis
from .joining import concatenate, split, stack
from .math import add, cos, div, exp, log, mul, neg, pow, sin, sub, tanh
from .nn import dropout, embedding, linear
from .normalization import batch_norm, layer_norm
from .operators import install as _install
from .powers import abs, cbrt, hypot, reciprocal, sqrt, square
from .products import dot, outer, tensordot
from .reduce import sum
from .rounding import ceil, floor, round, sign
from .shape import broadcast_to, cast, reshape, sum_to, transpose
from .repeating import flip, pad, repeat, roll, tile
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
    "concatenate",
    "dot",
    "dropout",
    "elu",
    "embedding",
    "erf",
    "diagonal",
    "exp",
    "expadd",
    "expm1",
    "floor",
    "gelu",
    "hypot",
    "layer_norm",
    "leaky_relu",
    "expand_dims",
    "linear",
    "flip",
    "log",
    "log1p",
    "getitem",
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
    "moveaxis",
    "reshape",
    "round",
    "sigmoid",
    "sign",
    "pad",
    "silu",
    "sin",
    "sinh",
    "repeat",
    "softmax",
    "roll",
    "softplus",
    "sqrt",
    "square",
    "sub",
    "sum",
    "sum_to",
    "tan",
    "tanh",
    "split",
    "tensordot",
    "transpose",
    "squeeze",
    "stack",
    "where",
]
    "swapaxes",
    "take_along_axis",
    "tile",
    "trace",
    "tril",
    "triu",
