"""Every function of the table with every dtype: its result is right, or it is refused.

Right is what the same numbers give in float64; of NumPy's own functions it is what NumPy gives, which wraps around in
``uint8`` where it adds. float16 is right to its own digits, also where sums go beyond its numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case, arrays
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row

from autolab import Variable, grad
from autolab import functions as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
INTEGERS = [np.dtype(name) for name in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
HALF = np.dtype(np.float16)
TABLE = {row.name: row for row in ROWS if row.name != "one_hot"}  # whose dtype is given
NUMPYS: dict[str, Callable[..., Any] | None] = {
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "neg": np.negative,
    "pow": np.power,
    "concatenate": lambda *xs, **attributes: np.concatenate(xs, **attributes),
    "stack": lambda *xs, **attributes: np.stack(xs, **attributes),
    "einsum": lambda *xs, subscripts: np.einsum(subscripts, *xs),
    "clip": lambda x, low=None, high=None: np.clip(x, low, high),
    "reshape": lambda x, shape, **attributes: np.reshape(x, shape, **attributes),  # newshape before NumPy 2.1
    "take_along_axis": lambda x, indices, axis=-1: np.take_along_axis(x, indices, axis),
    "matrix_power": np.linalg.matrix_power,
    "quantile": None,  # which NumPy does not have of truth values
    "percentile": None,
    "partition": None,  # which leaves the rest in any order
    "fft": None,  # a module
    "sinc": None,  # which is not 0 at whole numbers
    "block": lambda *xs: np.block(*xs),
    "split": None,  # has other parameters than NumPy's
}


def numpys(row: Row) -> Callable[..., Any] | None:
    """NumPy's function of that name, which says what is right for integers."""
    return NUMPYS.get(row.name, getattr(np, row.name, None))


def cases(row: Row) -> list[Case]:
    """The cases with elements; none in which the case itself computes, has a dtype of its own, or does not exist for
    whole numbers, as places that are all different do."""
    if row.name == "kl_divergence":
        return [Case("counts", arrays((2, 3), (2, 3)))]
    spoilt = ("array", "constant", "stride", "every other", "columns", "transposed", "read-only", "tested", "Variable")
    spoilt += (
        "product",
        "with itself",
        "determinant",
        "mask of floats",
        "mask that is trained",
        "a number",
        "integer targets",
        "places",
        "without a sign",  # NumPy 2.0 and 2.1 cannot do that
    )
    usual = [case for case in row.cases if not any([word in case.label for word in spoilt])]
    drawn = [(case, case.make(np.random.default_rng(0), np.float64)) for case in usual]
    return [case for case, made in drawn if all([a.size > 1 for a in made])]


def drawn(row: Row, case: Case, dtype: np.dtype) -> tuple[np.ndarray, ...]:
    made = case.make(np.random.default_rng(zlib.crc32(case.label.encode())), np.float64)
    if dtype == HALF or row.name == "embedding":
        return tuple([a.astype(dtype) for a in made])
    numbers = [np.rint(np.abs(a) if dtype.kind in "ub" or row.name == "pow" else a) for a in made]
    if row.name in (
        "sigmoid_cross_entropy",
        "binary_cross_entropy",
        "pow",
    ):  # which take no other targets, and no negative exponents
        return tuple([a.clip(0, 1).astype(dtype) for a in numbers])
    return tuple([(a * 60).clip(-120, 120).astype(dtype) for a in numbers])


def outcome(case: Case, function: Callable[..., Any], xs: Sequence[Any]) -> Any:
    """The results as arrays, or the error."""
    try:
        y = case.call(function, *xs)
    except (TypeError, ValueError) as error:
        return error
    return [np.asarray(getattr(part, "data", part)) for part in (y if isinstance(y, tuple | list) else [y])]


def near(got: np.ndarray, expected: np.ndarray, units: int = 16, least: float = 0.0) -> bool:
    """Whether two arrays agree to a few units in the last place of the first, or exactly for integers."""
    if got.dtype.kind != "f":
        return np.array_equal(got.astype(np.float64), expected.astype(np.float64))
    with np.errstate(all="ignore"):
        expected = expected.astype(got.dtype)
        finite = np.abs(expected[np.isfinite(expected)]).astype(np.float64)
        size = np.maximum(np.abs(expected.astype(np.float64)), 0.2 * finite.max(initial=least))
        off = np.abs(got.astype(np.float64) - expected.astype(np.float64))
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        allowed = units * np.finfo(got.dtype).eps * size + 2 * float(np.finfo(got.dtype).smallest_subnormal)
        return bool((same | (off <= allowed)).all())


