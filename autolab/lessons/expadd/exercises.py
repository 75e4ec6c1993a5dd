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
            "right": "It is equal to the value of e at this point.",
            "nothing": "Is exp a power of x? Look at the box of e: its value and the gradient of x go together.",
            "result": "That is z itself. How fast does z change when x moves?",
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
                "The numbers are right, but the gradient of this gradient is wrong: .data gives arrays, which do not "
                "remember x. Which exp takes Variables?"
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
            "half_way": "How far is it from x - h to x + h?",
            "sign": "If f rises, is left minus right positive or negative?",
            "rise": (
                "That is the difference of the results. A slope is the difference per unit of distance: what is the "
                "distance?"
            ),
            "brackets": "Python divides by 2 first and then multiplies by h. Where do you need brackets?",
            "one_sided": (
                "That moves to one side only: close, but less accurate than it could be. Which result have you not "
                "used?"
            ),
            "hint": "How far apart are the two results, and how far apart are the two points?",
        },
    ),
    Prediction(
        "expadd-predict-step",
        lambda: "b",
        choices=("a", "b", "c"),
        says={
            "right": "Neither large nor tiny.",
            "a": "In a step of 0.1 the curve bends. The bend becomes an error.",
            "c": (
                "Then the two results agree in nearly all of their digits. How many digits are left in their "
                "difference?"
            ),
        },
    ),
    Prediction(
        "expadd-predict-fail",
        lambda: "b",
        choices=("a", "b"),
        says={
            "right": "The step is too small for float32. The gradient is right.",
            "a": "The derivative of exp is exp, without doubt. How many digits does a float32 have for such a step?",
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
            "hint": "It is a product. What is the derivative for each factor, if you hold the other one still?",
        },
    ),
)
