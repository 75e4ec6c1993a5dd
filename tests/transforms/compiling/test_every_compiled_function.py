"""The whole table of functions, compiled: values, gradients and second gradients are the plain call's, bit for bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from helpers.bits import bits
from helpers.cases import Case
from helpers.function_table import ROWS
from helpers.rows import Row
from helpers.table_orders import call

import autolab
from autolab.transforms.compiling import CompileWarning

SHARE = 90
"""One case in so many is tried in every run; all in the full one."""

CELLS = [
    pytest.param(
        row, case, dtype, id=f"{row.name}-{case.label}-{dtype.__name__}",
        marks=[] if (i + j) % SHARE == 0 else pytest.mark.full,
    )
    for j, (row, i, case) in enumerate([(row, i, case) for row in ROWS for i, case in enumerate(row.cases)])
    for dtype in (np.float64, np.float32)
]  # fmt: skip


@pytest.mark.parametrize(("row", "case", "dtype"), CELLS)
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


def test_a_method_takes_the_place_of_a_function_for_arrays_alone() -> None:
    """`np.dot(x, y)` is replayed as ``x.dot(y)``, which a number or a list in front does not have."""

    def run(x: np.ndarray) -> list[np.ndarray]:
        return [np.dot(x, x) @ x, np.dot(2.0, x), np.dot([1.0, 2.0], x)]

    compiled = autolab.compile(run)
    for i in range(3):
        x = np.linspace(i, 1, 4).reshape(2, 2)
        assert [bits(one) for one in compiled(x)] == [bits(one) for one in run(x)]
    assert not compiled.refusals and [program.seconds < 60 for program in compiled.programs] == [True]  # they ran
