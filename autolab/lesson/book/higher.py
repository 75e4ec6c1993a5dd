"""Exercises of 05 higher order: the gradient of a gradient, H v, and Newton's step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.variable import Variable
from ..exercise import Arrays, Exercise, Prediction, Values, normal

_X = 4.0


def _at_variable(answer: Any, inputs: Arrays) -> Any:
    """What is written for a Variable x, the other inputs as arrays."""
    return answer(Variable(inputs["x"]), **{key: array for key, array in inputs.items() if key != "x"})


def _times_hessian(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """H v of sum(x ** 3) + sum(x) ** 2."""
    return 6 * x * v + 2 * v.sum()


def _slope(x: np.ndarray) -> np.ndarray:
    return 3 * x**2 + 2 * x.sum()


def _positive(rng: np.random.Generator) -> Arrays:
    return {name: rng.uniform(1.0, 2.0, (5, 4)) for name in ("x", "first", "second")}


EXERCISES: tuple[Exercise, ...] = (
    Prediction("higher-predict-second", lambda: 6 * _X, {"first": lambda: 3 * _X**2, "value": lambda: _X**3}),
    Values(
        "higher-second",
        normal(x=(5, 4)),
        lambda x: -np.sin(x),
        {"first": lambda x: np.cos(x), "squared": lambda x: np.cos(x) ** 2},
        measure=_at_variable,
    ),
    Prediction("higher-predict-old", lambda: "c", choices=("a", "b", "c")),
    Values(
        "higher-hvp",
        normal(x=(5,), v=(5,)),
        _times_hessian,
        {
            "no_vector": lambda x, v: _times_hessian(x, np.ones_like(x)),
            "gradient": lambda x, v: _slope(x) * v,
        },
        measure=_at_variable,
    ),
    Values(
        "higher-newton",
        _positive,
        lambda x, first, second: x - first / second,
        {
            "uphill": lambda x, first, second: x + first / second,
            "no_curvature": lambda x, first, second: x - first,
            "turned": lambda x, first, second: x - second / first,
        },
    ),
)
