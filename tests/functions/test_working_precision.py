"""Every function has all its digits: values and first derivatives beside multiple precision, over the whole range.

Allowed are 4 units in the last place times the condition; where more is, docs/conventions.md says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

from helpers.each import each
from helpers.exact import BINARY, UNARY, Exact, excess, points, sigmoid
from helpers.exact_arrays import CASES, DIGITS, Case, Differences, draw, worst
from helpers.function_table import ROWS
from mpmath import mp

from autolab import Variable, grad
from autolab import functions as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
DTYPES = (np.float16, np.float32, np.float64)
IN_ROWS = {row.name: row.digits(mp) for row in ROWS if row.digits}
ELEMENTWISE = {**UNARY, **BINARY, **{name: Exact(value, (slope,)) for name, (value, slope) in IN_ROWS.items()}}
FEW = pytest.param(1, id="few")
MANY = pytest.param(40, id="many", marks=pytest.mark.full)

BY_ITS_VALUE = {"tanh"}
"""Whose derivative is computed from the value, and has as many digits as that has beside 1: see the conventions."""

EXACT = {
    *("broadcast_to", "cast", "clip", "concatenate", "diagonal", "dropout", "embedding", "expand_dims", "flip"),
    *("getitem", "max", "max_pool2d", "min", "moveaxis", "pad", "repeat", "reshape", "roll", "sort"),
    *("split", "squeeze", "stack", "swapaxes", "take_along_axis", "tile", "transpose", "tril", "triu"),
    *("where", "accuracy", "ceil", "floor", "round", "sign", "floor_divide", "fmod", "remainder"),
    *("nll_loss", "one_hot", "hardtanh", "nan_to_num", "relu6", "append", "meshgrid"),
    *("max_pool1d", "global_max_pool"),
    *("partition", "block", "pixel_shuffle", "unfold", "precision", "recall", "f1_score", "r2_score"),
}
"""Functions that choose, move or count elements: there is nothing to lose digits by."""

PRODUCTS = {"gelu", "mish", "silu"}
"""``x`` times a number that may be below the least normal one, where it has fewer digits."""

BY_LAPACK = {"cholesky", "det", "eigh", "inv", "lstsq", "pinv", "qr", "slogdet", "solve", "svd"}
"""Exact for a matrix near the given one, which says little of a single element: see the conventions."""


def test_every_function_is_measured_or_says_why_not() -> None:
    groups = (set(ELEMENTWISE), {case.name for case in CASES}, EXACT, BY_LAPACK)
    assert sorted(name for group in groups for name in group) == sorted(F.__all__)
    assert set(ELEMENTWISE) >= BY_ITS_VALUE


def inputs(name: str, exact: Exact, dtype: type, count: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(len(name))
    x = points(dtype, exact, rng, count)
    if name not in BINARY:
        return (x,)
    return x, rng.uniform(-9, 9, x.size).astype(dtype) if name == "pow" else rng.permutation(x)


@each("count", [FEW, MANY])
@each("dtype", DTYPES)
@each("name", ELEMENTWISE)
def test_elementwise(name: str, dtype: type, count: int) -> None:
    exact = ELEMENTWISE[name]
    xs = inputs(name, exact, dtype, count)
    vs = [Variable(x) for x in xs]
    y = getattr(F, name)(*vs)
    assert y.dtype == dtype
    tiny = np.finfo(dtype).tiny
    off = excess(y.data, exact.value, xs, floor=tiny if name in PRODUCTS else 0.0)
    assert off.max() <= 1, [float(x[off.argmax()]) for x in xs]
    for slope, g in zip(exact.slopes, grad([y], vs, [np.ones_like(y.data)]), strict=True):
        assert g.dtype == dtype
        off = excess(g.data, slope, xs, floor=np.finfo(dtype).eps if name in BY_ITS_VALUE else tiny)
        off[((y.data != 0) & (np.abs(y.data) < tiny)) | np.isinf(y.data)] = (
            0  # too few digits to compute a gradient from
        )
        assert off.max() <= 1, [float(x[off.argmax()]) for x in xs]


_USUAL = ((1, np.float16), (30, np.float64))
_REST = [(scale, dtype) for scale in (1e-3, 1, 30, 300) for dtype in DTYPES if (scale, dtype) not in _USUAL]


@each(("scale", "dtype"), [*_USUAL, *[pytest.param(*r, marks=pytest.mark.full) for r in _REST]])
@each("case", CASES, ids=lambda case: case.name)
def test_arrays(case: Case, dtype: type, scale: float) -> None:
    rng = np.random.default_rng(7)
    xs = draw(case, dtype, rng, scale)
    vs = [Variable(x) for x in xs]
    y = case.call(*vs)
    g = rng.normal(size=y.shape).astype(dtype)
    found = grad([y], vs, [g])
    with mp.workdps(DIGITS):
        exact = Differences(case, xs, g)
        assert y.dtype == dtype and worst(y.data, exact.value, exact.value_change) <= case.rounding
        gradients = np.concatenate([part.data.ravel() for part in found])
        assert worst(gradients, exact.gradient, exact.gradient_change) <= case.rounding


SECOND: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sigmoid": (F.sigmoid, lambda x: -sigmoid(x) * sigmoid(-x) * mp.tanh(x / 2)),
    "softplus": (F.softplus, lambda x: sigmoid(x) * sigmoid(-x)),
    "silu": (F.silu, lambda x: sigmoid(x) * sigmoid(-x) * (2 - x * mp.tanh(x / 2))),
    "gelu": (F.gelu, lambda x: (2 - x * x) * mp.npdf(x)),
    "erf": (F.erf, lambda x: -4 * x / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "expm1": (F.expm1, mp.exp),
    "log1p": (F.log1p, lambda x: -1 / (1 + x) ** 2),
    "logaddexp": (lambda x: F.logaddexp(x, 0.5), lambda x: sigmoid(x - 0.5) * sigmoid(0.5 - x)),
    "sigmoid_cross_entropy": (
        lambda x: F.sum(F.stack(*[F.sigmoid_cross_entropy(v, np.ones((), v.dtype)) for v in x])),
        lambda x: sigmoid(x) * sigmoid(-x),
    ),
    "softmax": (
        lambda x: F.softmax(F.stack(x, 0.5 * x, axis=-1))[..., 0],
        lambda x: -sigmoid(x / 2) * sigmoid(-x / 2) * mp.tanh(x / 4) / 4,
    ),
    "tanh": (F.tanh, lambda x: -2 * mp.tanh(x) * mp.sech(x) ** 2),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_where_formulas_cancel(name: str) -> None:
    function, exact = SECOND[name]
    far = 2 if name == "tanh" else 30
    near = [] if name == "softmax" else [1e-9, -1e-5]  # the difference of two equal shares has no digits
    x = np.array([*near, -0.4, 0.3, 1.7, *([-0.9, 1.0] if name == "log1p" else [-far, far])])
    v = Variable(x)
    (first,) = grad([function(v)], [v], [np.ones(np.shape(function(v).data))], create_graph=True)
    (second,) = grad([first], [v], [np.ones(x.shape)])
    assert excess(second.data, exact, (x,)).max() <= 8
