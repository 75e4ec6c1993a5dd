"""A net drawn unit by unit over the plane of its features: `training.boundary` as data for the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...training.boundary import SIDE, DecisionBoundary, Units, parting
from ...training.model_state import ModelState
from ..draw import clean, number, say
from ..draw.arrays import bytes_of
from ..draw.contour import contour

MOST_UNITS = 16
"""The maximum number of units drawn per layer."""


def plane(found: DecisionBoundary) -> dict[str, Any]:
    """The examples and the plane in which they lie: a feature and its range for each axis."""
    ends = ("low", found.low), ("high", found.high)
    return {
        "side": SIDE,
        "low": found.low.tolist(),
        "high": found.high.tolist(),
        "x": np.round(found.x.astype(float), 6).tolist(),
        "t": found.t.tolist(),
        "axes": say(
            "monitor_axes", **{f"{end}{i}": number(float(f"{at[i]:.3g}")) for end, at in ends for i in range(2)}
        ),
    }


def units(found: DecisionBoundary, state: ModelState) -> dict[str, Any]:
    """Every layer with its units, the weights between them, and the result.

    ``result`` is the quantity that separates the classes (see `training.boundary.parting`).
    """
    title = say("monitor_state", iteration=state.iteration)
    try:
        columns = found.at(state)
    except ValueError as error:
        return {"title": title, "absent": say("monitor_no_boundary", why=clean(str(error), 200)), "columns": []}
    result = parting(columns[-1].pictures)
    return {
        "title": title,
        "absent": "",
        "columns": [_column(column, i) for i, column in enumerate(columns)],
        "classes": max(2, len(columns[-1].pictures)),
        "result": bytes_of(result),
        "zero": _zero(result) if len(columns[-1].pictures) <= 2 else "",
    }


def _zero(result: np.ndarray) -> str:
    """The decision boundary of two classes: straight pieces between the centres of the cells, in percent."""
    pieces = [[[100 * (place + 0.5) / SIDE for place in end] for end in piece] for piece in contour(result, 0.0)]
    return "".join([f"M{a:.2f} {b:.2f}L{c:.2f} {d:.2f}" for (a, b), (c, d) in pieces])


def _column(column: Units, place: int) -> dict[str, Any]:
    shown = min(MOST_UNITS, len(column.pictures))
    total = len(column.pictures)
    name = clean(column.name, 40)
    names = [f"x[:, {i}]" if place == 0 else f"{name}[{i}]" for i in range(shown)]
    gradients = column.weight_gradients, column.bias_gradients
    return {
        "note": "" if shown == total else say("monitor_hidden_units", shown=shown, total=total),
        "units": names,
        "titles": [say("monitor_unit", unit=unit) for unit in names],
        "pictures": [bytes_of(picture) for picture in column.pictures[:shown]],
        "weights": _rows(column.weights, shown),
        "bias": _numbers(column.bias[:shown]),
        "gradients": None if gradients[0] is None else _rows(gradients[0], shown),
        "bias_gradients": None if gradients[1] is None else _numbers(gradients[1][:shown]),
    }


def _rows(array: np.ndarray, shown: int) -> list[list[float | None]]:
    return [_numbers(row[:MOST_UNITS]) for row in array[:shown]]


def _numbers(row: np.ndarray) -> list[float | None]:
    """Numbers for JSON: NaN and infinities become None."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in row.tolist()]
