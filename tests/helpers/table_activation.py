"""Rows of the activation functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, fixed, layouts, unary_cases
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_elementwise import erf, sigmoid

_X = Variable(np.ones((2, 3)))


def _log_softmax(x: Any, axis: int = -1) -> Any:
    if not x.size:
        return x * 1.0
    below = x - anp.max(x, axis=axis, keepdims=True)
    return below - anp.log(anp.sum(anp.exp(below), axis=axis, keepdims=True))


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return anp.where(x > 0, x, alpha * anp.expm1(anp.minimum(x, 0)))


def _leaky_relu(x: Any, slope: float = 0.2) -> Any:
    return anp.where(x > 0, x, slope * x)


def _normal(x: Any) -> Any:
    return 0.5 + 0.5 * erf(x * math.sqrt(0.5))


def _erfc(x: Any) -> Any:
    return np.vectorize(math.erfc, otypes=[float])(x).astype(x.dtype)


def _far_gelu(x: Any) -> Any:
    return np.maximum(x, -1000) * _erfc(-x * math.sqrt(0.5)) / 2


def _gelu_slope(x: Any) -> Any:
    x = x.clip(-1000, 1000)
    return _erfc(-x * math.sqrt(0.5)) / 2 + x * np.exp(x * x * -0.5) / math.sqrt(2 * math.pi)


def _silu_slope(x: Any) -> Any:
    return sigmoid(x) * (1 + x.clip(-1000, 1000) * sigmoid(-x))


_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772


def _selu(x: Any) -> Any:
    return _SCALE * _elu(x, _ALPHA)


def _selu_slope(x: Any) -> Any:
    return np.where(x > 0, _SCALE, _SCALE * _ALPHA * np.exp(np.minimum(x, 0))).astype(x.dtype)


def _prelu(x: Any, w: Any) -> Any:
    w = w if np.ndim(w) != 1 else anp.reshape(w, (-1, *[1] * (x.ndim - 2)) if w.size > 1 else ())
    return anp.where(x > 0, x, w * x)


def _glu(x: Any, axis: int = -1) -> Any:
    half, gate = anp.split(x, 2, axis=axis)
    return half / (1 + anp.exp(-gate))


def _hardswish_slope(x: Any) -> Any:
    return np.where(x <= -3, 0, np.where(x >= 3, 1, (2 * x.clip(-3, 3) + 3) / 6)).astype(x.dtype)


def _far_hardswish(x: Any) -> Any:
    return np.maximum(x, -3) * (np.clip(x + 3, 0, 6) / 6)


def _gate(x: Any) -> Any:
    return np.tanh(np.logaddexp(x, 0))


def _far_mish(x: Any) -> Any:
    return np.maximum(x, -1000) * _gate(x)


def _mish_slope(x: Any) -> Any:
    return _gate(x) + x.clip(-1000, 1000) * (1 - _gate(x) ** 2) * sigmoid(x)


def _far_softsign(x: Any) -> Any:
    return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))).astype(x.dtype)


def _without(function: Any) -> tuple[Bad, ...]:
    """What a function of one input and nothing else refuses."""
    name = function.__name__
    settings = len(function.function.schema.defaults)
    return (
        Bad(lambda: function(_X, *[1.0] * (settings + 1)), TypeError, name),
        Bad(lambda: function(_X * 1, axis=0), TypeError, "axis"),
    )


_ALONG_AN_AXIS = (
    *cases_with(
        ("vector", ((5,),), {}),
        ("rows", ((5, 4),), {}),
        ("columns", ((5, 4),), {"axis": 0}),
        ("in the middle", ((2, 3, 4),), {"axis": 1}),
        ("from the end", ((2, 3, 4),), {"axis": -2}),
        ("one class", ((3, 1),), {}),
        ("one", ((1,),), {}),
        ("a scalar", ((),), {}),
        ("no rows", ((0, 3),), {}),
        ("no classes", ((3, 0),), {}),
        ("nothing to sum", ((0, 3),), {"axis": 0}),
    ),
    *layouts((5, 4), call=fixed(axis=0)),
)

ROWS = (
    Row(
        F.prelu,
        _prelu,
        (
            *cases_with(
                *[
                    (f"{x} {w}", (x, w), {})
                    for x, w in (
                        *(((5,), ()), ((5, 4), (4,)), ((2, 3, 4), (3,)), ((2, 3, 2, 2), (3,)), ((), ())),
                        *(((5, 4), (1,)), ((0, 3), (3,)), ((5, 4), ()), ((1, 4), (4,))),
                    )
                ],
            ),
            Case("a value with itself", arrays((4, 4)), lambda f, x: f(x, x[0])),
            Case("a number", arrays((5, 4)), lambda f, x: f(x, np.asarray(0.25, dtype_of(x)))),
            *layouts((5, 4), call=lambda f, x: f(x, x[0])),
        ),
        (
            Bad(lambda: F.prelu(_X, np.ones(2)), ValueError, r"prelu: x has shape \(2, 3\), w has shape \(2,\): exp"),
            Bad(lambda: F.prelu(Variable(np.ones(3)), np.ones(3)), ValueError, r"prelu: x has shape \(3,\)"),
            Bad(lambda: F.prelu("text", 1.0), TypeError, "prelu: input 'x': got str 'text'"),
        ),
        order=3,
        exact=False,
    ),
    Row(
        F.glu,
        _glu,
        (
            *cases_with(
                ("vector", ((6,),), {}),
                ("rows", ((5, 4),), {}),
                ("columns", ((4, 5),), {"axis": 0}),
                ("in the middle", ((2, 4, 3),), {"axis": 1}),
                ("from the end", ((2, 4, 3),), {"axis": -2}),
                ("no rows", ((0, 4),), {}),
                ("nothing", ((3, 0),), {}),
            ),
            *layouts((6, 4), call=fixed(axis=0)),
        ),
        (
            Bad(lambda: F.glu(_X), ValueError, r"glu: x has shape \(2, 3\), axis=-1: expected an even length"),
            Bad(lambda: F.glu(_X, 2), ValueError, r"glu: axis=2 is not an axis of x, .* \(2, 3\)"),
            Bad(lambda: F.glu("text"), TypeError, "glu: input 'x': got str 'text'"),
        ),
        order=3,
        exact=False,
    ),
    Row(
        F.relu,
        lambda x: anp.maximum(x, 0),
        unary_cases((-2, 2)),
        _without(F.relu),
        slope=lambda x: (x > 0).astype(x.dtype),
        order=3,
    ),
    Row(
        F.leaky_relu,
        _leaky_relu,
        (*unary_cases((-2, 2)), Case("another slope", arrays((5, 4)), fixed(slope=-0.5))),
        (
            Bad(lambda: F.leaky_relu(_X, 0.5, 1), TypeError, "leaky_relu: got 3 .*at most 2: .x, slope"),
            Bad(lambda: F.leaky_relu(_X, alpha=0.5), TypeError, "alpha"),
        ),
        slope=lambda x: np.where(x > 0, 1, 0.2).astype(x.dtype),
        order=3,
    ),
    Row(
        F.softsign,
        lambda x: x / (1 + anp.abs(x)),
        unary_cases((-4, 4)),
        _without(F.softsign),
        order=3,
        exact=False,
        slope=lambda x: (1 / (1 + np.abs(x))) ** 2,
        awkward=_far_softsign,
        digits=lambda mp: (lambda x: x / (1 + abs(x)), lambda x: 1 / (1 + abs(x)) ** 2),
    ),
    Row(
        F.elu,
        _elu,
        (*unary_cases((-2, 2)), Case("another scale", arrays((5, 4)), fixed(alpha=-2.0))),
        (
            Bad(lambda: F.elu(_X, 0.5, 1), TypeError, "elu: got 3 .*at most 2: .x, alpha"),
            Bad(lambda: F.elu(_X, beta=2.0), TypeError, "beta"),
        ),
        order=3,
        exact=False,
        slope=lambda x: np.where(x > 0, 1, np.exp(np.minimum(x, 0))).astype(x.dtype),
    ),
    *[
        Row(
            function,
            reference,
            unary_cases(domain),
            _without(function),
            order=3,
            exact=False,
            slope=slope,
            awkward=awkward,
        )
        for function, reference, domain, slope, awkward in (
            (F.gelu, lambda x: x * _normal(x), (-3, 3), _gelu_slope, _far_gelu),
            (
                F.silu,
                lambda x: x / (1 + anp.exp(-x)),
                (-4, 4),
                _silu_slope,
                lambda x: np.maximum(x, -1000) * sigmoid(x),
            ),
            (F.celu, lambda x: _elu(x), (-2, 2), lambda x: np.exp(np.minimum(x, 0)), None),
            (F.selu, _selu, (-2, 2), _selu_slope, None),
            (F.hardtanh, lambda x: anp.clip(x, -1, 1), (-2, 2), lambda x: (np.abs(x) < 1).astype(x.dtype), None),
            (F.relu6, lambda x: anp.clip(x, 0, 6), (-2, 8), lambda x: ((x > 0) & (x < 6)).astype(x.dtype), None),
            (
                F.hardsigmoid,
                lambda x: anp.clip(x + 3, 0, 6) / 6,
                (-5, 5),
                lambda x: (np.abs(x) < 3) / x.dtype.type(6),
                None,
            ),
            (F.hardswish, lambda x: x * (anp.clip(x + 3, 0, 6) / 6), (-5, 5), _hardswish_slope, _far_hardswish),
            (F.mish, lambda x: x * anp.tanh(anp.log1p(anp.exp(x))), (-4, 4), _mish_slope, _far_mish),
            (
                F.logsigmoid,
                lambda x: -anp.log1p(anp.exp(-x)),
                (-4, 4),
                lambda x: sigmoid(-x),
                lambda x: -np.logaddexp(-x, 0),
            ),
            (F.softplus, lambda x: anp.log1p(anp.exp(x)), (-4, 4), sigmoid, lambda x: np.logaddexp(x, 0)),
        )
    ],
    *[
        Row(
            function,
            reference,
            _ALONG_AN_AXIS,
            (
                Bad(
                    lambda f=function: f(_X, axis=2), ValueError, rf"{function.__name__}: x has shape \(2, 3\), axis=2"
                ),
                Bad(lambda f=function: f(_X, 1, 2), TypeError, rf"{function.__name__}: got 3 .*at most 2: .x, axis"),
            ),
            order=3,
            exact=False,
        )
        for function, reference in (
            (F.softmax, lambda x, axis=-1: anp.exp(_log_softmax(x, axis))),
            (F.log_softmax, _log_softmax),
        )
    ],
)
