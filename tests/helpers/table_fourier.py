"""Rows of Fourier transforms, losses with a margin, and what puts elements elsewhere: partition, block, pixel_shuffle.

The references of the transforms are products with matrices of sines and cosines.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, Make, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_numpy import _plain, _taken


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _waves(x: Any, n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of ``count`` frequencies at ``n`` samples."""
    angles = 2 * np.pi * (np.outer(np.arange(n), np.arange(count)) % n) / n
    return np.cos(angles).astype(dtype_of(x)), np.sin(angles).astype(dtype_of(x))


def _along(x: Any, matrix: np.ndarray, axis: int) -> Any:
    return anp.moveaxis(anp.einsum("...j,jk->...k", anp.moveaxis(x, axis, -1), matrix), -1, axis)


def _rfft(x: Any, axis: int = -1) -> Any:
    cos, sin = _waves(x, x.shape[axis], x.shape[axis] // 2 + 1)
    return _along(x, cos, axis), -_along(x, sin, axis)


def _irfft(real: Any, imag: Any, n: int | None = None, axis: int = -1) -> Any:
    length = real.shape[axis]
    n = 2 * (length - 1) if n is None else n
    cos, sin = _waves(real, n, length)
    counts = np.array([1 if k == 0 or 2 * k == n else 2 for k in range(length)], dtype_of(real)) / n
    return _along(real, (cos * counts).T, axis) - _along(imag, (sin * counts).T, axis)


def _fft(real: Any, imag: Any, axis: int = -1) -> Any:
    cos, sin = _waves(real, real.shape[axis], real.shape[axis])
    return (
        _along(real, cos, axis) + _along(imag, sin, axis),
        _along(imag, cos, axis) - _along(real, sin, axis),
    )


def _ifft(real: Any, imag: Any, axis: int = -1) -> Any:
    imag, real = _fft(imag, real, axis)
    return real / real.shape[axis], imag / real.shape[axis]


def _joined(**attributes: Any) -> Any:
    """Both results in one, which is not linear in them."""

    def call(f: Any, *xs: Any) -> Any:
        real, imag = f(*xs, **attributes)
        return real * real + imag

    return call


_SHAPES = ((1,), (2,), (5,), (8,), (2, 3), (3, 1, 4), (0, 4))


def _complex_row(function: Any, reference: Any) -> Row:
    name = function.__name__
    return Row(
        function,
        reference,
        (
            *[Case(str(s), arrays(s, s), _joined()) for s in _SHAPES],
            Case("columns", arrays((5, 2), (5, 2)), _joined(axis=0)),
            Case("the real part", arrays((6,), (6,)), lambda f, a, b: f(a, b)[0]),
            Case("a value with itself", arrays((4,)), lambda f, x: _joined()(f, x, x)),
            *layouts((3, 4), call=lambda f, x: _joined()(f, x, x * 0.5)),
        ),
        (
            Bad(lambda: function(_x(2), _x(3)), ValueError, rf"{name}: real has shape \(2,\), imag has shape \(3,\)"),
            Bad(lambda: function(_x(0), _x(0)), ValueError, rf"{name}: got shape \(0,\); expected at least one"),
            Bad(lambda: function(_x(2), _x(2), axis=1), ValueError, rf"{name}: .*axis=1"),
        ),
        exact=False,
        rounding=32,
    )


def _reduced(terms: Any, reduction: str) -> Any:
    if reduction == "none":
        return terms
    return anp.sum(terms) / (max(terms.size, 1) if reduction == "mean" else 1)


def _hinge(x: Any, t: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    return _reduced(anp.maximum(margin - t * x, 0), reduction)


def _length(x: Any, p: float) -> Any:
    return anp.sum(anp.abs(x) ** p, -1) ** (1 / p)


def _triplet(a: Any, like: Any, unlike: Any, margin: float = 1.0, p: float = 2.0, reduction: str = "mean") -> Any:
    return _reduced(anp.maximum(_length(a - like, p) - _length(a - unlike, p) + margin, 0), reduction)


def _gaussian_nll(x: Any, t: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Any:
    var = anp.maximum(var, eps)
    terms = (anp.log(var) + (x - t) ** 2 / var) / 2
    return _reduced(terms + math.log(2 * math.pi) / 2 if full else terms, reduction)


def _losses(*shapes: Any, domain: tuple[float, float] = (-2, 2)) -> tuple[Case, ...]:
    return tuple(
        [
            Case(f"{r} {shape}", arrays(*shape, domain=domain), lambda f, *xs, _r=r: f(*xs, reduction=_r))
            for shape in shapes
            for r in ("mean", "sum", "none")
        ]
    )


def _partition(x: Any, kth: Any, axis: Any = -1) -> Any:
    x = anp.reshape(x, -1) if axis is None else x
    axis = 0 if axis is None else axis % x.ndim
    return _taken(x, np.argsort(_plain(x), axis=axis), axis)


def _block(arrays: Any) -> Any:
    def depth(part: Any) -> int:
        return 1 + depth(part[0]) if isinstance(part, list) else 0

    def flat(part: Any) -> list[Any]:
        return [x for p in part for x in flat(p)] if isinstance(part, list) else [part]

    ndim = max(depth(arrays), *[np.ndim(_plain(x)) for x in flat(arrays)])

    def together(part: Any) -> Any:
        if isinstance(part, list):
            return anp.concatenate([together(p) for p in part], axis=-depth(part))
        return anp.reshape(part, (1,) * (ndim - np.ndim(_plain(part))) + np.shape(_plain(part)))

    return together(arrays)


def _pixel_shuffle(x: Any, factor: int) -> Any:
    n, c, h, w = x.shape
    apart = anp.reshape(x, (n, c // factor**2, factor, factor, h, w))
    return anp.reshape(anp.transpose(apart, (0, 1, 4, 2, 5, 3)), (n, c // factor**2, h * factor, w * factor))


_SPREAD: Make = arrays((5, 3), (5, 3), (5, 3))

ROWS = (
    Row(
        F.rfft,
        _rfft,
        (
            *[Case(str(s), arrays(s), _joined()) for s in _SHAPES],
            Case("columns", arrays((5, 2)), _joined(axis=0)),
            Case("in the middle", arrays((2, 6, 2)), _joined(axis=-2)),
            Case("the imaginary part", arrays((6,)), lambda f, x: f(x)[1]),
            *layouts((3, 4), call=_joined()),
        ),
        (
            Bad(lambda: F.rfft(_x(0)), ValueError, r"rfft: got shape \(0,\); expected at least one element"),
            Bad(lambda: F.rfft(_x(2), axis=1), ValueError, "rfft: .*axis=1"),
        ),
        exact=False,
        rounding=32,
    ),
    Row(
        F.irfft,
        _irfft,
        (
            *cases_with(
                ("even", ((3,), (3,)), {}),
                ("odd", ((3,), (3,)), {"n": 5}),
                ("one", ((1,), (1,)), {"n": 1}),
                ("two", ((2,), (2,)), {}),
                ("long", ((6,), (6,)), {"n": 11}),
                ("rows", ((2, 4), (2, 4)), {}),
                ("columns", ((4, 2), (4, 2)), {"axis": 0}),
                ("nothing", ((0, 3), (0, 3)), {}),
            ),
            Case("a value with itself", arrays((4,)), lambda f, x: f(x, x)),
            Case("back", arrays((6,)), lambda f, x: f(*(F.rfft if f is F.irfft else _rfft)(x))),
            *layouts((3, 4), call=lambda f, x: f(x, x * 0.5)),
        ),
        (
            Bad(lambda: F.irfft(_x(2), _x(3)), ValueError, r"irfft: real has shape \(2,\), imag has shape \(3,\)"),
            Bad(lambda: F.irfft(_x(3), _x(3), n=6), ValueError, "irfft: n is 6; expected 4 or 5 for length 3"),
            Bad(lambda: F.irfft(_x(1), _x(1)), ValueError, "irfft: n is 0; expected 0 or 1"),
        ),
        exact=False,
        rounding=32,
    ),
    _complex_row(F.fft, _fft),
    _complex_row(F.ifft, _ifft),
    Row(
        F.hinge,
        _hinge,
        (
            *_losses(((5,), (5,)), ((2, 3), (2, 3)), ((0,), (0,)), ((), ())),
            Case("a value with itself", arrays((4,)), lambda f, x: f(x, x)),
            Case("a wide margin", arrays((5,), (5,)), lambda f, x, t: f(x, t, margin=3.5)),
            *layouts((5, 4), call=lambda f, x: f(x, np.ones(x.shape, dtype_of(x)))),
        ),
        (
            Bad(lambda: F.hinge(_x(2), [0, 1]), ValueError, "hinge: t holds 0; expected signs, -1 or 1. Class numbers"),
            Bad(lambda: F.hinge(_x(2), [1.0, 0.0]), ValueError, "hinge: t holds 0.0; expected signs"),
            Bad(lambda: F.hinge(_x(2), [1, 2]), ValueError, "hinge: t holds 2; expected signs"),
            Bad(lambda: F.hinge(_x(2), _x(3)), ValueError, r"hinge: x has shape \(2,\), t has shape \(3,\): expected"),
            Bad(lambda: F.hinge(_x(2), _x(2), margin="sum"), ValueError, "hinge: margin is 'sum'; expected a number"),
            Bad(lambda: F.hinge(_x(2), _x(2), reduction="all"), ValueError, "hinge: reduction is 'all'; expected 'mea"),
        ),
        exact=False,
    ),
    Row(
        F.triplet,
        _triplet,
        (
            *_losses(((5, 3),) * 3, ((4,),) * 3, ((0, 3),) * 3),
            Case("a wide margin", _SPREAD, lambda f, *xs: f(*xs, margin=9.0)),
            Case("the sum of differences", _SPREAD, lambda f, *xs: f(*xs, margin=9.0, p=1)),
            Case("the norm of order 3", _SPREAD, lambda f, *xs: f(*xs, margin=9.0, p=3.0)),
            *layouts((5, 4), call=lambda f, x: f(x, x[::-1] * 0.5, x * 2.0 + 1.0)),
        ),
        (
            Bad(lambda: F.triplet(_x(2), _x(3), _x(2)), ValueError, r"triplet: anchor has shape \(2,\), .*expect"),
            Bad(lambda: F.triplet(1.0, 2.0, 3.0), ValueError, r"triplet: anchor has shape \(\); expected vectors"),
            Bad(lambda: F.triplet(_x(2), _x(2), _x(2), margin=-1.0), ValueError, "triplet: margin"),
            Bad(lambda: F.triplet(_x(2), _x(2), _x(2), p=0.5), ValueError, "triplet: p is 0.5; expected"),
        ),
        exact=False,
    ),
    Row(
        F.gaussian_nll,
        _gaussian_nll,
        (
            *_losses(((5,),) * 3, ((2, 3),) * 3, ((0,),) * 3, ((),) * 3, domain=(0.5, 2)),
            Case("a greater eps", arrays((5,), (5,), (5,), domain=(0.5, 2)), lambda f, *xs: f(*xs, eps=1.25)),
            Case("the whole density", arrays((5,), (5,), (5,), domain=(0.5, 2)), lambda f, *xs: f(*xs, full=True)),
            *layouts((5, 4), (0.5, 2), call=lambda f, x: f(x, x * 2.0, x + 1.0)),
        ),
        (
            Bad(lambda: F.gaussian_nll(_x(2), _x(2), _x(3)), ValueError, r"gaussian_nll: .*var has shape \(3,\)"),
            Bad(lambda: F.gaussian_nll(_x(2), _x(2), _x(2), eps=-1.0), ValueError, "gaussian_nll: eps"),
            Bad(lambda: F.gaussian_nll(_x(2), _x(2), _x(2), full=1), TypeError, "gaussian_nll: full is 1; expected T"),
        ),
        exact=False,
    ),
    Row(
        F.partition,
        _partition,
        (
            *cases_with(
                ("vector", ((5,),), {"kth": 2}),
                ("one", ((1,),), {"kth": 0}),
                ("from the end", ((5,),), {"kth": -1}),
                ("several", ((5,),), {"kth": [1, 3]}),
                ("rows", ((3, 4),), {"kth": 1}),
                ("columns", ((4, 3),), {"kth": 1, "axis": 0}),
                ("flat", ((2, 3),), {"kth": 4, "axis": None}),
                ("stacks", ((2, 3, 4),), {"kth": 0, "axis": 1}),
                ("nothing", ((0, 3),), {"kth": 1}),
            ),
            *layouts((5, 4), call=fixed(kth=1)),
        ),
        (
            Bad(lambda: F.partition(_x(3), 3), ValueError, "partition: kth is 3; expected numbers from -3 to 2"),
            Bad(lambda: F.partition(_x(3), 0.5), TypeError, "partition: kth is 0.5; expected integers"),
            Bad(lambda: F.partition(_x(3), 0, axis=1), ValueError, "partition: .*axis=1"),
        ),
    ),
    Row(
        F.block,
        _block,
        (
            Case("a row", arrays((2,), (3,)), lambda f, a, b: f([a, b])),
            Case("a column", arrays((2,), (2,)), lambda f, a, b: f([[a], [b]])),
            Case("numbers", arrays((), ()), lambda f, a, b: f([a, b])),
            Case("four", arrays((2, 2), (2, 1), (1, 2), (1, 1)), lambda f, a, b, c, d: f([[a, b], [c, d]])),
            Case("no list", arrays((2, 2)), lambda f, a: f(a)),
            Case("deep", arrays((2,), (2,)), lambda f, a, b: f([[[a, a]], [[b, a]]])),
            Case("more axes than lists", arrays((2, 2, 2), (2, 2, 1)), lambda f, a, b: f([a, b])),
            Case("nothing", arrays((0,), (2,)), lambda f, a, b: f([a, b])),
            Case("a value with itself", arrays((2, 2)), lambda f, a: f([[a, a], [a, a]])),
            *layouts((2, 4), call=lambda f, a: f([[a], [a]])),
        ),
        (
            Bad(lambda: F.block([[_x(2)], _x(2)]), ValueError, "block: the lists are not equally deep: found"),
            Bad(lambda: F.block([[_x(2)], []]), ValueError, "block: a list is empty"),
            Bad(
                lambda: F.block([[_x(2)], [_x(3)]]),
                ValueError,
                r"block: got shapes \(1, 2\) and \(1, 3\), which do not",
            ),
        ),
    ),
    Row(
        F.pixel_shuffle,
        _pixel_shuffle,
        (
            *cases_with(
                ("twice", ((2, 4, 2, 3),), {"factor": 2}),
                ("channels left", ((1, 8, 2, 2),), {"factor": 2}),
                ("three times", ((1, 9, 2, 1),), {"factor": 3}),
                ("as it is", ((2, 3, 2, 2),), {"factor": 1}),
                ("no examples", ((0, 4, 2, 2),), {"factor": 2}),
                ("no pixels", ((2, 4, 0, 2),), {"factor": 2}),
            ),
            *layouts((2, 4, 3, 2), call=lambda f, x: f(x, 2 if x.shape[1] == 4 else 1)),
        ),
        (
            Bad(lambda: F.pixel_shuffle(_x(4, 2, 2), 2), ValueError, r"pixel_shuffle: x has shape \(4, 2, 2\); exp"),
            Bad(lambda: F.pixel_shuffle(_x(1, 6, 2, 2), 2), ValueError, "pixel_shuffle: factor is 2; expected one"),
            Bad(lambda: F.pixel_shuffle(_x(1, 4, 2, 2), 0), ValueError, "pixel_shuffle: factor is 0"),
        ),
    ),
)