REFUSED = {
    **dict.fromkeys(("neg", "sub", "sign"), "b"),  # as NumPy refuses them
    "round": "b",  # with digits
    "hinge": "biu",  # class numbers
    # LAPACK has no float16
    **dict.fromkeys(("cholesky", "det", "eigh", "inv", "lstsq", "pinv", "qr", "slogdet", "solve", "svd"), "f"),
}
"""The kinds of dtype that a function may refuse, for all arrays or for some attributes."""


@each("name", TABLE)
def test_the_result_is_right_or_refused(name: str) -> None:
    row = TABLE[name]
    for dtype in (*INTEGERS, HALF):
        for case in cases(row):
            _check(row, case, dtype)


def _check(row: Row, case: Case, dtype: np.dtype) -> None:
    xs, name = drawn(row, case, dtype), row.name
    its_own = numpys(row) if dtype != HALF else None
    floats = [x.astype(np.float64) for x in xs]
    expected = outcome(case, row.function, floats) if its_own is None else outcome(case, its_own, xs)
    for inputs in (xs, [Variable(x) for x in xs]):
        got = outcome(case, row.function, inputs)
        if isinstance(got, Exception):
            assert isinstance(expected, Exception) or dtype.kind in REFUSED.get(name, ""), (dtype, case.label, got)
            assert str(got).startswith(f"{name}:") and len(str(got)) <= 300
            continue
        assert not isinstance(expected, Exception), (dtype, case.label, expected)
        for y, e in zip(got, expected, strict=True):
            assert near(y, e), (case.label, xs, y, e)
            if its_own is not None:
                assert y.dtype == e.dtype, case.label
            elif y.dtype.kind == "f" and name != "cast":
                assert y.dtype == (HALF if dtype == HALF else np.float64), case.label


@each("name", [row.name for row in ROWS if row.order])
def test_gradients_in_float16_are_right(name: str) -> None:
    row = TABLE[name]
    for case in cases(row):
        xs = drawn(row, case, HALF)
        found = []
        for dtype in (np.float16, np.float64):
            vs = [Variable(x.astype(dtype)) for x in xs]
            try:
                ys = case.call(row.function, *vs)
            except TypeError:
                assert "f" in REFUSED.get(name, "")
                return
            ys = [y for y in (ys if isinstance(ys, tuple | list) else [ys]) if isinstance(y, Variable)]
            rng = np.random.default_rng(3)
            starts = [rng.uniform(0.5, 1, y.shape).astype(np.float16).astype(y.dtype) for y in ys]
            found.append(grad(ys, vs, starts))
        for got, expected in zip(*found, strict=True):
            if expected is not None:
                assert got.dtype == HALF and near(got.data, expected.data, units=32), (case.label, got, expected)


@each("name", [row.name for row in ROWS if row.mixed or row.name in ("layer_norm", "batch_norm")])
def test_integers_beside_a_float_variable(name: str) -> None:
    row = TABLE[name]
    several = [c for c in cases(row) if len(c.make(np.random.default_rng(0), np.float64)) > 1]
    for case, dtype in product(several, INTEGERS):
        xs = drawn(row, case, dtype)
        for place in range(len(xs)):
            (y, g), (wide_y, wide_g) = [_beside(row, case, xs, place, other) for other in (dtype, np.float64)]
            assert y.dtype.kind == "f"
            assert near(y, wide_y.astype(y.dtype)), (case.label, dtype, place, y, wide_y)
            assert g is wide_g is None or near(g, wide_g, least=1.0), (case.label, dtype, place, g, wide_g)


def _beside(row: Row, case: Case, xs: Sequence[np.ndarray], place: int, other: Any) -> tuple[Any, Any]:
    """The result and the gradient where one input is a Variable of float32."""
    mixed: list[Any] = [x.astype(other) for x in xs]
    mixed[place] = Variable(xs[place].astype(np.float32))
    y = case.call(row.function, *mixed)
    g = grad(y, mixed[place], np.ones(y.shape))
    return y.data, None if g is None else g.data


IMAGE = np.array([0, 1, 2, 3, 127, 128, 200, 255], np.uint8)


