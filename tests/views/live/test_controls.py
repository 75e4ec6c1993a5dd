"""How inputs can be moved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autolab.views.live.controls import control


@pytest.mark.parametrize(
    ("value", "end", "step"),
    [(2.0, 5, 0.01), (0.0, 5, 0.01), (1.0, 2, 0.01), (-3.0, 10, 0.1), (0.001, 0.002, 1e-5), (1000.0, 2000, 10)],
)
def test_a_slider_is_symmetric_and_its_step_is_short(value: float, end: float, step: float) -> None:
    found = control("x", "x", np.array(value), np.array(value))
    assert (found["kind"], found["value"]) == ("slider", value)
    assert (found["min"], found["max"], found["step"]) == (-end, end, step)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_slider_holds_its_value_and_is_json(value: float, initial: float) -> None:
    found = control("x", "x", np.array(value), np.array(initial))
    json.dumps(found, allow_nan=False)
    assert found["step"] > 0
    assert found["min"] <= value <= found["max"] or abs(value) > 1e300


def test_the_range_grows_but_does_not_shrink_while_dragging() -> None:
    assert control("x", "x", np.array(7.0), np.array(2.0))["max"] == 10
    assert control("x", "x", np.array(0.1), np.array(2.0))["max"] == 5


def test_whole_numbers_move_by_whole_numbers() -> None:
    found = control("n", "n", np.array(3), np.array(3))
    assert found["step"] == 1
    assert control("n", "n", np.array(3, np.uint8), np.array(3, np.uint8))["min"] == 0
    byte = control("n", "n", np.array(-90, np.int8), np.array(-90, np.int8))
    assert (byte["min"], byte["max"]) == (-128, 127)


@pytest.mark.parametrize(
    ("value", "low", "high"), [(2.0, 0.1, 4), (-1.0, -1, 4), (-3.0, -5, 4), (9.0, 0.1, 10), (0.0, 0, 4)]
)
def test_a_domain_is_the_range_until_a_number_leaves_it(value: float, low: float, high: float) -> None:
    found = control("x", "x", np.array(value), np.array(2.0), (0.1, 4))
    assert (found["min"], found["max"]) == (low, high)


def test_a_matrix_keeps_its_rows_and_a_long_vector_is_wrapped() -> None:
    found = control("W", "W", np.ones((2, 3)), np.ones((2, 3)))
    assert (found["kind"], found["shape"], found["values"]) == ("grid", [2, 3], [[1, 1, 1]] * 2)
    found = control("b", "b", np.arange(11.0), np.arange(11.0))
    assert found["values"] == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10]]
    assert (found["first"], found["stride"], found["map"]) == (0, 8, None)


@pytest.mark.parametrize("shape", [(30, 40), (5, 6, 7), (1000,), (3, 100), (100, 3)])
def test_of_a_large_array_there_is_a_window_and_a_map(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).normal(size=shape)
    found = control("A", "A", array, array, None, (17, 2))
    for i, row in enumerate(found["values"]):
        for j, value in enumerate(row):
            assert array.reshape(-1)[found["first"] + i * found["stride"] + j] == value
    shades = np.array(found["map"]["shades"], float)
    assert max(shades.shape) <= 32
    assert np.abs(shades).max() == round(127 * np.abs(array).max() / found["max"])


@pytest.mark.parametrize("corner", [(-5, -5), (10**30, 10**30), (0, 99)])
def test_a_window_stays_inside(corner: tuple[int, int]) -> None:
    array = np.arange(30 * 40.0).reshape(30, 40)
    found = control("A", "A", array, array, None, corner)
    assert len(found["values"]) == 8
    assert {len(row) for row in found["values"]} == {8}


def test_what_is_no_number_has_a_cell_all_the_same() -> None:
    value = np.array([1.0, np.nan, -np.inf])
    found = control("a", "a", value, value)
    assert found["values"] == [[1, None, None]]
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("value", [np.zeros(0), np.zeros((3, 0)), np.array([True]), np.array(1j)])
def test_what_cannot_be_moved_is_described(value: np.ndarray) -> None:
    found = control("a", "a", value, value)
    assert (found["kind"], found["text"]) == ("fixed", f"{value.dtype} {value.shape}")
