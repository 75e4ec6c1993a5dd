"""What the checks with given tolerances say when they fail: which input, which element, both values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..measuring.places import array_and_index, index_of
from ..messages import Verdict, apart, number, say, shown, where

_ROWS = 16


class GradientCheckError(AssertionError):
    """A gradient is wrong; the message says which and how.

    ``mismatches`` are the disagreements that `check_backward` or `gradcheck` found, as plain data.
    """

    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True)
class Limits:
    """Half the width of a difference, and how far a gradient may be from it."""

    eps: float
    atol: float
    rtol: float


@dataclass(frozen=True)
class Mismatch:
    """The worst disagreement about one input.

    ``index`` is None if it shows only along a random direction. ``result`` is the number of the result whose derivative
    it is, and ``result_index`` its element; None where the upstream gradient adds up all results. ``count`` of
    ``total`` numbers disagree; both are None where random directions found the element, and the others are not known.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> from autolab.gradcheck import GradientCheckError, check_backward
    >>> @autolab.primitive(x=lambda g, x: g * x)  # the 2 of 2 x is forgotten
    ... def square(xp, x):
    ...     return x * x
    >>> try:
    ...     check_backward(square, np.array([3.0]), np.array([1.0]))
    ... except GradientCheckError as error:
    ...     (worst,) = error.mismatches
    >>> worst.input, worst.index, round(worst.analytic), round(worst.numeric)
    ('x', (0,), 3, 6)
    """

    input: str
    index: tuple[int, ...] | None
    analytic: float
    numeric: float
    allowed: float
    count: int | None = None
    total: int | None = None
    result: int | None = None
    result_index: tuple[int, ...] = ()

    def __str__(self) -> str:
        analytic, numeric = apart(self.analytic, self.numeric)
        if not np.isfinite(self.numeric):
            return say("mismatch.unmeasured", input=self.input, where=where(self.index or ()), analytic=analytic)
        kind = "direction" if self.index is None else "element" if self.result is None else "entry"
        sentence = say(
            f"mismatch.{kind}",
            input=self.input,
            where=where(self.index or ()),
            result=f"result {self.result}" if self.result else "the result",
            result_where=where(self.result_index),
            analytic=analytic,
            numeric=numeric,
            allowed=number(self.allowed),
        )
        if self.count is None:
            return sentence if self.index is None else f"{sentence} {say('mismatch.probed')}"
        return f"{sentence} {say('mismatch.count', count=self.count, total=self.total)}"


def failure(
    caller: str, function: str, mismatches: Sequence[Mismatch], eps: float, is_wrong: Callable[[], bool]
) -> GradientCheckError:
    """The exception for some mismatches, which it carries along; ``is_wrong`` is asked whether they are a failure."""
    measured = any(np.isfinite(m.numeric) for m in mismatches)
    verdict: Verdict = "wrong" if measured and is_wrong() else "cannot tell"
    lines = [say("mismatch.title", caller=caller, function=shown(function), verdict=verdict), *map(str, mismatches)]
    if measured and verdict == "cannot tell":
        lines.append(say("mismatch.doubtful", eps=number(eps)))
    error = GradientCheckError("\n".join(lines))
    error.mismatches = tuple(mismatches)
    return error


def worst_entry(
    label: str,
    shape: tuple[int, ...],
    result_shapes: Sequence[tuple[int, ...]],
    analytic: np.ndarray,
    numeric: np.ndarray,
    limits: Limits,
    rounding: np.ndarray,
) -> Mismatch | None:
    """The worst of a part of the Jacobian, a row per result element; ``rounding`` is what each may be off besides."""
    if _agree(analytic, numeric, limits):
        return None
    gap = np.abs(analytic - numeric)
    allowed = limits.atol + limits.rtol * np.abs(numeric)
    wrong = ~(gap <= allowed + rounding[:, None])
    if not wrong.any():
        return None
    row, k = np.unravel_index(worst_of(gap, numeric, wrong), gap.shape)
    result, place = array_and_index(int(row), result_shapes)
    numbers = float(analytic[row, k]), float(numeric[row, k]), float(allowed[row, k] + rounding[row])
    return Mismatch(label, index_of(int(k), shape), *numbers, int(wrong.sum()), wrong.size, result, place)


def worst_of(gap: np.ndarray, numeric: np.ndarray, wrong: np.ndarray) -> int:
    """The flat place of the widest gap among those that are ``wrong``; what cannot be measured comes last."""
    size = np.where(np.isfinite(numeric), np.where(np.isnan(gap), np.inf, gap), 0.0)
    return int(np.argmax(np.where(wrong, size, -1.0)))


def _agree(analytic: np.ndarray, numeric: np.ndarray, limits: Limits) -> bool:
    """Whether all is within the limits, a few rows at a time: large temporary arrays would take longer."""
    for first in range(0, len(analytic), _ROWS):
        a, n = analytic[first : first + _ROWS], numeric[first : first + _ROWS]
        if not (np.abs(a - n) <= limits.atol + limits.rtol * np.abs(n)).all():
            return False
    return True
