"""The whole table of functions as programs: what they compute elsewhere is what the engine computes there."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case
from helpers.function_table import ROWS
from helpers.rows import Row

import autolab
from autolab import Variable
from autolab import functions as F
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


def call(row: Row, case: Case, dtype: type, seed: int) -> tuple[Any, list[np.ndarray]]:
    """What a case computes, as a function of its floating-point inputs, and these."""
    made = case.make(np.random.default_rng([zlib.crc32(f"{row.name} {case.label}".encode()), seed]), dtype)
    inputs = [np.array(a) for a in made if a.dtype.kind == "f"]

    def run(*arrays: Any) -> list[Any]:
        given = iter(arrays)
        xs = [Variable(next(given) if a.dtype.kind == "f" else a) for a in made]
        found: list[Any] = []

        def function(*args: Any, **attributes: Any) -> Any:
            found.append(row.function(*args, **attributes))
            return found[-1]

        case.call(function, *xs)
        return [value for results in found for value in _orders(results, [x for x in xs if x.requires_grad])]

    return run, inputs


def _orders(results: Any, xs: list[Variable]) -> list[Any]:
    """The results, the gradients of their weighted squares, and the gradients of the squares of those."""
    ys = [y for y in (results if isinstance(results, list | tuple) else [results]) if isinstance(y, Variable)]
    values = [y.data for y in ys]
    ys = [y for y in ys if y.requires_grad]
    if not ys:
        return values
    weigh = [np.linspace(0.5, 1.5, y.size).astype(y.dtype).reshape(y.shape) for y in ys]
    first = autolab.grad([F.sum(y * y * w) for y, w in zip(ys, weigh, strict=True)], xs, create_graph=True)
    ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
    second = autolab.grad(ready, xs) if ready else ()
    return values + [g.data for g in (*first, *second) if g is not None]


@pytest.mark.parametrize(("row", "case", "dtype"), CELLS)
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
            expected = plain(*inputs) if fits[i] else None
            assert fits[0]
            for a, b in zip(found, expected or (), strict=expected is not None):
                b = np.asarray(b)
                assert a.dtype == b.dtype and a.shape[1:] == b.shape
                size = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
                slack = size * (2e-9 if dtype is np.float64 else 2e-3)
                np.testing.assert_allclose(a[i], b, rtol=1e-9 if dtype is np.float64 else 1e-3, atol=slack)
