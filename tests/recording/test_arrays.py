"""Snapshots and block reduction: small pictures of large arrays that hide no extreme and no NaN."""

from __future__ import annotations

import copy
import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autolab.recording.arrays import CELLS, WHOLE_BYTES, Budget, block_reduce, snapshot
from autolab.shared.files import as_json

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=12)
FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)


def _arrays(dtype: type, elements: st.SearchStrategy | None = None) -> st.SearchStrategy[np.ndarray]:
    return hnp.arrays(dtype, SHAPES, elements=elements)


ARRAYS = st.one_of(
    _arrays(np.float32, FLOATS), _arrays(np.float64), _arrays(np.int8), _arrays(np.uint8), _arrays(np.bool_)
)


@given(array=ARRAYS, max_cells=st.integers(1, 40), max_length=st.one_of(st.none(), st.integers(1, 12)))
def test_every_cell_stands_for_its_block(array: np.ndarray, max_cells: int, max_length: int | None) -> None:
    cells, block = block_reduce(array, max_cells, max_length and (max_length,) * array.ndim)
    assert cells.size <= max_cells and len(block) == array.ndim and cells.dtype == array.dtype
    assert cells.shape == tuple([-(-n // b) for n, b in zip(array.shape, block, strict=True)])
    assert all(b >= 1 for b in block) and (max_length is None or all(n <= max_length for n in cells.shape))
    for index in product(*[range(n) for n in cells.shape]):
        where = tuple([slice(i * b, (i + 1) * b) for i, b in zip(index, block, strict=True)])
        part = np.asarray(array[where], float)
        cell = float(cells[index])
        if np.isnan(part).any():
            assert math.isnan(cell)
        else:
            assert cell in part and abs(cell) == np.abs(part).max()


def test_what_is_small_enough_is_the_array_itself() -> None:
    array = np.arange(6.0).reshape(2, 3)
    cells, block = block_reduce(array, 6)
    assert cells is array and block == (1, 1)
    assert block_reduce(np.float64(3.0).reshape(()), 1)[1] == ()


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        ([1.0, -3.0, 2.0], (-3.0, 2.0, 0, 0)),
        ([np.nan, 1.0, -np.inf, np.inf, np.nan], (1.0, 1.0, 2, 2)),
        ([np.nan, np.inf], (None, None, 1, 1)),
        ([], (None, None, 0, 0)),
        (5.0, (5.0, 5.0, 0, 0)),
        (np.array([-128, 127], np.int8), (-128.0, 127.0, 0, 0)),
        (np.array([True, False]), (0.0, 1.0, 0, 0)),
    ],
)
def test_facts_of_a_snapshot(data: object, facts: tuple) -> None:
    array = np.asarray(data)
    kept = snapshot(array)
    assert (kept.minimum, kept.maximum, kept.nan_count, kept.inf_count) == facts
    assert (kept.shape, kept.dtype, kept.device, kept.nbytes) == (array.shape, str(array.dtype), "cpu", array.nbytes)
    assert kept.is_whole and kept.size == array.size
    np.testing.assert_array_equal(kept.values, array)


def test_a_snapshot_is_a_copy_that_nobody_can_write() -> None:
    array = np.ones((2, 3))
    kept = snapshot(array)
    array[:] = 5.0
    assert kept.values.max() == 1.0
    with pytest.raises(ValueError, match="read-only"):
        kept.values[0] = 2.0
    assert not snapshot(array, 2).values.flags.writeable


def test_a_large_array_is_reduced_and_says_so() -> None:
    array = np.zeros((1000, 700))
    array[999, 699], array[3, 5] = -7.0, np.nan
    kept = snapshot(array)
    assert not kept.is_whole and kept.values.size <= CELLS and kept.shape == (1000, 700)
    assert (kept.minimum, kept.maximum, kept.nan_count) == (-7.0, 0.0, 1)
    assert kept.values[-1, -1] == -7.0 and np.isnan(kept.values[3 // kept.block[0], 5 // kept.block[1]])


def test_the_budget_keeps_small_arrays_whole_while_it_lasts() -> None:
    budget = Budget(2000)
    medium = np.ones(100)  # 800 bytes
    kept = [budget.snapshot(medium) for _ in range(4)]
    assert [k.is_whole for k in kept[:2]] == [True, True]
    assert budget.reduced == sum(not k.is_whole for k in kept)
    budget = Budget(10 * WHOLE_BYTES)
    large = np.ones(WHOLE_BYTES // 8 + 1)
    assert not budget.snapshot(large).is_whole and budget.reduced == 1
    assert Budget(0).snapshot(np.ones(64)).is_whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, 1.5),
        (np.array([1, 2]), [1, 2]),
        (np.array([[True]]), [[True]]),
        (np.array([np.nan, np.inf, -np.inf, -0.0]), ["NaN", "Infinity", "-Infinity", -0.0]),
        (np.float32(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.array(2.0), 2.0),
        (np.ones((0, 3)), []),
        (3, 3),
    ],
    ids=repr,
)
def test_json_values(value: object, expected: object) -> None:
    assert as_json(value) == expected
    assert type(as_json(value)) is type(expected)


@pytest.mark.parametrize("number", [2.5, -0.0, math.nan, -math.inf])
def test_a_single_number_is_kept_as_one_and_says_what_an_array_would(number: float) -> None:
    array = np.array([number])
    kept, of_array = Budget(64).snapshot(np.array(number)), snapshot(array)
    for name in ("dtype", "device", "nbytes", "minimum", "maximum", "nan_count", "inf_count", "norm", "size"):
        assert getattr(kept, name) == getattr(of_array, name), name
    assert np.array_equal(kept.values, number, equal_nan=True) and not kept.values.flags.writeable
    moved = dataclasses.replace(kept, device="cuda:0")
    for other in (moved, copy.deepcopy(kept)):
        assert other.shape == () and np.array_equal(other.values, number, equal_nan=True)
    assert moved.device == "cuda:0"
