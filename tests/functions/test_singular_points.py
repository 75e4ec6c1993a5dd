"""R3: where a derivative does not exist or a formula breaks down: the values that AutoLab gives, and says it gives.

The rows are those of the one table of conventions, which documents and views show too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT
from helpers.each import each

from autolab import Variable, grad
from autolab import functions as F
from autolab.functions.conventions import Convention, conventions
from autolab.recording import find_nonfinite
from autolab.views.cards.conventions import markdown

pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.goal(id="R3")]
TABLE = conventions()
NUMBERS = [row for row in TABLE if row.refused is None]
REFUSED = [row for row in TABLE if row.refused is not None]


def program(row: Convention) -> Callable[..., Any]:
    """The row's expression as a function of its inputs."""
    return eval(f"lambda {', '.join(row.inputs)}: {row.code}", {"F": F})


def arrays(row: Convention) -> dict[str, np.ndarray]:
    return {name: np.array(value, float) for name, value in row.inputs.items()}


def results(row: Convention, create_graph: bool) -> tuple[Variable, dict[str, Any]]:
    xs = {name: Variable(array) for name, array in arrays(row).items()}
    y = program(row)(**xs)
    gradients = grad([y], list(xs.values()), [np.ones(y.shape)], create_graph=create_graph)
    return y, {name: g.data for name, g in zip(xs, gradients, strict=True) if g is not None}


def label(row: Convention) -> str:
    return f"{row.function}: {row.at}"


def test_the_table_is_long_enough_and_complete() -> None:
    assert len(TABLE) >= 80 and len({row.function for row in TABLE}) >= 40
    assert len({label(row) for row in TABLE}) == len(TABLE)
    for row in TABLE:
        assert row.function in F.__all__ and row.because.endswith(".") and row.elsewhere.endswith(("", "."))
        assert (row.value is None) == (row.gradients is None) == (row.refused is not None)


@each("row", NUMBERS, ids=label)
@each("create_graph", [False, True])
def test_singular_points(row: Convention, create_graph: bool) -> None:
    y, gradients = results(row, create_graph)
    np.testing.assert_allclose(y.data, row.value, rtol=4e-16, atol=1e-15)
    assert gradients.keys() == row.gradients.keys()
    for name, g in gradients.items():
        np.testing.assert_allclose(g, row.gradients[name], rtol=4e-16, atol=1e-15, err_msg=name)


@each("row", NUMBERS, ids=label)
def test_float32_does_the_same(row: Convention) -> None:
    xs = {name: Variable(array.astype(np.float32)) for name, array in arrays(row).items()}
    y = program(row)(**xs)
    np.testing.assert_allclose(y.data, row.value, rtol=1e-6, atol=1e-6)
    for name, x in xs.items():
        g = grad([y], x, [np.ones(y.shape, y.dtype)])
        if g is not None:
            np.testing.assert_allclose(g.data, row.gradients[name], rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("row", REFUSED, ids=label)
def test_refusals(row: Convention) -> None:
    with pytest.raises(ValueError) as caught:
        results(row, create_graph=False)
    assert str(caught.value) == row.refused


def has_nan(values: Any) -> bool:
    return bool(np.isnan(np.array(values, float)).any())


@each("row", NUMBERS, ids=label)
def test_every_nan_names_its_first_producer(row: Convention) -> None:
    nan = find_nonfinite(program(row), **arrays(row)).first_nan
    assert (nan is not None) == any(map(has_nan, [row.value, *row.gradients.values(), *row.inputs.values()]))
    if nan is None:
        return
    given = any(map(has_nan, row.inputs.values()))
    phase = "forward" if given or has_nan(row.value) else "backward"
    assert (nan.phase, nan.how) == (phase, "given" if given else "computed")
    assert given or nan.function in row.code or nan.function in ("pow", "div", "mul")


def test_the_document_is_made_of_the_table() -> None:
    """To bring it up to date: python -m autolab.views.cards.conventions docs/conventions.md"""
    assert (ROOT / "docs" / "conventions.md").read_text("utf-8") == markdown(TABLE)


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        TABLE[0].inputs["a"] = 2.0
    assert conventions("abs") == tuple(row for row in TABLE if row.function == "abs")
    assert conventions("sin") == ()


# ---------------------------------------------------------------------- more numbers at the same points
# base, exponent -> gradient of the base, gradient of the exponent
POW = [
    (0.0, 1.0, 1.0, 0.0),
    (-2.0, 0.0, 0.0, math.nan),
    (-2.0, 0.5, math.nan, math.nan),
    (1.0, 1e300, 1e300, 0.0),
    (2.0, -1.0, -0.25, 0.5 * np.log(2.0)),
    (1e-200, 2.0, 2e-200, 0.0),
    (math.inf, 0.0, 0.0, math.inf),
    (math.inf, 1.0, 1.0, math.inf),
    (math.nan, 0.0, 0.0, math.nan),  # nan ** 0 is 1, as every other
    (5e-324, 0.0, 0.0, np.log(5e-324)),  # its reciprocal would be infinite
]
# numerator, denominator -> gradient of each
DIV = [
    (-1.0, 0.0, math.inf, math.inf),
    (1.0, -0.0, -math.inf, -math.inf),
    (1e-200, 1e-200, 1e200, -1e200),  # the square of the denominator would be 0
    (1e200, 1e200, 1e-200, -1e-200),  # and here infinite
    (1.0, math.inf, 0.0, 0.0),
    (math.inf, math.inf, 0.0, math.nan),
]


@pytest.mark.parametrize(("function", "rows"), [(F.pow, POW), (F.div, DIV)])
@pytest.mark.parametrize("create_graph", [False, True])
def test_powers_and_quotients(function: Any, rows: list[tuple[float, ...]], create_graph: bool) -> None:
    for a, b, to_a, to_b in rows:
        x, y = Variable(a), Variable(b)
        got = grad(function(x, y), (x, y), create_graph=create_graph)
        np.testing.assert_allclose([g.item() for g in got], [to_a, to_b], rtol=1e-15, err_msg=f"{a}, {b}")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint64])
def test_exponents_of_whole_numbers(dtype: type) -> None:
    """Less 1, an exponent 0 without a sign is a large number, and a great base to that power is infinite."""
    x = Variable([100.0, 100.0, 100.0])
    g = grad(x ** np.array([0, 1, 2], dtype), x, np.ones(3))
    np.testing.assert_array_equal(g.data, [0.0, 1.0, 200.0])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_powers_of_zero_have_every_derivative(n: int) -> None:
    x = Variable(0.0)
    y, factorial = x**n, 1.0
    for order in range(1, n + 2):
        y = grad(y, x, create_graph=True)
        factorial *= n - order + 1
        assert y.item() == (factorial if order == n else 0.0), order


@each("x", [np.float32(1e-40), np.float32(1e-20), 5e-324, 1e-160])
@each("n", [0, 1, np.zeros(1), np.ones(1)])
def test_powers_of_tiny_numbers_have_every_derivative(x: Any, n: Any) -> None:
    """The square of a tiny number's reciprocal is infinite, and 0 times it would be NaN."""
    x = Variable(np.asarray(x))
    y = x**n
    for order in (1, 2, 3):
        y = grad(y, x, create_graph=True)
        assert y.item() == (order == np.max(n)), order
