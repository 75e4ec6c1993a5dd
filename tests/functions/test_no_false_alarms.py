"""R4: in the checked mode every function gives the gradients that it gives without, and nobody is accused."""

from __future__ import annotations

import zlib
from functools import partial
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case, naming
from helpers.each import each
from helpers.function_table import ROWS
from helpers.oracle import Weights, ours
from helpers.rows import Row

from autolab import Variable, check_inplace
from autolab.engine.backward import watched_nodes

CELLS = [
    pytest.param(row, dtype, id=f"{row.name}-{dtype.__name__}", marks=full)
    for row in ROWS
    for dtype, full in ((np.float64, ()), (np.float32, pytest.mark.full))
    if row.order
]


def _gradients(row: Row, case: Case, dtype: type) -> list[Any]:
    seed = zlib.crc32(f"{row.name} {case.label}".encode())
    arrays = case.make(np.random.default_rng(seed), dtype)
    found = ours(partial(case.call, row.function), arrays, row.order, Weights(seed))
    return [None if g is None else (g.shape, g.data.tobytes()) for order in found for g in order]


@each(("row", "dtype"), CELLS)
def test_no_false_alarm(row: Row, dtype: type) -> None:
    for case in row.cases:
        with naming(case.label):
            expected = _gradients(row, case, dtype)
            with check_inplace():
                assert _gradients(row, case, dtype) == expected


def test_every_function_that_keeps_something_is_watched() -> None:
    """Control: there would be no alarm either if nothing were looked at."""
    forgotten, keeping = [], 0
    for row in ROWS:
        case, held = row.cases[0], set(watched_nodes)
        xs = [Variable(a) for a in case.make(np.random.default_rng(0), np.float64)]
        with check_inplace():
            y = case.call(row.function, *xs)
        kept = [] if y.node is None else [edge.saved for edge in y.node.edges]
        if _has_array(kept):
            keeping += 1
            forgotten += [row.name] * (not set(watched_nodes) - held)
    assert forgotten == [] and keeping > 50


def _has_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (isinstance(value, list | tuple) and any(map(_has_array, value)))
