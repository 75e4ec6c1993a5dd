"""Exercises of 02 ExpAdd: z = exp(x) + y, and how to measure a slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...functions import exp
from ...lesson.exercise import Arrays, Exercise, OwnGradient, Prediction, Values, normal

_STEP = 1e-4


def _slope_of_sine(answer: Callable[..., Any], inputs: Arrays) -> Any:
    return answer(np.sin, inputs["x"], _STEP)


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "expadd-predict-gx",
        lambda: 1.0,
        {"nothing": lambda: 0.0, "result": lambda: 6.0},
        says={
            "right": "It is the value of e at this point.",
            "nothing": "That is the rule of powers. exp is no power of x: its derivative is exp.",
            "result": "That is z. The question is how fast z changes when x moves.",
            "hint": "What is the value of e at this point?",
        },
    ),
    OwnGradient(
        "expadd-gx",
        normal(x=(5, 4), y=(5, 4)),
        lambda x, y: exp(x) + y,
        order=2,
        says={
            "right": "The local derivative of exp is exp. Computed on Variables, this gradient has gradients too.",
            "upstream_ignored": "A backward returns the upstream gradient times the derivative.",
            "second_order": (
                "The numbers are right, but this gradient has no right gradient of its own: .data gives arrays, which "
                "do not remember x. Use the Variables and F.exp."
            ),
            "hint": "What is the derivative of exp(x)? Multiply it by the upstream gradient.",
        },
    ),
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
        says={
            "right": "The error of such a slope falls with the square of the step, until rounding takes over.",
            "half_way": "From left to right it is two steps, one to each side.",
            "sign": "Take right minus left, not left minus right.",
            "rise": "That is the difference of the results. A slope is this difference for each unit of the way.",
            "brackets": "Python divides by 2 and then multiplies by h. Put brackets round 2 * h.",
            "one_sided": "That moves to one side only. It is close, and less exact than it can be.",
            "hint": "Divide the difference of the results by the whole way from left to right.",
        },
    ),
    Prediction(
        "expadd-predict-step",
        lambda: "b",
        choices=("a", "b", "c"),
        says={
            "right": "Neither large nor tiny.",
            "a": "In a step of 0.1 the curve bends. The bend becomes an error.",
            "c": "Then both results agree in nearly all of their digits. How many are left in the difference?",
        },
    ),
    Prediction(
        "expadd-predict-fail",
        lambda: "b",
        choices=("a", "b"),
        says={
            "right": "The step is too small for float32. The gradient is right.",
            "a": "The derivative of exp is exp, without doubt. What about the step?",
        },
    ),
    OwnGradient(
        "expadd-own",
        normal(x=(5, 4, 3), y=(5, 4, 3)),
        lambda x, y: x * exp(y),
        says={
            "right": "Two inputs, two gradients, right for any upstream gradient.",
            "upstream_ignored": "A backward returns the upstream gradient times the derivative, for each input.",
            "forward": "The forward is x * exp(y), element by element, and returns a tuple.",
            "swapped_inputs": "The first gradient belongs to x, the second to y.",
            "hint": "It is a product. For each factor: hold the other one still.",
        },
    ),
)
