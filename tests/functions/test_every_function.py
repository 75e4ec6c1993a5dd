"""R1: every declared function, in every case of the table, forward and to the second or third order."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from helpers.cases import Case, naming
from helpers.each import each
from helpers.function_table import ROWS
from helpers.oracle import Weights, ours, reference, zeros_for_none
from helpers.rows import Bad, Row

import autolab
from autolab import Variable
from autolab import functions as F

pytestmark = pytest.mark.goal(id="R1")

TOLERANCE = {np.float64: 1e-12, np.float32: 5e-6}
DTYPES = {"float64": (np.float64,), "float32": (np.float32,), "mixed": (np.float32, np.float64)}


def _checked(check: Callable[[Row, Case, tuple[type, ...]], None], row: Row, every: int = 1) -> None:
    """Check all cases; those of which not all numbers are in float64, one in ``every``."""
    for i, case in enumerate(row.cases):
        for kind, dtypes in DTYPES.items():
            if (kind != "mixed" or row.mixed) and (kind == "float64" or i % every == 0):
                with naming(f"{case.label}, {kind}"):
                    check(row, case, dtypes)


def _inputs(row: Row, case: Case, dtypes: tuple[type, ...]) -> tuple[int, tuple[np.ndarray, ...]]:
    seed = zlib.crc32(f"{row.name} {case.label}".encode())
    made = case.make(np.random.default_rng(seed), dtypes[0])
    casts = [a if i % 2 == 0 or dtypes[-1] == a.dtype else a.astype(dtypes[-1]) for i, a in enumerate(made)]
    return seed, tuple(casts)


def test_every_function_has_a_row() -> None:
    assert sorted(row.name for row in ROWS) == sorted(F.__all__)


def gaps(row: Row) -> list[str]:
    """What a row of the table ought to have and has not."""
    drawn = [case.make(np.random.default_rng(0), np.float64) for case in row.cases]
    inputs = [a for made in drawn for a in made]
    function = getattr(row.function, "function", None)  # a plain function around declared ones has none
    wanted = {
        "ten cases": len(row.cases) >= 10,
        "an empty array": any(a.size == 0 for a in inputs),
        "a negative stride": any(stride < 0 for a in inputs for stride in a.strides),
        "a read-only array": not all(a.flags.writeable for a in inputs),
        "two errors": sum(name == row.name for name, _ in mistakes()) >= 2,
    }
    if function is not None:
        wanted["a value with itself"] = len(function.declared) < 2 or any("itself" in case.label for case in row.cases)
    if function is not None and function.elementwise:
        one_input = len(function.inputs) == 1
        wanted["three orders"] = row.order >= 3
        wanted["awkward values"] = row.slope is not None or not one_input or row.name == "cast"
        wanted["broadcasting"] = one_input or any(a.shape != made[0].shape for made in drawn for a in made)
    return [name for name, there in wanted.items() if not there]


@each("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_complete(row: Row) -> None:
    assert gaps(row) == []


def test_gaps_are_found() -> None:
    (mul,) = [row for row in ROWS if row.name == "mul"]
    plain = [case for case in mul.cases if case.label == "(5, 4) with (5, 4)"]
    wanted = ["ten cases", "an empty array", "a negative stride", "a read-only array", "a value with itself"]
    assert gaps(replace(mul, cases=plain, order=2)) == [*wanted, "three orders", "broadcasting"]


@each("row", ROWS, ids=lambda row: row.name)
def test_forward(row: Row) -> None:
    _checked(_check_forward, row)


def _check_forward(row: Row, case: Case, dtypes: tuple[type, ...]) -> None:
    _, arrays = _inputs(row, case, dtypes)
    before = [a.copy() for a in arrays]
    expected = np.asarray(case.call(row.reference, *arrays))
    eps = 0.0 if row.exact else max(np.finfo(dtype).eps for dtype in (*dtypes, expected.dtype))
    atol = row.rounding * eps * np.abs(expected).max(initial=0)
    for y in (case.call(row.function, *[Variable(a) for a in arrays]).data, case.call(row.function, *arrays)):
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(y, expected, rtol=0, atol=atol)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)])
@each("row", ROWS, ids=lambda row: row.name, parts=2)
def test_gradients(row: Row, every: int) -> None:
    _checked(_check_gradients, row, every)


def _check_gradients(row: Row, case: Case, dtypes: tuple[type, ...]) -> None:
    seed, arrays = _inputs(row, case, dtypes)
    if row.order == 0:
        assert not case.call(row.function, *[Variable(a) for a in arrays]).requires_grad
        return
    weights = Weights(seed)
    mine = ours(partial(case.call, row.function), arrays, row.order, weights)
    theirs = reference(partial(case.call, row.reference), arrays, row.order, weights)
    rtol = max(TOLERANCE[dtype] for dtype in dtypes)
    if "cast" in row.name:
        rtol = TOLERANCE[np.float32]
    for order, (got, expected) in enumerate(zip(mine, theirs, strict=True), 1):
        inputs = arrays if order == 1 else [expected[0].astype(arrays[0].dtype), *arrays]
        for g, x in zip(got[-len(arrays) :], arrays, strict=True):
            assert g is None or (g.shape, g.dtype) == (x.shape, x.dtype), order
        scale = max([1.0, *[float(np.abs(e).max(initial=0)) for e in expected]])
        for g, e in zip(zeros_for_none(got, [np.shape(i) for i in inputs]), expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=rtol, atol=rtol * scale, err_msg=f"order {order}")


AWKWARD = np.array([0.0, -0.0, 1e-310, -1e-310, 1e-160, 1e300, -1e300, 20.0, -745.2, np.inf, -np.inf, np.nan])


@each("row", [row for row in ROWS if row.slope is not None], ids=lambda row: row.name)
@each("dtype", [np.float64, np.float32])
def test_awkward_values(row: Row, dtype: type) -> None:
    with np.errstate(all="ignore"):
        x = Variable(AWKWARD.astype(dtype))
        y = row.function(x)
        (g,) = autolab.grad(y, (x,), np.ones(y.shape))
        rtol = 4 * np.finfo(dtype).eps
        expected = (row.awkward or row.reference)(x.data)
        np.testing.assert_allclose(y.data, expected, rtol=0 if row.exact else rtol, atol=0)
        np.testing.assert_allclose(g.data, row.slope(x.data), rtol=rtol)


@cache
def mistakes() -> list[tuple[str, Bad]]:
    """The mistakes that every function must name, and those of the table."""
    found = []
    for row in ROWS:
        f, name = row.function, row.name
        found += [(name, bad) for bad in row.errors]
        if not hasattr(f, "function"):
            continue  # a plain function around a declared one
        schema, arity = f.function.schema, len(f.function.inputs)
        rest = [Variable([1.0])] * (arity - 1)
        # required attributes take any value here: the inputs are looked at first
        needed = {k: "i" for k, default in schema.defaults.items() if default is schema.signature.empty}
        found += [
            (name, Bad(partial(f, "text", *rest, **needed), TypeError, rf"{name}: input '\S+': got str 'text'")),
            (name, Bad(partial(f, 1j, *rest, **needed), TypeError, rf"{name}: input '\S+': got complex 1j")),
            (name, Bad(partial(f, Variable([1.0]), *rest, **needed, nothing=1), TypeError, "nothing")),
        ]
        if not schema.variadic:
            found.append((name, Bad(partial(f, *[Variable([1.0])] * (arity + 1)), TypeError, name)))
        if arity == 2:
            complex_array = partial(f, Variable([1.0]), np.array([1j]))
            found.append((name, Bad(complex_array, TypeError, rf"{name}.* complex")))
    return found


@each("row", ROWS, ids=lambda row: row.name)
def test_a_scalar_is_taken_or_refused_by_name(row: Row) -> None:
    """A function without a case of arrays of 0 axes has no use for them."""
    rng = np.random.default_rng(0)
    drawn = [(case, case.make(rng, np.float64)) for case in row.cases]
    if any(any(a.ndim == 0 for a in made) for _, made in drawn):
        return
    case, made = drawn[0]
    with pytest.raises((ValueError, IndexError, TypeError), match=rf"^{row.name}: .*\(\)") as caught:
        case.call(row.function, *[Variable(1.0) for _ in made])
    assert len(str(caught.value)) <= 300


@each("row", ROWS, ids=lambda row: row.name)
def test_errors(row: Row) -> None:
    for bad in [bad for name, bad in mistakes() if name == row.name]:
        with naming(bad.message):
            with pytest.raises(bad.error, match=bad.message) as caught:
                bad.call()
            assert len(str(caught.value)) <= 300
