"""Rows of convolutions and pooling.

The references know of no windows: they are sums over everything, with an array of 0 and 1 that says which element of an
axis is seen from which position at which place of the kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, Make, arrays, cases_with, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

Shape = tuple[int, ...]


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _constant(x: Any, *shape: int) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(dtype_of(x))


_STEPS = ("stride", "padding", "dilation")


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def _seen(like: Any, size: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> np.ndarray:
    """1 at ``[p, i, u]`` where the kernel's element ``u`` at position ``p`` sees the element ``i``."""
    p, i, u = np.ogrid[: (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1, :size, :kernel]
    return (i == p * stride + u * dilation - padding).astype(dtype_of(like))


def _both(x: Any, size: Shape, kernel: Shape, stride: Any, padding: Any, dilation: Any = 1) -> list[np.ndarray]:
    axes = zip(size, kernel, _pair(stride), _pair(padding), _pair(dilation), strict=True)
    return [_seen(x, *axis) for axis in axes]


def _whole(w: Any, groups: int) -> Any:
    """The kernel that does the same without groups: zeros between them."""
    n = w.shape[0] // groups
    rows = zip(np.eye(groups, dtype=np.float16), range(groups), strict=True)
    return anp.concatenate([anp.concatenate([w[i * n : (i + 1) * n] * r for r in row], axis=1) for row, i in rows])


def _with_bias(y: Any, b: Any) -> Any:
    return y if b is None else y + anp.reshape(b, (-1, *[1] * (y.ndim - 2)))


def _conv1d(x: Any, w: Any, b: Any = None, groups: int = 1, **steps: Any) -> Any:
    stride, padding, dilation = [_pair(steps.get(k, 1 if k != "padding" else 0))[0] for k in _STEPS]
    seen = _seen(x, x.shape[2], w.shape[2], stride, padding, dilation)
    return _with_bias(anp.einsum("nci,ocu,piu->nop", x, _whole(w, groups), seen), b)


def _conv2d(
    x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    down, across = _both(x, x.shape[2:], w.shape[2:], stride, padding, dilation)
    return _with_bias(anp.einsum("ncij,ocuv,piu,qjv->nopq", x, _whole(w, groups), down, across), b)


def _conv_transpose2d(
    x: Any,
    w: Any,
    b: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    size: Any = None,
) -> Any:
    axes = zip(x.shape[2:], w.shape[2:], _pair(stride), _pair(padding), _pair(dilation), strict=True)
    size = size or [s * (n - 1) + d * (k - 1) + 1 - 2 * p for n, k, s, p, d in axes]
    down, across = _both(x, size, w.shape[2:], stride, padding, dilation)
    return _with_bias(anp.einsum("ncpq,couv,piu,qjv->noij", x, _whole(w, groups), down, across), b)


def _conv_transpose1d(x: Any, w: Any, b: Any = None, groups: int = 1, size: Any = None, **steps: Any) -> Any:
    stride, padding, dilation = [_pair(steps.get(k, 1 if k != "padding" else 0))[0] for k in _STEPS]
    reach = dilation * (w.shape[2] - 1) + 1
    seen = _seen(x, size or stride * (x.shape[2] - 1) + reach - 2 * padding, w.shape[2], stride, padding, dilation)
    return _with_bias(anp.einsum("ncp,cou,piu->noi", x, _whole(w, groups), seen), b)


def _avg_pool2d(x: Any, kernel: Any, stride: Any = None, padding: Any = 0) -> Any:
    kernel = _pair(kernel)
    down, across = _both(x, x.shape[2:], kernel, stride or kernel, padding)
    return anp.einsum("ncij,piu,qjv->ncpq", x, down, across) / int(np.prod(kernel))


def _max_pool2d(x: Any, kernel: Any, stride: Any = None, padding: Any = 0) -> Any:
    kernel = _pair(kernel)
    down, across = _both(x, x.shape[2:], kernel, stride or kernel, padding)
    outside = np.einsum("piu,qjv->pquv", down, across) == 0
    windows = anp.einsum("ncij,piu,qjv->ncpquv", x, down, across) + outside * np.array(-1e30, dtype_of(x))
    return anp.max(windows, axis=(4, 5))


def _tied(*shape: int) -> Make:
    return lambda rng, dtype: (rng.integers(0, 2, shape).astype(dtype),)


_POOLED = (
    *cases_with(
        ("quarters", ((2, 3, 4, 6),), {"kernel": 2}),
        ("something left over", ((2, 3, 5, 7),), {"kernel": 2}),
        ("overlapping", ((2, 2, 5, 6),), {"kernel": 3, "stride": 2}),
        ("gaps", ((2, 2, 7, 5),), {"kernel": 2, "stride": 3}),
        ("padded", ((2, 2, 4, 5),), {"kernel": 3, "stride": 1, "padding": 1}),
        ("each axis its own", ((1, 2, 6, 5),), {"kernel": (3, 2), "stride": (1, 2), "padding": (2, 1)}),
        ("the whole image", ((2, 2, 3, 4),), {"kernel": (3, 4)}),
        ("single elements", ((2, 2, 3, 4),), {"kernel": 1}),
        ("no examples", ((0, 2, 4, 4),), {"kernel": 2}),
        ("no channels", ((2, 0, 4, 4),), {"kernel": 2, "padding": 1}),
    ),
    Case("ties", _tied(2, 2, 4, 6), lambda f, x: f(x, kernel=2)),
    Case("ties of overlapping windows", _tied(2, 2, 5, 5), lambda f, x: f(x, kernel=3, stride=1, padding=1)),
    *layouts((2, 2, 4, 6), call=lambda f, x: f(x, kernel=2) if x.shape[0] == 2 else f(x, kernel=1)),
)


def _pooling_errors(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(lambda: function(_x(3, 4, 4), kernel=2), ValueError, rf"{name}: x has shape .*expected x \(examples"),
        Bad(lambda: function(_x(1, 1, 2, 2), kernel=3), ValueError, rf"{name}: .*window of size \(3, 3\) does not fit"),
        Bad(
            lambda: function(_x(1, 1, 4, 4), kernel=2, padding=2), ValueError, rf"{name}: .*padding \(2, 2\) is as wide"
        ),
        Bad(lambda: function(_x(1, 1, 4, 4), kernel=(2, 2, 2)), ValueError, rf"{name}: .*kernel is \(2, 2, 2\)"),
        Bad(lambda: function(_x(1, 1, 4, 4), kernel=2, stride=0), ValueError, rf"{name}: .*stride is 0; .*below 1"),
        Bad(lambda: function(_x(1, 1, 4, 4)), TypeError, "kernel"),
    )


ROWS = (
    Row(
        F.conv1d,
        _conv1d,
        (
            *cases_with(
                ("batch", ((2, 3, 6), (4, 3, 2), (4,)), {}),
                ("without b", ((2, 3, 6), (4, 3, 2)), {}),
                ("strided", ((2, 3, 8), (2, 3, 3), (2,)), {"stride": 2}),
                ("padded", ((2, 2, 4), (2, 2, 3)), {"padding": 1}),
                ("both", ((2, 2, 7), (2, 2, 3)), {"padding": (2,), "stride": (3,)}),
                ("single elements", ((2, 2, 4), (3, 2, 1)), {}),
                ("spread out", ((2, 2, 7), (2, 2, 3), (2,)), {"dilation": 2, "padding": 1}),
                ("groups", ((2, 4, 5), (6, 2, 2), (6,)), {"groups": 2}),
                ("a group for each", ((2, 3, 6), (3, 1, 2)), {"groups": 3, "stride": 2, "dilation": (2,)}),
                ("no examples", ((0, 2, 4), (3, 2, 2), (3,)), {}),
            ),
            Case("a value with itself", arrays((2, 2, 3)), lambda f, x: f(x, x, padding=1)),
            *layouts((2, 3, 6), call=lambda f, x: f(x, _constant(x, 4, x.shape[1], 2))),
        ),
        (
            Bad(
                lambda: F.conv1d(_x(2, 3, 4), _x(2, 4, 2)), ValueError, r"conv1d: .*expected x \(examples, in, length\)"
            ),
            Bad(lambda: F.conv1d(_x(2, 3, 4), _x(2, 3, 5)), ValueError, r"conv1d: .*size \(5,\) does not fit into"),
            Bad(lambda: F.conv1d(_x(2, 3, 4), _x(2, 3, 2), _x(3)), ValueError, r"conv1d: .*b \(out,\)"),
            Bad(lambda: F.conv1d(_x(2, 3, 4), _x(2, 3, 2), stride=0), ValueError, "conv1d: .*stride is 0"),
            Bad(lambda: F.conv1d(_x(2, 3, 4), _x(2, 3, 3), dilation=2), ValueError, r"conv1d: .*size \(5,\) does not"),
            Bad(lambda: F.conv1d(_x(2, 4, 4), _x(2, 4, 2), groups=2), ValueError, r"conv1d: .*w \(out, in / groups"),
            Bad(lambda: F.conv1d(_x(2, 4, 4), _x(3, 2, 2), groups=2), ValueError, r"conv1d: .*w \(out, in / groups"),
        ),
        mixed=True,
        exact=False,
        rounding=16,
    ),
    Row(
        F.conv2d,
        _conv2d,
        (
            *cases_with(
                ("batch", ((2, 3, 5, 4), (2, 3, 2, 3), (2,)), {}),
                ("without b", ((2, 3, 4, 4), (2, 3, 2, 2)), {}),
                ("strided", ((1, 2, 6, 5), (2, 2, 3, 2), (2,)), {"stride": 2}),
                ("padded", ((1, 2, 3, 3), (2, 2, 3, 3)), {"padding": 1}),
                ("each axis its own", ((1, 2, 5, 6), (2, 2, 2, 3), (2,)), {"stride": (1, 2), "padding": (0, 2)}),
                ("the whole image", ((2, 2, 3, 2), (3, 2, 3, 2)), {}),
                ("single elements", ((2, 3, 2, 2), (2, 3, 1, 1)), {}),
                ("spread out", ((1, 2, 6, 5), (2, 2, 3, 2), (2,)), {"dilation": (2, 3), "padding": (1, 0)}),
                ("groups", ((2, 4, 3, 4), (6, 2, 2, 2), (6,)), {"groups": 2, "padding": 1, "stride": (1, 2)}),
                ("a group for each", ((1, 3, 4, 4), (6, 1, 2, 2)), {"groups": 3, "dilation": 2}),
                ("no examples", ((0, 2, 4, 4), (3, 2, 2, 2), (3,)), {}),
            ),
            Case("a value with itself", arrays((2, 2, 3, 2)), lambda f, x: f(x, x, padding=1)),
            Case("constant image", arrays((2, 3, 2, 2)), lambda f, w: f(_constant(w, 2, 3, 4, 4), w)),
            *layouts((2, 3, 4, 6), call=lambda f, x: f(x, _constant(x, 2, x.shape[1], 2, 2))),
        ),
        (
            Bad(lambda: F.conv2d(_x(2, 3, 4, 4), _x(2, 4, 2, 2)), ValueError, r"conv2d: x has shape .*expected x"),
            Bad(lambda: F.conv2d(_x(3, 4, 4), _x(2, 3, 2, 2)), ValueError, r"conv2d: x has shape \(3, 4, 4\)"),
            Bad(lambda: F.conv2d(_x(1, 1, 2, 2), _x(1, 1, 3, 3)), ValueError, r"conv2d: .*window of size \(3, 3\)"),
            Bad(lambda: F.conv2d(_x(1, 1, 2, 2), _x(1, 1, 1, 1), padding=-1), ValueError, "conv2d: .*padding is -1"),
            Bad(lambda: F.conv2d(_x(1, 1, 2, 2), _x(1, 1, 1, 1), dilation=0), ValueError, "conv2d: .*dilation is 0"),
            Bad(lambda: F.conv2d(_x(1, 2, 2, 2), _x(2, 1, 1, 1), groups=0), ValueError, "conv2d: .*expected x"),
            Bad(
                lambda: F.conv2d(_x(1, 1, 2, 2), _x(1, 1, 1, 1), stride=(1,)), ValueError, r"conv2d: .*stride is \(1,\)"
            ),
        ),
        mixed=True,
        exact=False,
        rounding=16,
    ),
    Row(
        F.conv_transpose1d,
        _conv_transpose1d,
        (
            *cases_with(
                ("batch", ((2, 3, 4), (3, 2, 2), (2,)), {}),
                ("without b", ((2, 3, 4), (3, 2, 2)), {}),
                ("strided", ((1, 2, 3), (2, 2, 3), (2,)), {"stride": 2}),
                ("cut", ((1, 2, 4), (2, 2, 3)), {"padding": 1}),
                ("both", ((2, 2, 3), (2, 2, 3)), {"padding": (2,), "stride": (3,)}),
                ("a greater size", ((1, 2, 3), (2, 3, 2), (3,)), {"stride": 2, "size": 7}),
                ("single elements", ((2, 3, 2), (3, 2, 1)), {}),
                ("spread out", ((1, 2, 3), (2, 2, 3), (2,)), {"dilation": 2, "padding": 1}),
                ("groups", ((2, 4, 3), (4, 3, 2), (6,)), {"groups": 2, "stride": 2}),
                ("a group for each", ((1, 3, 2), (3, 1, 2)), {"groups": 3, "dilation": (2,)}),
                ("no examples", ((0, 2, 2), (2, 3, 2), (3,)), {}),
            ),
            Case("a value with itself", arrays((2, 2, 3)), lambda f, x: f(x, x, stride=2)),
            *layouts((2, 3, 4), call=lambda f, x: f(x, _constant(x, x.shape[1], 2, 2))),
        ),
        (
            Bad(
                lambda: F.conv_transpose1d(_x(2, 3, 4), _x(2, 3, 2)),
                ValueError,
                r"conv_transpose1d: .*expected x \(examples, in, length\)",
            ),
            Bad(lambda: F.conv_transpose1d(_x(2, 3, 4), _x(3, 2, 2), _x(3)), ValueError, r"transpose1d: .*b \(out,\)"),
            Bad(
                lambda: F.conv_transpose1d(_x(1, 3, 4), _x(3, 1, 2), groups=2), ValueError, "transpose1d: .*expected x"
            ),
            Bad(
                lambda: F.conv_transpose1d(_x(1, 1, 2), _x(1, 1, 2), size=4),
                ValueError,
                r"conv_transpose1d: .*a convolution of the size \(4,\) does not give that",
            ),
            Bad(
                lambda: F.conv_transpose1d(_x(1, 1, 2), _x(1, 1, 2), size=(3, 3)),
                ValueError,
                r"conv_transpose1d: .*size is \(3, 3\); expected an int or 1 of them",
            ),
            Bad(lambda: F.conv_transpose1d(_x(1, 1, 1), _x(1, 1, 2), padding=1), ValueError, r"size \(0,\)"),
        ),
        mixed=True,
        exact=False,
        rounding=16,
    ),
    Row(
        F.conv_transpose2d,
        _conv_transpose2d,
        (
            *cases_with(
                ("batch", ((2, 3, 3, 2), (3, 2, 2, 3), (2,)), {}),
                ("without b", ((2, 3, 2, 2), (3, 2, 2, 2)), {}),
                ("strided", ((1, 2, 3, 2), (2, 2, 3, 2), (2,)), {"stride": 2}),
                ("cut", ((1, 2, 3, 3), (2, 2, 3, 3)), {"padding": 1}),
                ("each axis its own", ((1, 2, 3, 2), (2, 2, 2, 3), (2,)), {"stride": (1, 2), "padding": (0, 1)}),
                ("a greater size", ((1, 2, 2, 2), (2, 3, 2, 2), (3,)), {"stride": 2, "size": (5, 4)}),
                ("single elements", ((2, 3, 2, 2), (3, 2, 1, 1)), {}),
                ("spread out", ((1, 2, 2, 3), (2, 2, 3, 2), (2,)), {"dilation": (2, 3), "padding": 1}),
                ("groups", ((2, 4, 2, 3), (4, 3, 2, 2), (6,)), {"groups": 2, "stride": (1, 2)}),
                ("a group for each", ((1, 3, 2, 2), (3, 1, 2, 2)), {"groups": 3, "dilation": 2, "size": (4, 4)}),
                ("no examples", ((0, 2, 2, 2), (2, 3, 2, 2), (3,)), {}),
            ),
            Case("a value with itself", arrays((2, 2, 2, 3)), lambda f, x: f(x, x, stride=2)),
            *layouts((2, 3, 4, 6), call=lambda f, x: f(x, _constant(x, x.shape[1], 2, 2, 2))),
        ),
        (
            Bad(
                lambda: F.conv_transpose2d(_x(2, 3, 4, 4), _x(2, 3, 2, 2)), ValueError, "conv_transpose2d: .*expected x"
            ),
            Bad(lambda: F.conv_transpose2d(_x(2, 3, 4, 4), _x(3, 3)), ValueError, "conv_transpose2d: .*expected x"),
            Bad(lambda: F.conv_transpose2d(_x(1, 3, 4, 4), _x(3, 1, 2, 2), groups=2), ValueError, "transpose2d: .*exp"),
            Bad(
                lambda: F.conv_transpose2d(_x(1, 1, 2, 2), _x(1, 1, 2, 2), size=(4, 3)),
                ValueError,
                r"conv_transpose2d: .*a convolution of the size \(4, 3\) does not give that",
            ),
            Bad(
                lambda: F.conv_transpose2d(_x(1, 1, 1, 1), _x(1, 1, 2, 2), padding=1),
                ValueError,
                r"conv_transpose2d: .*size \(0, 0\)",
            ),
        ),
        mixed=True,
        exact=False,
        rounding=16,
    ),
    Row(F.max_pool2d, _max_pool2d, _POOLED, _pooling_errors(F.max_pool2d)),
    Row(F.avg_pool2d, _avg_pool2d, _POOLED, _pooling_errors(F.avg_pool2d), exact=False),
)
