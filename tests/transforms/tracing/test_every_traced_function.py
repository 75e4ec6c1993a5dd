"""The whole table of functions as programs: what they compute elsewhere is what the engine computes there."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases import Case
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row
from helpers.table_orders import call

from autolab.transforms.tracing import Untraceable, replay, trace

REFUSED = {"dropout", "lstsq"}  # random numbers; a rank, which is an integer of Python's

SHARE = 10
"""One case in so many, and the first of each function, is tried in every run, and in float64; all in the full one."""

CELLS = [
    pytest.param(
        row, case, dtype, id=f"{row.name}-{case.label}-{dtype.__name__}",
        marks=[] if dtype is np.float64 and i % SHARE == 0 else pytest.mark.full,
    )
    for row in ROWS
    for i, case in enumerate(row.cases)
    for dtype in (np.float64, np.float32)
]  # fmt: skip


@each(("row", "case", "dtype"), CELLS)
def test_a_program_computes_what_the_engine_does(row: Row, case: Case, dtype: type) -> None:
    run, here = call(row, case, dtype, 0)
    points = [call(row, case, dtype, seed) for seed in range(3)]
    with np.errstate(all="ignore"):
        try:
            program = trace(run, here)
        except Untraceable as refusal:
            assert row.name in REFUSED, refusal
            return
        stacked = [np.stack(arrays) for arrays in zip(*[inputs for _, inputs in points], strict=True)]
        found, fits = replay(program, stacked or [np.zeros(3)])
        for i, (plain, inputs) in enumerate(points):
            assert fits[i]
            for a, b in zip(found, plain(*inputs), strict=True):
                b = np.asarray(b)
                assert a.dtype == b.dtype and a.shape[1:] == b.shape
                size = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
                slack = size * (2e-9 if dtype is np.float64 else 2e-3)
                np.testing.assert_allclose(a[i], b, rtol=1e-9 if dtype is np.float64 else 1e-3, atol=slack)
