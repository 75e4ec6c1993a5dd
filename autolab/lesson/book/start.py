"""Exercises of 00 start: out = x * y + x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.grad import grad
from ...engine.variable import Variable
from ..exercise import Arrays, Exercise, Prediction, Values, normal
from ..judgement import Known, is_empty

_POINTS = 20
_numbers = normal(x=(), y=())  # in this lesson nobody has heard of arrays


def _slope(x: Any, y: Any) -> Any:
    return y + 1.0


def _slopes(answer: Callable[..., Any], inputs: Arrays) -> Any:
    """The gradients of a written function by x and by y."""
    x, y = (Variable(number) for number in inputs.values())
    out = answer(x, y)
    if is_empty(out):
        return out
    if not isinstance(out, Variable):
        raise Known("fixed")
    return [0.0 if g is None else g.data for g in grad(out, (x, y))]


def _plane(gx: float, gy: float) -> Callable[..., np.ndarray]:
    return lambda x, y: np.array([gx, gy])


EXERCISES: tuple[Exercise, ...] = (
    Prediction("start-sign", lambda: "down", choices=("up", "down")),
    Prediction(
        "start-reuse",
        lambda: _slope(2.0, -3.0),
        {"product": lambda: -3.0, "added": lambda: 1.0, "value": lambda: 2.0 * -3.0 + 2.0},
    ),
    Prediction("start-number", lambda: "b", choices=("a", "b", "c")),
    Prediction("start-zero", lambda: -1.0, {"forgot": lambda: 0.0, "sign": lambda: 1.0}),
    Values(
        "start-slope",
        _numbers,
        _slope,
        {
            "rise": lambda x, y: 1e-6 * _slope(x, y),
            "sign": lambda x, y: -_slope(x, y),
            "both": lambda x, y: _slope(x, y) + x,
        },
        tolerance=1e-5,
        points=_POINTS,
    ),
    Values(
        "start-own",
        _numbers,
        _plane(3.0, -1.0),
        {"swapped": _plane(-1.0, 3.0), "constant": _plane(3.0, 0.0)},
        measure=_slopes,
        what="slopes",
        points=_POINTS,
    ),
)
