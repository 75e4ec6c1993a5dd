"""``torch.nn.functional``: AutoLab's functions with PyTorch's names and parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .... import functions as F
from ....functions import pytorch_losses as _losses  # noqa: F401  # for table.txt
from ....functions import pytorch_pooling as _pooling
from ....functions.networks.conv_transpose import padded_transpose
from ....functions.networks.dot_product_attention import weigh
from ....links import functional as _links
from ...table import fill
from .. import _elementwise  # noqa: F401  # for table.txt
from .._arguments import beside, cast, expect, floats, numbers, of_floats, tensor_of, without_gradient  # noqa: F401  # floats is for table.txt
from .._inplace import replaced
from .._products import cosine_similarity as cosine_similarity
from .._tensor import constant, dressed, plain, result  # noqa: F401  # plain is for table.txt
from ._losses import *  # noqa: F403


def _placed(name: str, input: Any, y: Any, inplace: bool, slope: float = 1) -> Any:
    if inplace and slope < 0 and y.node is not None:
        raise RuntimeError(f"{name}: the result is to replace the input, and the slope is {slope}; expected at least 0")
    return replaced(input, name, y) if inplace else dressed(y)


def _linear(input: Any, weight: Any, bias: Any) -> Any:
    try:
        return dressed(F.linear(input, weight, bias))
    except ValueError:
        rows, one = weight._data.ndim - 1, None if bias is None else bias._data  # a bias may stand for all rows
        if rows not in (0, 1) or (one is None and rows) or (one is not None and (one.size != 1 or one.ndim > rows)):
            raise
    y = F.matmul(input, weight if weight._data.ndim == 1 else weight.t())
    return dressed(y if bias is None else y + bias)


def _one_hot(tensor: Any, num_classes: int) -> Any:
    expect(num_classes >= -1, "one_hot", "num_classes", num_classes, "a number of classes, or -1")
    expect(tensor.size or num_classes > 0, "one_hot", "num_classes", num_classes, "a number above 0 without classes")
    return constant(F.one_hot(tensor, None if num_classes < 0 else num_classes, dtype=np.int64))


def _attended(
    query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, is_causal: bool, scale: float | None
) -> Any:
    name = "scaled_dot_product_attention"
    mask = without_gradient(name, "attn_mask", attn_mask)
    of_mask = None if mask is None or mask.dtype == bool else attn_mask
    beside(name, query, key=key, value=value, attn_mask=of_mask)
    if is_causal and mask is not None:
        raise RuntimeError(f"{name}: got an attn_mask and is_causal=True; expected one of them")
    if dropout_p:
        weights = weigh(name, query, key, mask, is_causal, scale)
        return dressed(F.cast(F.matmul(dropout(weights, dropout_p), value), query._data.dtype))
    return dressed(F.attention(query, key, value, mask, causal=is_causal, scale=scale))


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero elements with probability ``p`` and divide the others by ``1 - p``; outside training, ``input`` itself."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p is {p}; expected a probability, from 0 to 1")
    if not training or p == 0:
        return input
    if p == 1:
        return _placed("dropout", input, input * 0, inplace)
    return _placed("dropout", input, F.dropout(of_floats("dropout", input), p, training=True), inplace)


def _shape(function: str, normalized_shape: Any) -> tuple[int, ...]:
    expect(not isinstance(normalized_shape, int), function, "normalized_shape", normalized_shape, "a tuple")
    return tuple(normalized_shape)


def _eps(eps: float, training: bool) -> float:
    expect(eps > 0 or not training, "batch_norm", "eps", eps, "a number above 0")
    return eps


# ---------------------------------------------------------------------- convolutions, pooling and padding
def _batched(axes: int, input: Any, compute: Any) -> Any:
    """What is computed of a batch, also for a single example."""
    if input._data.ndim != axes + 1:
        return result(compute(input))
    y = compute(F.expand_dims(input, 0))
    return result(tuple([F.squeeze(one, 0) for one in y])) if isinstance(y, tuple) else dressed(F.squeeze(y, 0))


def _convolved(name: str, axes: int, input: Any, weight: Any, bias: Any, **how: Any) -> Any:
    beside(name, input, weight=weight, bias=bias)
    convolve = getattr(F, name)
    if "output_padding" in how:
        expect(not isinstance(how["padding"], str), name, "padding", how["padding"], "numbers")
        convolve = partial(padded_transpose, convolve)
    return _batched(axes, input, lambda x: convolve(x, weight, bias, **how))


def _pooled(axes: int, engine: Any, input: Any, kernel: Any, stride: Any, padding: Any, **how: Any) -> Any:
    name = engine.__name__
    shape = of_floats(name, input)._data.shape
    expect(0 not in shape[-axes - 1 :], name, "the shape of input", tuple(shape), "channels and sizes above 0")
    within = all([2 * p <= k for p, k in zip(_each(padding, axes), _each(kernel, axes), strict=False)])
    expect(within, name, "padding", padding, f"at most half of kernel_size={kernel}")
    settings = {"kernel": kernel, "stride": stride if stride != [] else None, "padding": padding, **how}
    return _batched(axes, input, lambda x: engine(x, **settings))


def _resized(input: Any, size: Any, scale_factor: Any, mode: str, align_corners: bool | None, again: Any) -> Any:
    if tensor_of("interpolate", input)._data.dtype != "uint8" or mode != "nearest":
        of_floats("interpolate", input)
    is_linear = "linear" in mode or mode == "bicubic"
    expect(is_linear or align_corners is None, "interpolate", "align_corners", align_corners, "None here")
    expect(size is None or scale_factor is None, "interpolate", "scale_factor", scale_factor, "None beside size")
    if (again or mode == "area") and scale_factor is not None:  # the factor is that of the rounded lengths
        factors = _each(scale_factor, input._data.ndim - 2)
        size, scale_factor = [int(n * f) for n, f in zip(input._data.shape[2:], factors, strict=True)], None
    if mode == "area":
        expect(size is not None, "interpolate", "size", size, "it, or scale_factor")
        expect(input._data.ndim in (3, 4), "interpolate", "the number of axes", input._data.ndim, "3 or 4")
        pool = _pooling.adaptive_avg_pool1d if input._data.ndim == 3 else _pooling.adaptive_avg_pool2d
        return dressed(pool(input, size))
    return dressed(F.interpolate(input, size, scale_factor, mode, bool(align_corners)))


def _each(value: Any, axes: int) -> tuple[Any, ...]:
    return (value,) * axes if isinstance(value, int | float) else tuple(value)


def _adapted(axes: int, engine: Any, input: Any, output_size: Any, **how: Any) -> Any:
    expect(output_size is not None, engine.__name__, "output_size", output_size, "numbers")
    return _batched(axes, of_floats(engine.__name__, input), lambda x: engine(x, output_size, **how))


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Pad axes at both ends; ``pad`` has two numbers for each axis, starting with the last axis."""
    tensor_of("pad", input)
    if mode != "constant" and (mode not in ("reflect", "replicate", "circular") or value is not None):
        expected = "a value with 'constant', or one of reflect, replicate, circular"
        raise NotImplementedError(f"pad: mode is {mode!r:.40} and value {value!r:.40}; expected {expected}")
    if mode in ("reflect", "replicate") and input._data.dtype == bool:
        of_floats("pad", input)
    if mode != "constant" and not 0 < len(pad) // 2 < input._data.ndim <= len(pad) // 2 + 2 <= 5:
        axes = f"{input._data.ndim} axes and pad {len(pad)} numbers"
        raise NotImplementedError(f"pad: input has {axes}; mode {mode!r:.40} pads all but the first one or two")
    return dressed(_links.pad(input, pad, mode, value))


__getattr__ = fill(__name__)
