"""Numbers as text: short, and never saying more or less than is true."""

import math

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st

from autolab.views.draw.numbers import bytes_text, inline, number, seconds_text, shape_text


@each(
    ("value", "text"),
    [
        (6.0, "6"),
        (1 / 3, "0.333"),
        (1.2e-5, "1.2e−05"),
        (-1.2e-5, "−1.2e−05"),
        (0.0, "0"),
        (-0.0, "0"),
        (-1.5, "−1.5"),
        (0.1 + 0.2, "0.3"),
        (0.99999, "1.000"),
        (0.0123456, "0.0123"),
        (0.001, "0.001"),
        (12.34, "12.34"),
        (100000.4, "100000.4"),
        (1234567.0, "1.23e+06"),
        (1e300, "1e+300"),
        (5e-324, "4.94e−324"),
        (float("nan"), "NaN"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (np.float32(0.1), "0.1"),
        (np.float16(0.1), "0.1"),
        (7, "7"),
        (-7, "−7"),
        (10**9, "1.00e+09"),
        (np.int64(3), "3"),
        (True, "True"),
        (np.bool_(False), "False"),
        (1 + 2j, "1+2j"),
    ],
)
def test_number(value, text):
    assert number(value) == text


def back(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


@given(st.floats())
def test_numbers_are_short_and_read_back_nearly(value):
    text = number(value)
    assert len(text) <= 11
    if math.isnan(value):
        assert text == "NaN"
    else:
        assert back(text) == pytest.approx(value, rel=6e-3, abs=0.0) or not 1e-300 < abs(value) < 1.79e308


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_what_is_not_zero_never_reads_as_zero(value):
    assert float(number(value).replace("−", "-").split("e")[0]) != 0


@given(st.floats(-1e5, 1e5))
def test_a_short_text_is_exact(value):
    text = number(value)
    if "e" not in text and "." not in text:
        assert back(text) == pytest.approx(value, rel=1e-14, abs=0)


def test_small_arrays_are_written_out_and_others_not():
    assert inline(np.array([1.0, 2.0, 3.0])) == "[1, 2, 3]"
    assert inline(np.array([[1, 2], [3, 4]])) == "[[1, 2], [3, 4]]"
    assert inline(np.array([True, False])) == "[True, False]"
    assert inline(np.array([0.1], dtype=np.float32)) == "[0.1]"
    assert inline(np.arange(20.0)) is None
    assert inline(np.zeros((0, 3))) is None


def test_shapes_bytes_and_seconds():
    assert shape_text((3,)) == "(3,)"
    assert [bytes_text(n) for n in (8, 1200, 5_000_000, 2 * 10**9)] == ["8 bytes", "1.2 kB", "5 MB", "2 GB"]
    assert [seconds_text(s) for s in (3.2e-5, 0.0123, 2.0)] == ["32 µs", "12.3 ms", "2 s"]
