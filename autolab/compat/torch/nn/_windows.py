"""Convolutions, pooling and padding."""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ....functions import pytorch_pooling as _pooling  # for table.txt
from ....functions.networks.conv_transpose import padded_transpose
from ....links.functional import pad as _pad
from ...table import fill
from .._arguments import beside, expect, of_floats, tensor_of
from .._tensor import dressed, result


def _batched(axes: int, input: Any, compute: Any) -> Any:
    """What is computed of a batch, also for a single example."""
    if input._data.ndim != axes + 1:
        return result(compute(input))
    y = compute(F.expand_dims(input, 0))
    return result(tuple([F.squeeze(one, 0) for one in y])) if isinstance(y, tuple) else dressed(F.squeeze(y, 0))


def _convolved(name: str, engine: Any, axes: int, input: Any, weight: Any, bias: Any, *how: Any) -> Any:
    stride, padding, dilation, groups = how
    beside(name, input, weight=weight, bias=bias)
    settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return _batched(axes, input, lambda x: engine(x, weight, bias, **settings))


def _transposed(name: str, engine: Any, axes: int, input: Any, weight: Any, bias: Any, *how: Any) -> Any:
    beside(name, input, weight=weight, bias=bias)
    expect(not isinstance(how[1], str), name, "padding", how[1], "numbers")
    return _batched(axes, input, lambda x: padded_transpose(engine, x, weight, bias, *how))


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
    return dressed(_pad(input, pad, mode, value))


__getattr__ = fill(__name__)
