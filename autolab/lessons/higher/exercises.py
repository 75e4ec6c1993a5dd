"""Exercises of 05 higher order: the gradient of a gradient, H v, and Newton's step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Variable
from ...lesson.exercise import Arrays, Exercise, Prediction, Values, normal

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
    Prediction(
        "higher-predict-second",
        lambda: 6 * _X,
        {"first": lambda: 3 * _X**2, "value": lambda: _X**3},
        says={
            "right": "The derivative of the derivative, at this point.",
            "first": "That is the slope of y. How fast does the slope itself change?",
            "value": "That is y itself. How fast does y change at x = 4, and how fast does that speed change?",
            "hint": "What is the derivative of x ** 3? And what is the derivative of that?",
        },
    ),
    Values(
        "higher-second",
        normal(x=(5, 4)),
        lambda x: -np.sin(x),
        {"first": lambda x: np.cos(x), "squared": lambda x: np.cos(x) ** 2},
        measure=_at_variable,
        says={
            "right": "The second derivative of sin: the gradient of its gradient.",
            "first": "That is the first derivative. What is its gradient?",
            "squared": "That is the first derivative times itself. What is its gradient instead?",
            "none": (
                "grad gives None where no path leads back. Does the gradient that you differentiate have a graph? It "
                "has one with create_graph=True."
            ),
            "hint": "dy has a graph. How do you turn it into one number, as was done for y?",
        },
    ),
    Prediction(
        "higher-predict-old",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "Its backward works on arrays, and arrays have no graph.",
            "a": "Its backward works on arrays. Do arrays remember how they were computed?",
            "b": "A wrong number would be the worst answer of all. What would you want a library to do instead?",
        },
    ),
    Values(
        "higher-hvp",
        normal(x=(5,), v=(5,)),
        _times_hessian,
        {
            "no_vector": lambda x, v: _times_hessian(x, np.ones_like(x)),
            "gradient": lambda x, v: _slope(x) * v,
        },
        measure=_at_variable,
        says={
            "right": "That is H v. The gradient of the product gives it without computing H.",
            "no_vector": "These are the row sums of H. Where does v come in?",
            "gradient": "That is the gradient times v. Which single number has H v as its gradient?",
            "hint": "product is one number that depends on x. What do you compute from it to get H v?",
        },
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
        says={
            "right": "Where the function is a parabola, one such step is enough.",
            "uphill": "This step leads away from the flat place. If the slope is positive, on which side is it?",
            "no_curvature": "If the slope changes fast, should the step be long or short? Which input tells you?",
            "turned": "You divided the wrong way round. Where the curve bends sharply, should a step be long or short?",
            "hint": "Near x the slope changes by second for each unit. How far is it to slope 0?",
        },
    ),
)
