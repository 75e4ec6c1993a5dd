"""The differentiable functions: arrays in, arrays out; Variables in, Variables out.

A function that NumPy has as well takes NumPy's parameters, by position or by name; the others take their arrays first,
in the order of torch.nn.functional, then their options. NumPy's own functions dispatch to these when they are applied
to Variables. `conventions.conventions` lists the gradients at kinks, ties and poles.
"""

from ..engine.habits import answering
from . import numpy_compositions, numpy_names, stats  # noqa: F401  # NumPy's functions reach them on import
from .arrays.axes import expand_dims, moveaxis, squeeze, swapaxes
from .arrays.combining import append, block, cross, kron, meshgrid
from .arrays.diagonals import diagonal, trace, tril, triu
from .arrays.indexing import getitem, take_along_axis
from .arrays.joining import concatenate, split, stack
from .arrays.repeating import flip, pad, repeat, roll, tile
from .arrays.shape import broadcast_to, cast, reshape, sum_to, transpose
from .arrays.sorting import partition, sort
from .elementwise.arithmetic import add, div, mul, neg, sub
from .elementwise.cardinal_sine import sinc
from .elementwise.division import floor_divide, fmod, remainder
from .elementwise.exponentials import exp, expm1, log, log1p, log2, log10
from .elementwise.fused import expadd, muladd
from .elementwise.logistic import logaddexp, logsigmoid, sigmoid, softplus
from .elementwise.powers import abs, cbrt, hypot, pow, reciprocal, sqrt, square
from .elementwise.rounding import ceil, floor, round, sign
from .elementwise.selection import clip, fmax, fmin, maximum, minimum, nan_to_num, where
from .elementwise.special import erf, erfc
from .elementwise.trig import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
from .linear_algebra.einstein import einsum
from .linear_algebra.fourier import fft, ifft, irfft, rfft
from .linear_algebra.least_squares import lstsq, qr
from .linear_algebra.linalg import cholesky, det, inv, slogdet, solve
from .linear_algebra.matrix_functions import matrix_norm, matrix_power, pinv
from .linear_algebra.products import dot, matmul, outer, tensordot
from .linear_algebra.spectra import eigh, svd
from .losses.classification import nll_loss, softmax_cross_entropy
from .losses.entropy import binary_cross_entropy, kl_divergence, sigmoid_cross_entropy, xlogy
from .losses.loss import huber, mean_absolute_error, mean_squared_error, smooth_l1
from .losses.margins import gaussian_nll, hinge, triplet
from .losses.metrics import accuracy, f1_score, precision, r2_score, recall
from .losses.similarity import cosine_similarity, normalize
from .networks.average_pooling import avg_pool1d, avg_pool2d, global_avg_pool
from .networks.conv import conv1d, conv2d
from .networks.conv_transpose import conv_transpose1d, conv_transpose2d
from .networks.dot_product_attention import attention
from .networks.dropout import dropout
from .networks.embedding import embedding, one_hot
from .networks.group_norms import group_norm, instance_norm, rms_norm
from .networks.linear import linear
from .networks.max_pooling import global_max_pool, max_pool1d, max_pool2d
from .networks.normalization import batch_norm, layer_norm
from .networks.patches import pixel_shuffle, unfold
from .networks.rectifiers import celu, elu, hardsigmoid, hardswish, hardtanh, leaky_relu, prelu, relu, relu6, selu
from .networks.resizing import interpolate
from .networks.smooth_activations import gelu, glu, mish, silu, softsign
from .networks.softmaxes import log_softmax, softmax
from .reductions.calculus import convolve, trapezoid
from .reductions.cumulative import cumprod, cumsum, prod
from .reductions.extrema import max, min
from .reductions.norms import logsumexp, norm
from .reductions.quantiles import median, percentile, quantile
from .reductions.reduce import mean, std, sum, var
from .reductions.slopes import gradient
from .variable_methods import install as _install

_install()


__getattr__ = answering(__name__, "functions")


def __dir__() -> list[str]:
    return __all__


__all__ = ["abs", "accuracy", "add", "append", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh"]
__all__ += ["attention", "avg_pool1d", "avg_pool2d", "batch_norm", "binary_cross_entropy", "block", "broadcast_to"]
__all__ += ["cast", "cbrt", "ceil", "celu", "cholesky", "clip", "concatenate", "conv1d", "conv2d", "conv_transpose1d"]
__all__ += ["conv_transpose2d", "convolve", "cos", "cosh", "cosine_similarity", "cross", "cumprod", "cumsum", "det"]
__all__ += ["diagonal", "div", "dot", "dropout", "eigh", "einsum", "elu", "embedding", "erf", "erfc", "exp", "expadd"]
__all__ += ["expand_dims", "expm1", "f1_score", "fft", "flip", "floor", "floor_divide", "fmax", "fmin", "fmod"]
__all__ += ["gaussian_nll", "gelu", "getitem", "global_avg_pool", "global_max_pool", "glu", "gradient", "group_norm"]
__all__ += ["hardsigmoid", "hardswish", "hardtanh", "hinge", "huber", "hypot", "ifft", "instance_norm", "interpolate"]
__all__ += ["inv", "irfft", "kl_divergence", "kron", "layer_norm", "leaky_relu", "linear", "log", "log1p", "log2"]
__all__ += ["log10", "log_softmax", "logaddexp", "logsigmoid", "logsumexp", "lstsq", "matmul", "matrix_norm"]
__all__ += ["matrix_power", "max", "max_pool1d", "max_pool2d", "maximum", "mean", "mean_absolute_error"]
__all__ += ["mean_squared_error", "median", "meshgrid", "min", "minimum", "mish", "moveaxis", "mul", "muladd"]
__all__ += ["nan_to_num", "neg", "nll_loss", "norm", "normalize", "one_hot", "outer", "pad", "partition", "percentile"]
__all__ += ["pinv", "pixel_shuffle", "pow", "precision", "prelu", "prod", "qr", "quantile", "r2_score", "recall"]
__all__ += ["reciprocal", "relu", "relu6", "remainder", "repeat", "reshape", "rfft", "rms_norm", "roll", "round"]
__all__ += ["selu", "sigmoid", "sigmoid_cross_entropy", "sign", "silu", "sin", "sinc", "sinh", "slogdet", "smooth_l1"]
__all__ += ["softmax", "softmax_cross_entropy", "softplus", "softsign", "solve", "sort", "split", "sqrt", "square"]
__all__ += ["squeeze", "stack", "std", "sub", "sum", "sum_to", "svd", "swapaxes", "take_along_axis", "tan", "tanh"]
__all__ += ["tensordot", "tile", "trace", "transpose", "trapezoid", "tril", "triplet", "triu", "unfold", "var", "where"]
__all__ += ["xlogy"]
