"""Exercises of 02 ExpAdd: z = exp(x) + y, and how to measure a slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...functions import exp
from ..exercise import Arrays, Exercise, OwnGradient, Prediction, Values, normal

_STEP = 1e-4


def _slope_of_sine(answer: Callable[..., Any], inputs: Arrays) -> Any:
    return answer(np.sin, inputs["x"], _STEP)


EXERCISES: tuple[Exercise, ...] = (
    Prediction("expadd-predict-gx", lambda: 1.0, {"nothing": lambda: 0.0, "result": lambda: 6.0}),
    OwnGradient("expadd-gx", normal(x=(5, 4), y=(5, 4)), lambda x, y: exp(x) + y, order=2),
    Values(
        "expadd-central",
        normal(x=(5, 4, 3)),
        lambda x: np.cos(x),
        {
            "half_way": lambda x: 2 * np.cos(x),
            "sign": lambda x: -np.cos(x),
            "rise": lambda x: 2 * _STEP * np.cos(x),
            "brackets": lambda x: _STEP**2 * np.cos(x),
            "one_sided": lambda x: (np.sin(x + _STEP) - np.sin(x)) / _STEP,
        },
        measure=_slope_of_sine,
        tolerance=1e-7,
    ),
    Prediction("expadd-predict-step", lambda: "b", choices=("a", "b", "c")),
    Prediction("expadd-predict-fail", lambda: "b", choices=("a", "b")),
    OwnGradient("expadd-own", normal(x=(5, 4, 3), y=(5, 4, 3)), lambda x, y: x * exp(y)),
)
