"""Exercises of 00 start: out = x * y + x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.backward import grad
from ...engine.variable import Variable
from ..exercise import Arrays, Exercise, Prediction, Values, normal
from ..judgement import is_empty


def _slope(x: Any, y: Any) -> Any:
    return y + 1.0


def _slopes(answer: Callable[..., Any], inputs: Arrays) -> Any:
    """The gradients of a written function, one row per input."""
    x, y = (Variable(array) for array in inputs.values())
    out = answer(x, y)
    if not isinstance(out, Variable):  # nothing was filled in, or a number that does not follow the inputs
        return out if is_empty(out) else np.zeros((2, *x.shape))
    gradients = grad(out, (x, y), grad_outputs=Variable(np.ones(out.shape)))
    return np.stack([np.zeros(x.shape) if g is None else g.data for g in gradients])


def _planes(gx: float, gy: float) -> Callable[..., np.ndarray]:
    return lambda x, y: np.stack([np.full(x.shape, gx), np.full(x.shape, gy)])


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
        normal(x=(5, 4), y=(5, 4)),
        _slope,
        {
            "rise": lambda x, y: 1e-6 * _slope(x, y),
            "sign": lambda x, y: -_slope(x, y),
            "both": lambda x, y: _slope(x, y) + x,
        },
        tolerance=1e-5,
    ),
    Values(
        "start-own",
        normal(x=(5, 4), y=(5, 4)),
        _planes(3.0, -1.0),
        {"swapped": _planes(-1.0, 3.0), "constant": _planes(3.0, 0.0)},
        measure=_slopes,
        what="slopes",
    ),
)
