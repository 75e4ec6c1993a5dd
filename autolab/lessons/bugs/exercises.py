"""Exercises of 07 find the bug: a published mistake, eight patients, and inputs on which they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...authoring.function_node import FunctionNode
from ...engine import Variable
from ...functions import abs as absolute_of
from ...functions import mean, sum
from ...lesson.exercise import Exercise, OwnGradient, Prediction, Witness, normal

NAMES = ("sign", "factor", "upstream", "part", "places", "mean", "damage", "healthy")


class Absolute(FunctionNode):
    """The absolute value, with a gradient as if nothing were negative."""

    def forward(self, inputs: Any) -> Any:
        return (abs(inputs[0]),)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return grad_outputs


class AddBias(FunctionNode):
    """A bias for each row, with the mean over the rows as its gradient."""

    def forward(self, inputs: Any) -> Any:
        h, b = inputs
        return (h + b,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (g,) = grad_outputs
        return g, mean(g, axis=0)


def _applied(kind: type[FunctionNode]) -> Callable[..., Variable]:
    return lambda *inputs: kind().apply(inputs)[0]


def _named(patient: str, name: str, right: str, hint: str) -> Prediction:
    says = {"right": right, "hint": hint}
    return Prediction(f"bugs-name-{patient}", lambda: name, choices=NAMES, says=says)


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "bugs-predict-first",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "A FunctionNode keeps only what forward asks it to keep, so backward gets no inputs.",
            "a": "That is the old style. Look at the gradients: do they follow the inputs?",
            "b": "Those come as the second argument, grad_outputs. What is the first one called in other lessons?",
        },
    ),
    OwnGradient(
        "bugs-mend",
        normal(x=(5, 4), y=(5, 4), z=(5, 4)),
        lambda x, y, z: x * y + z,
        says={
            "right": "Now the gradients follow the inputs.",
            "swapped_inputs": "The first gradient belongs to x, the second to y.",
            "hint": "Which line in forward keeps x and y, and which line in backward gets them back?",
        },
    ),
    _named(
        "divide",
        "sign",
        "For positive x, x / y falls as y grows: the slope with respect to y has a minus sign.",
        "Take x = 1. If y grows from 1 to 2, does x / y rise or fall?",
    ),
    _named(
        "sigmoid",
        "upstream",
        "It returns the local derivative alone: g does not occur in it.",
        "What does the backward get in grad_outputs? Is it used?",
    ),
    _named(
        "softplus",
        "healthy",
        "1 - exp(-y) is the slope, written with the result. It looks odd, but it is right.",
        "Do the two numbers of the cheap test agree? What does check_gradients say?",
    ),
    _named(
        "absolute",
        "places",
        "It is right where x is positive, and wrong where x is negative.",
        "Look at the errors: where are they 0, and what sign does x have elsewhere?",
    ),
    Witness(
        "bugs-witness-absolute",
        _applied(Absolute),
        absolute_of,
        corner=lambda x: x == 0,
        says={
            "right": "One number is enough. It belongs in the test of this function.",
            "agrees": "What is the slope of the absolute value to the left of 0?",
        },
    ),
    _named(
        "normalize",
        "part",
        "x has two paths to the result: directly, and through the sum. The second is missing.",
        "Along how many paths does x reach the result? How many shares does the backward add?",
    ),
    _named(
        "bias",
        "mean",
        "The forward copies b to every row, so the shares are added.",
        "What does the backward do with g to get the gradient of b? What should it do, for a batch of 5?",
    ),
    Witness(
        "bugs-witness-bias",
        _applied(AddBias),
        lambda h, b: h + b,
        count=2,
        says={
            "right": "With more than one row, mean and sum differ.",
            "agrees": "For a batch of 1 the mean is the sum. How many rows does your h have?",
        },
    ),
    _named(
        "exp",
        "damage",
        "The first pass multiplies what the second one needs.",
        "The first pass is right. What does it leave for the second?",
    ),
    _named(
        "cube",
        "factor",
        "The derivative of x ** 3 has a 3 in front.",
        "Divide the two numbers of the cheap test. What do you get?",
    ),
    OwnGradient(
        "bugs-own",
        normal(x=(7,)),
        lambda x: x / sum(x),
        says={
            "right": "Cured: the share through the sum is there.",
            "missing_term": "Each x also moves the sum, and so every result. What share does that contribute?",
            "wrong_sign": "Both shares are there, with the wrong sign. Which of them is added, and which subtracted?",
            "hint": (
                "Two paths lead from x: directly to its own result, and through the sum to all results. What does each "
                "contribute?"
            ),
        },
    ),
)
