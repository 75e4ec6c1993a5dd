"""How inputs can be moved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autolab.widgets.controls import control


@pytest.mark.parametrize(
    ("value", "end", "step"),
    [(2.0, 5, 0.01), (0.0, 5, 0.01), (1.0, 2, 0.01), (-3.0, 10, 0.1), (0.001, 0.002, 1e-5), (1000.0, 2000, 10)],
)
def test_a_slider_is_symmetric_and_its_step_is_short(value: float, end: float, step: float) -> None:
    found = control("x", np.array(value), np.array(value))
    assert (found["kind"], found["value"]) == ("slider", value)
    assert (found["min"], found["max"], found["step"]) == (-end, end, step)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_slider_holds_its_value_and_is_json(value: float, initial: float) -> None:
    found = control("x", np.array(value), np.array(initial))
    json.dumps(found, allow_nan=False)
    assert found["step"] > 0
    assert found["min"] <= value <= found["max"] or abs(value) > 1e300


def test_the_range_grows_but_does_not_shrink_while_dragging() -> None:
    assert control("x", np.array(7.0), np.array(2.0))["max"] == 10
    assert control("x", np.array(0.1), np.array(2.0))["max"] == 5


def test_whole_numbers_move_by_whole_numbers() -> None:
    found = control("n", np.array(3), np.array(3))
    assert found["step"] == 1
    assert control("n", np.array(3, np.uint8), np.array(3, np.uint8))["min"] == 0


def test_a_vector_is_one_row_and_a_matrix_keeps_its_rows() -> None:
    assert control("b", np.arange(3.0), np.arange(3.0))["values"] == [[0, 1, 2]]
    found = control("W", np.ones((2, 3)), np.ones((2, 3)))
    assert (found["kind"], found["shape"], found["values"]) == ("grid", [2, 3], [[1, 1, 1]] * 2)


@pytest.mark.parametrize(
    "value",
    [np.zeros((9, 9)), np.zeros((2, 2, 2)), np.zeros(0), np.array([1.0, np.nan]), np.array(np.inf), np.array([True])],
)
def test_what_cannot_be_moved_is_described(value: np.ndarray) -> None:
    found = control("a", value, value)
    assert found == {"name": "a", "label": "a", "kind": "fixed", "text": f"{value.dtype} {value.shape}"}
