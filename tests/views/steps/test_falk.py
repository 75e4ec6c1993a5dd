"""Products of matrices in the walk: the row and the column that meet, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autolab import functions as F
from autolab import record
from autolab.views.graph.playback import Playback
from autolab.views.steps.moments import frame

RNG = np.random.default_rng(0)


def frames(fn: Any, *args: Any) -> list[dict[str, Any]]:
    """Every moment as it is told."""
    walk = Playback(record(fn, *args))
    return [frame(walk, k, {step.id: step.id for step in walk.recording.steps}) for k in range(len(walk))]


def product_of(data: dict[str, Any]) -> list[np.ndarray] | None:
    """Left factor, right factor and product of a moment, as matrices."""
    if data["product"] is None:
        return None
    lines = [line["array"] for line in data["lines"][data["product"] : data["product"] + 3]]
    return [np.frombuffer(line["cells"], np.float32).reshape(line["rows"], line["cols"]) for line in lines]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_left_times_right_is_the_product_in_every_moment(dtype: str) -> None:
    x, w = RNG.normal(size=(3, 4)).astype(dtype), RNG.normal(size=(4, 2)).astype(dtype)
    found = [product_of(told) for told in frames(lambda x, w: (x @ w).sum(), x, w)]
    products = [one for one in found if one is not None]
    assert [[one.shape for one in three] for three in products] == [
        [(3, 4), (4, 2), (3, 2)],  # forward
        [(3, 2), (2, 4), (3, 4)],  # upstream by w transposed
        [(4, 3), (3, 2), (4, 2)],  # x transposed by upstream
    ]
    for left, right, result in products:
        np.testing.assert_allclose(left @ right, result, rtol=1e-2, atol=1e-3)


def test_the_marks_are_the_row_and_the_column_that_make_the_followed_element() -> None:
    x, w = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))
    for data in frames(lambda x, w: (x @ w).sum(), x, w):
        if (three := product_of(data)) is None:
            continue
        marks = [line["mark"] for line in data["lines"][data["product"] :]]
        (row, first, one, inner), (top, column, deep, single), at = marks
        assert (first, one, top, single, at) == (0, 1, 0, 1, [row, column, 1, 1]) and inner == deep == len(three[1])
        np.testing.assert_allclose(three[0][row] @ three[1][:, column], three[2][row, column], rtol=1e-4)


def test_infinities_and_nan_stay_a_product() -> None:
    x = np.array([[1.0, np.inf], [np.nan, 2.0]])
    with np.errstate(invalid="ignore"):
        found = [product_of(told) for told in frames(lambda x: x @ np.eye(2), x)]
    assert sum(one is not None for one in found) >= 1


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (lambda x, w: x @ w, [(3, 4), (4,)]),
        (lambda x, w: x @ w, [(2, 3, 4), (4, 2)]),
        (lambda x, w: x @ w, [(30, 4), (4, 2)]),
        (lambda x, w: x @ w, [(1, 4), (4, 1)]),
        (lambda x, w: x @ w, [(0, 4), (4, 2)]),
        (lambda x, w: x * w, [(3, 3), (3, 3)]),
        (lambda x, w: F.linear(x, w), [(3, 4), (2, 4)]),
    ],
    ids=["vector", "stack", "large", "one number", "empty", "elementwise", "another function"],
)
def test_what_is_no_product_of_two_small_matrices_is_told_line_by_line(program: Any, args: list[Any]) -> None:
    data = frames(program, *[RNG.normal(size=shape) for shape in args])
    forward = next(told for told in data[1:] if not told["backward"])
    assert forward["product"] is None
