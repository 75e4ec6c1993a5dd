"""The whole table of functions, compiled: values, gradients and second gradients are the plain call's, bit for bit; and
gradients from outside, whatever the upstream gradient's memory layout."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits
from helpers.cases import Case
from helpers.each import each
from helpers.function_table import ROWS
from helpers.programs_with_parts import LAYOUTS
from helpers.rows import Row
from helpers.table_orders import applied, call

import autolab
from autolab import Variable
from autolab.transforms.compiling import CompileWarning

REFUSED = {"dropout", "lstsq"}  # NumPy's own random numbers; a rank, which is an integer of Python's
BRANCHING = {"det", "eigh", "pinv", "qr", "svd"}
"""Their gradients depend on whether numbers are equal, so they are compiled only together with what asks for them."""

SHARE = 90
"""One case in so many is tried in every run, and those below; all in the full one."""

ALWAYS = {"pow number on the left", "floor_divide (5, 4) with (4,)"}

CELLS = [
    pytest.param(
        row, case, dtype, id=f"{row.name}-{case.label}-{dtype.__name__}",
        marks=[] if (i + j) % SHARE == 0 or f"{row.name} {case.label}" in ALWAYS else pytest.mark.full,
    )
    for j, (row, i, case) in enumerate([(row, i, case) for row in ROWS for i, case in enumerate(row.cases)])
    for dtype in (np.float64, np.float32)
]  # fmt: skip


def assert_was_compiled(compiled: Any, row: Row, except_for: set[str]) -> None:
    """A case that prepares its input with autograd's NumPy, or holds an `array.array`, reaches too much."""
    excused = re.search(r" anp\.|\(array\), the content of which is not compared", " ".join(compiled.refusals))
    assert not compiled.refusals or row.name in except_for or excused


@each(("row", "case", "dtype"), CELLS)
def test_a_compiled_function_computes_the_same_bits(row: Row, case: Case, dtype: type) -> None:
    run, _ = call(row, case, dtype, 0)
    compiled = autolab.compile(run)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)
        for seed in range(4):
            _, inputs = call(row, case, dtype, seed)
            rng = autolab.config.rng.bit_generator
            before = rng.state
            expected = run(*[np.array(a) for a in inputs])
            after, rng.state = rng.state, before
            found = compiled(*inputs)
            assert bits(found) == bits(expected) and str(rng.state) == str(after)
    assert_was_compiled(compiled, row, REFUSED)


@each(("row", "case"), [
    pytest.param(
        row, case, id=f"{row.name}-{case.label}",
        marks=[]
        if i % SHARE == 0 or "single elements" in case.label or f"{row.name} {case.label}" in ALWAYS
        else pytest.mark.full,
    )
    for i, (row, case) in enumerate([(row, case) for row in ROWS for case in row.cases])
])  # fmt: skip
def test_an_upstream_gradient_may_lie_in_any_way_in_memory(row: Row, case: Case) -> None:
    run, inputs = applied(row, case, np.float64, 0)
    compiled = autolab.compile(
        lambda *xs: [y for found in run(*xs) for y in (found if type(found) is tuple else [found])]
    )
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)
        for lay in [np.copy, *LAYOUTS]:
            told = []
            rng = autolab.config.rng.bit_generator
            before = rng.state
            for function in (compiled, compiled.function):
                rng.state = before
                xs = [Variable(np.array(a)) for a in inputs]
                ys = [y for y in function(*xs) if isinstance(y, Variable) and y.requires_grad]
                upstream = [lay(np.linspace(-1, 2, y.size).reshape(y.shape)) if y.ndim else np.ones(()) for y in ys]
                told.append([None if g is None else g.data for g in autolab.grad(ys, xs, upstream)] if ys else [])
            for found, expected in zip(*told, strict=True):
                assert (found is None) == (expected is None)
                if expected is not None:
                    size = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
                    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * size)
    assert_was_compiled(compiled, row, REFUSED | BRANCHING)


def test_a_method_takes_the_place_of_a_function_for_arrays_alone() -> None:
    """`np.dot(x, y)` is replayed as ``x.dot(y)``, which a number or a list in front does not have."""

    def run(x: np.ndarray) -> list[np.ndarray]:
        return [np.dot(x, x) @ x, np.dot(2.0, x), np.dot([1.0, 2.0], x)]

    compiled = autolab.compile(run)
    for i in range(3):
        x = np.linspace(i, 1, 4).reshape(2, 2)
        assert [bits(one) for one in compiled(x)] == [bits(one) for one in run(x)]
    assert not compiled.refusals and [program.seconds < 60 for program in compiled.programs] == [True]  # they ran
