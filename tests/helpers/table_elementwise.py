"""Rows of the elementwise functions beyond arithmetic."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import CONSTANT, Case, arrays, binary_cases, cases_with, dtype_of, layouts, unary_cases
from helpers.followed import anp, defvjp, primitive
from helpers.rows import Bad, Row


@primitive
def erf(x: Any) -> Any:
    """The error function for autograd, which has it only through SciPy."""
    return np.vectorize(math.erf, otypes=[float])(x).astype(np.asarray(x).dtype)


def _turns(x: Any) -> Any:
    """An angle of ``x`` half turns, without the loss of digits far out."""
    return np.pi * np.vectorize(lambda value: math.remainder(value, 2) if math.isfinite(value) else math.nan)(x)


def _sinc(x: Any) -> Any:
    far = np.where(x == 0, 1, np.asarray(x, np.float64))
    return np.where(x == 0, 1, np.sin(_turns(x)) / np.pi / far).astype(x.dtype)


def _sinc_slope(x: Any) -> Any:
    near, x64 = np.abs(x) < 1e-3, np.asarray(x, np.float64)
    far = np.where(near, 1, x64)
    return np.where(near, x64 * (-np.pi * np.pi / 3), (np.cos(_turns(far)) - _sinc(far)) / far)


defvjp(erf, lambda y, x: lambda g: g * (2 / np.sqrt(np.pi) * anp.exp(-x * x)))


def sigmoid(x: Any) -> Any:
    """The logistic function, far out too."""
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


_BINARY_SHAPES = (
    *(((), ()), ((5,), (5,)), ((5, 4), (4,)), ((4,), (5, 4)), ((5, 1), (1, 4)), ((), (5, 4)), ((5, 4), ())),
    *(((2, 1, 4), (3, 1)), ((0, 3), (3,)), ((1,), (0,))),
)


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _mismatch(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(partial(function, _x(2), _x(3)), ValueError, rf"{name}: .*\(2,\).*\(3,\)"),
        Bad(partial(function, _x(2)), TypeError, name),
    )


def _broadcast(g: Any, x: Any) -> Any:
    """``g`` summed to the shape of ``x``."""
    lead = anp.ndim(g) - anp.ndim(x)
    g = anp.sum(g, axis=tuple(range(lead))) if lead else g
    axes = tuple([i for i, n in enumerate(np.shape(x)) if n == 1 != np.shape(g)[i]])
    return anp.sum(g, axis=axes, keepdims=True) if axes else g


@primitive
def _floor_divide(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b)


_remainder, _fmod = primitive(np.remainder), primitive(np.fmod)
_whole = primitive(lambda a, b: np.trunc(a / b))
for _step in (_floor_divide, _whole):
    defvjp(
        _step,
        lambda y, a, b: lambda g: _broadcast(0.0 * g, a),
        lambda y, a, b: lambda g: _broadcast(0.0 * g, b),
    )
for _rest, _step in ((_remainder, _floor_divide), (_fmod, _whole)):
    defvjp(
        _rest,
        lambda y, a, b: lambda g: _broadcast(g * 1.0, a),
        lambda y, a, b, _step=_step: lambda g: _broadcast(-g * _step(a, b), b),
    )


def _hypot(a: Any, b: Any) -> Any:
    return anp.sqrt((a + 0 * b) ** 2 + (b + 0 * a) ** 2)


def _where(condition: Any, a: Any, b: Any) -> Any:
    zeros = np.zeros(np.shape(condition), np.float16)
    return anp.where(condition, a + 0 * b + zeros, b + 0 * a + zeros)


def _clipped(x: Any, low: Any = None, high: Any = None) -> Any:
    above = x if low is None else anp.maximum(x, low)
    return above if high is None else anp.minimum(above, high)


def _given(low: Any, high: Any) -> Any:
    return lambda f, x: f(x, low, high)


ROWS = (
    *[
        Row(function, reference, unary_cases(domain), slope=slope, order=3)
        for function, reference, domain, slope in (
            (F.square, anp.square, (-2, 2), lambda x: 2 * x),
            (F.sqrt, anp.sqrt, (0.5, 3), lambda x: 0.5 / np.sqrt(x)),
            (F.reciprocal, lambda x: 1 / x, (0.5, 3), lambda x: -1 / x / x),
            (F.abs, anp.abs, (0.5, 3), np.sign),
            (F.expm1, anp.expm1, (-2, 2), np.exp),
            (F.log1p, anp.log1p, (-0.5, 3), lambda x: 1 / (1 + x)),
            (F.log2, anp.log2, (0.5, 3), lambda x: 1 / (x * np.log(2).item())),
            (F.log10, anp.log10, (0.5, 3), lambda x: 1 / (x * np.log(10).item())),
            (F.tan, anp.tan, (-1, 1), lambda x: 1 + np.tan(x) ** 2),
            (F.arcsin, anp.arcsin, (-0.8, 0.8), lambda x: 1 / np.sqrt(1 - x * x)),
            (F.arccos, anp.arccos, (-0.8, 0.8), lambda x: -1 / np.sqrt(1 - x * x)),
            (F.arctan, anp.arctan, (-2, 2), lambda x: 1 / (1 + x * x)),
            (F.sinh, anp.sinh, (-2, 2), np.cosh),
            (F.cosh, anp.cosh, (-2, 2), np.sinh),
            (F.arcsinh, anp.arcsinh, (-2, 2), lambda x: 1 / np.hypot(x, 1)),
            (F.arccosh, anp.arccosh, (1.5, 4), lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
            (F.arctanh, anp.arctanh, (-0.8, 0.8), lambda x: 1 / ((1 - x) * (1 + x))),
            (F.sign, anp.sign, (-2, 2), np.zeros_like),
            (F.floor, anp.floor, (-2, 2), np.zeros_like),
            (F.ceil, anp.ceil, (-2, 2), np.zeros_like),
        )
    ],
    *[
        Row(function, reference, unary_cases(domain), order=3, exact=False, slope=slope, awkward=awkward)
        for function, reference, domain, slope, awkward in (
            (F.cbrt, lambda x: x ** (1 / 3), (0.5, 3), lambda x: 1 / (3 * np.cbrt(x) ** 2), np.cbrt),
            (F.sigmoid, lambda x: 1 / (1 + anp.exp(-x)), (-4, 4), lambda x: sigmoid(x) * sigmoid(-x), sigmoid),
            (
                F.erfc,
                lambda x: 1 - erf(x),
                (-3, 3),
                lambda x: -2 / math.sqrt(math.pi) * np.exp(-x * x),
                lambda x: np.vectorize(math.erfc, otypes=[float])(x).astype(x.dtype),
            ),
            (F.erf, erf, (-3, 3), lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x), erf),
            (F.sinc, lambda x: anp.sin(np.pi * x) / (np.pi * x), (0.3, 3), _sinc_slope, _sinc),
        )
    ],
    Row(
        F.nan_to_num,
        lambda x, **_: x * 1.0,
        (
            *unary_cases((-2, 2)),
            *cases_with(("others", ((5, 4),), {"nan": 1.0, "posinf": 2.0, "neginf": -2.0})),
        ),
        order=3,
        slope=lambda x: np.isfinite(x).astype(x.dtype),
        awkward=np.nan_to_num,
    ),
    Row(
        F.round,
        lambda x, decimals=0: anp.round(x, decimals),
        (
            *cases_with(*[("whole", (shape,), {}) for shape in ((), (1,), (5, 4), (2, 3, 4), (0, 3))]),
            *cases_with(("two digits", ((5, 4),), {"decimals": 2}), ("tens", ((5, 4),), {"decimals": -1})),
            *layouts((5, 4)),
        ),
        order=3,
        slope=np.zeros_like,
    ),
    *[
        Row(function, reference, binary_cases(domain), _mismatch(function), order=3, mixed=True, exact=exact)
        for function, reference, domain, exact in (
            (F.hypot, _hypot, (0.5, 2), False),
            (F.arctan2, anp.arctan2, (0.5, 2), True),
            (F.logaddexp, anp.logaddexp, (-2, 2), True),
            (F.maximum, anp.maximum, (-2, 2), True),
            (F.minimum, anp.minimum, (-2, 2), True),
            (F.floor_divide, _floor_divide, (0.5, 2), True),
            (F.fmax, anp.fmax, (-2, 2), True),
            (F.fmin, anp.fmin, (-2, 2), True),
            (F.xlogy, lambda a, b: a * (math.log(b) if isinstance(b, int | float) else anp.log(b)), (0.5, 2), True),
            (F.remainder, _remainder, (0.5, 2), True),
            (F.fmod, _fmod, (0.5, 2), True),
        )
    ],
    Row(
        F.where,
        _where,
        (
            *[Case(f"{a} or {b}", arrays(a, b), lambda f, a, b: f(a > b, a, b)) for a, b in _BINARY_SHAPES],
            Case("a value with itself", arrays((5, 4)), lambda f, a: f(a > 0, a, a)),
            Case("a wider condition", arrays((4,), (4,)), lambda f, a, b: f(np.eye(4) > 0, a, b)),
            Case("number on the left", arrays((5, 4)), lambda f, a: f(a > 0, 1.5, a)),
            Case("array on the right", arrays((5, 4)), lambda f, a: f(a > 0, a, CONSTANT.astype(dtype_of(a)))),
            *layouts((5, 4), call=lambda f, a: f(a > 0, a, 2.5)),
        ),
        (
            Bad(lambda: F.where([True, False], _x(2), _x(3)), ValueError, r"where: .*\(2,\).*\(3,\)"),
            Bad(lambda: F.where(_x(2) > 0), TypeError, "where: got 1 positional"),
        ),
        order=3,
        mixed=True,
    ),
    Row(
        F.clip,
        _clipped,
        (
            *[Case(f"{shape}", arrays(shape), _given(-0.5, 0.75)) for shape in ((), (5,), (2, 3, 4), (0, 3))],
            Case("only low", arrays((5, 4)), lambda f, x: f(x, 0.1)),
            Case("only high", arrays((5, 4)), _given(None, 0.1)),
            Case("crossed", arrays((5, 4)), _given(0.5, -0.5)),
            Case("Variable bounds", arrays((5, 4), (4,), (5, 1)), lambda f, x, a, b: f(x, a - 1, b + 1)),
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, 0.5 * x, x)),
            Case("crossed Variable bounds", arrays((5, 4), (4,), (5, 1)), lambda f, x, a, b: f(x, a, b)),
            *layouts((5, 4), call=_given(-0.5, 0.75)),
        ),
        (
            Bad(lambda: F.clip(_x(2)), ValueError, "clip: .*neither a_min nor a_max"),
            Bad(lambda: F.clip(_x(2), _x(3)), ValueError, r"clip: .*\(2,\).*\(3,\)"),
        ),
        order=3,
        mixed=True,
    ),
)
