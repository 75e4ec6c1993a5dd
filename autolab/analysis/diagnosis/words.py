"""How findings refer to steps, numbers and names."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...recording.model import Snapshot, Step
from ...shared import words


def whole(value: Snapshot | None) -> np.ndarray | None:
    """The numbers of a floating-point array, if all were kept."""
    if value is None or not value.is_whole or value.values.dtype.kind not in "fiub" or not value.size:
        return None
    return value.values.astype(np.float64)


def shape_of(step: Step) -> tuple[int, ...]:
    """The shape of a value; empty for a number, or if there is no value."""
    return () if step.value is None else step.value.shape


def holds(step: Step, array: np.ndarray) -> bool:
    """Whether a value equals an array, compared in the value's dtype."""
    value = step.value
    return value is not None and value.is_whole and np.array_equal(value.values, array.astype(value.values.dtype))


def range_of(value: Snapshot | None) -> tuple[float, float]:
    """The smallest and the largest finite element."""
    return (0.0, 0.0) if value is None else (value.minimum or 0.0, value.maximum or 0.0)


def axes_of_probabilities(values: np.ndarray) -> list[int]:
    """The axes of length greater than 1 along which the numbers sum to 1."""
    return [a for a, n in enumerate(values.shape) if n > 1 and np.allclose(values.sum(axis=a), 1, atol=2e-3)]


def called(step: Step) -> str:
    """The user's name for a value, or its expression; for a step inside a layer, the function and the call."""
    is_inside = step.source not in (step.statement or "") if step.source else _has_no_name(step)
    if is_inside and step.statement and step.line is not None:
        return f"`{step.function}` in `{short(step.statement)}`"
    text = step.name if step.name and step.kind != "call" else step.source or step.name or step.function
    return f"`{short(text)}`" if text else "a value"


def _has_no_name(step: Step) -> bool:
    """Whether a step has a name that was made up for it, such as ``dot_general_9``."""
    return step.name == f"{step.function}_{step.id}"


def short(text: str, most: int = 60) -> str:
    """A text without its comment, shortened if it is too long."""
    text = text.partition("  #")[0]
    return text if len(text) <= most else text[: most - 3] + "..."


def at_line(step: Step) -> str:
    """``Line 7, `F.relu(h)```."""
    return called(step) if step.line is None else f"Line {step.line}, {called(step)},"


def number(x: float) -> str:
    """A number formatted for a sentence."""
    return f"{x:.3g}"


def ends(step: Step) -> str:
    """The smallest and largest elements of a value, as ``-2 and 3``."""
    return " and ".join(map(number, range_of(step.value)))


listed = partial(words.listed, most=3)
"""Names as a list in words; only the first of many."""