@pytest.mark.parametrize(
    "name", ["sigmoid", "silu", "gelu", "erf", "softplus", "elu", "softmax", "log_softmax", "logsumexp"]
)
def test_the_bytes_of_an_image(name: str) -> None:
    function = getattr(F, name)
    for x in (IMAGE, IMAGE.view(np.int8)):
        got, expected = function(x), function(x.astype(np.float64))
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == np.float64


N = 70_000
"""More than the greatest number of float16, 65504."""

_ONES = np.ones((5000, 2), np.float16)
_GREAT = np.full((2, N), 300, np.float16)
_GREAT[:, ::2] = 60_000
_LABELS = np.zeros(5000, int)
LONG: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "mean": (F.mean, _GREAT),
    "mean over rows": (lambda x: F.mean(x, axis=0), _ONES),
    "sum over rows": (lambda x: F.sum(x, axis=0), _ONES),
    "sum_to": (lambda x: F.sum_to(x, shape=(2,)), _ONES),
    "var": (lambda x: F.var(x, axis=1), _GREAT / 300),
    "std": (lambda x: F.std(x, axis=1), _GREAT),
    "norm": (lambda x: F.norm(x, axis=1), _GREAT / 300),
    "cumsum": (lambda x: F.cumsum(x, axis=0), _ONES),
    "cumprod": (lambda x: F.cumprod(x, axis=0), np.array([200, 300, 0.001], np.float16)),
    "prod": (F.prod, np.array([300, 300, 0.001], np.float16)),
    "softmax": (lambda x: F.softmax(x, axis=0), _ONES),
    "log_softmax": (lambda x: F.log_softmax(x, axis=0), _ONES),
    "logsumexp": (lambda x: F.logsumexp(x, axis=0), _ONES),
    "layer_norm": (F.layer_norm, _GREAT),
    "batch_norm": (lambda x: F.batch_norm(x, np.ones(2, x.dtype), np.ones(2, x.dtype)), _ONES * [300, 7]),
    "batch_norm's parameters": (lambda w: F.batch_norm(_ONES.astype(w.dtype), w, w), np.ones(2, np.float16)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, kernel=100), np.full((1, 1, 100, 100), 300, np.float16)),
    "mean_squared_error": (lambda x: F.mean_squared_error(x, x.data * 0), _GREAT[0] / 300),
    "mean_absolute_error": (lambda x: F.mean_absolute_error(x, x.data * 0), _GREAT),
    "huber": (lambda x: F.huber(x, x.data * 0), _GREAT),
    "sigmoid_cross_entropy": (lambda x: F.sigmoid_cross_entropy(x, x.data * 0), _GREAT),
    "softmax_cross_entropy": (lambda x: F.softmax_cross_entropy(x * 60_000, _LABELS + 1), _ONES * [1, 0]),
    "linear's bias": (lambda b: F.linear(_ONES.astype(b.dtype), np.eye(2, dtype=b.dtype), b), np.ones(2, np.float16)),
    "conv1d's bias": (
        lambda b: F.conv1d(np.ones((1, 1, 5000), b.dtype), np.ones((1, 1, 1), b.dtype), b),
        np.ones(1, np.float16),
    ),
    "embedding": (lambda w: F.embedding(_LABELS, w), np.ones((2, 2), np.float16)),
    "getitem": (lambda x: x[_LABELS], np.ones(2, np.float16)),
    "max": (F.max, np.ones(N, np.float16)),
    "matmul": (lambda x: F.matmul(np.ones((1, 5000), x.dtype), x), _ONES),
}


@each("name", LONG)
def test_long_sums_in_float16(name: str) -> None:
    function, x = LONG[name]
    x = np.asarray(x, np.float16)
    found = []
    for dtype in (np.float16, np.float64):
        v = Variable(x.astype(dtype))
        y = function(v)
        upstream = (np.arange(y.size) % 3 == 0).reshape(y.shape)
        found.append((y.data, grad(y, v, upstream.astype(y.dtype)).data))
    for got, expected in zip(*found, strict=True):
        assert got.dtype == HALF and near(got, expected, units=4), (got, expected)


def test_accuracy_of_many_examples_in_float16() -> None:
    x = np.zeros((5001, 2), np.float16)
    x[:4000, 1] = 1
    assert F.accuracy(x, np.ones(5001, int)) == np.float16(4000 / 5001)
    assert F.accuracy(Variable(x), np.ones(5001, int)).dtype == np.float16
