"""Arrays as grids: nothing is lost but what a smaller cell cannot hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autolab.recording.arrays import snapshot
from autolab.views.draw.arrays import as_lists, grid

ARRAYS = hnp.arrays(np.float64, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))


@given(ARRAYS, st.integers(1, 6), st.integers(1, 6))
def test_cells_hold_the_strongest_element_of_their_block(values, rows, columns):
    cells = grid(snapshot(values), rows, columns)
    if values.size == 0:
        assert cells.values.size == 0 and cells.caption == "The array is empty."
        return
    assert cells.values.shape[0] <= rows and cells.values.shape[1] <= columns
    flat = values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)
    high, wide = cells.block
    for (i, j), cell in np.ndenumerate(cells.values):
        block = flat[i * high : (i + 1) * high, j * wide : (j + 1) * wide]
        if np.isnan(block).any():
            assert np.isnan(cell)
        else:
            assert np.abs(cell) == np.abs(block).max() and cell in block
    finite = np.abs(values[np.isfinite(values)])
    assert cells.scale == (finite.max() if finite.size else 0)


def test_blocks_of_a_reduced_snapshot_count_whole_elements():
    kept = snapshot(np.ones((300, 400)), max_cells=10_000)
    cells = grid(kept, 16, 16)
    assert cells.block[0] * cells.values.shape[0] >= 300 and cells.block[1] * cells.values.shape[1] >= 400
    assert f"{cells.block[0]} × {cells.block[1]} elements" in cells.caption


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
def test_kinds_of_numbers(dtype):
    assert grid(snapshot(np.array([[0, 1]], dtype)), 4, 4).values.tolist() == [[0.0, 1.0]]


def test_lists_hold_no_nan():
    assert as_lists(grid(snapshot(np.array([1.0, np.nan, np.inf])), 1, 3)) == [[1.0, "NaN", "∞"]]
