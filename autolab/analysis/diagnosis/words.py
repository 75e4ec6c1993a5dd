"""How findings speak of steps, numbers and names."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...recording.model import Snapshot, Step
from ...shared import words


def whole(value: Snapshot | None) -> np.ndarray | None:
    """The numbers of a float array, where all were kept."""
    if value is None or not value.is_whole or value.values.dtype.kind not in "fiub" or not value.size:
        return None
    return value.values.astype(np.float64)


def shape_of(step: Step) -> tuple[int, ...]:
    """The shape of a value; of a number, and where there is no value, it is empty."""
    return () if step.value is None else step.value.shape


def holds(step: Step, array: np.ndarray) -> bool:
    """Whether a value is an array, number by number, in its own dtype."""
    value = step.value
    return value is not None and value.is_whole and np.array_equal(value.values, array.astype(value.values.dtype))


def range_of(value: Snapshot | None) -> tuple[float, float]:
    """The smallest and the largest finite number."""
    return (0.0, 0.0) if value is None else (value.minimum or 0.0, value.maximum or 0.0)


def axes_of_probabilities(values: np.ndarray) -> list[int]:
    """The axes of several numbers along which the numbers sum to 1."""
    return [a for a, n in enumerate(values.shape) if n > 1 and np.allclose(values.sum(axis=a), 1, atol=2e-3)]


def called(step: Step) -> str:
    """What the user calls a value: its name, or the expression; of a step inside a layer, the function and the call."""
    if step.source and step.statement and step.source not in step.statement and step.line is not None:
        return f"`{step.function}` in `{short(step.statement)}`"
    text = step.name if step.name and step.kind != "call" else step.source or step.name or step.function
    return f"`{short(text)}`" if text else "a value"


def short(text: str, most: int = 60) -> str:
    """A text without a comment, and not too long."""
    text = text.partition("  #")[0]
    return text if len(text) <= most else text[: most - 3] + "..."


def at_line(step: Step) -> str:
    """``Line 7, `F.relu(h)```."""
    return called(step) if step.line is None else f"Line {step.line}, {called(step)},"


def number(x: float) -> str:
    """A number as text reads it."""
    return f"{x:.3g}"


def ends(step: Step) -> str:
    """``-2 and 3``, between which a value lies."""
    return " and ".join(map(number, range_of(step.value)))


listed = partial(words.listed, most=3)
"""Names in a row; of many only the first."""
