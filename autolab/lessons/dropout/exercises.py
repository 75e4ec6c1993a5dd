"""Exercises of 04 dropout: masks, their scale, and checks of random functions."""

from __future__ import annotations

import numpy as np

from ...functions import relu
from ...lesson.exercise import Arrays, Draw, Exercise, OwnGradient, Prediction, Values, normal

_X = 3.0


def _with_noise(name: str) -> Draw:
    def draw(rng: np.random.Generator) -> Arrays:
        return {name: rng.normal(size=(5, 4)), "noise": rng.random((5, 4))}

    return draw


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "dropout-predict-scale",
        lambda: 2 * _X,
        {"same": lambda: _X, "smaller": lambda: _X / 2},
        says={
            "right": "What is kept is divided by 1 - ratio.",
            "same": "Then the mean of y would be half of that of x. How does dropout keep the mean?",
            "smaller": "Then the mean would become smaller still.",
            "hint": "Look at the picture: compare a kept number of x with the same place in y.",
        },
    ),
    Values(
        "dropout-forward",
        _with_noise("x"),
        lambda x, noise: 2 * x * (noise > 0.5),
        {
            "unscaled": lambda x, noise: x * (noise > 0.5),
            "others": lambda x, noise: 2 * x * (noise <= 0.5),
        },
        says={
            "right": "Dropped numbers are 0, the others are larger, and the mean stays.",
            "unscaled": "The right ones are dropped. What about the mean?",
            "others": "You keep the ones that are to be dropped.",
            "hint": "A mask is 1 where a number is kept and 0 elsewhere. Multiply by it, and keep the mean.",
        },
    ),
    Values(
        "dropout-backward",
        _with_noise("gy"),
        lambda gy, noise: 2 * gy * (noise > 0.5),
        {
            "through": lambda gy, noise: gy,
            "unscaled": lambda gy, noise: gy * (noise > 0.5),
            "no_upstream": lambda gy, noise: 2.0 * (noise > 0.5),
        },
        says={
            "right": "The same mask and the same scale as in the forward.",
            "through": "This sends gradients to numbers that were dropped.",
            "unscaled": "The mask is right. By what was a kept number multiplied in the forward?",
            "no_upstream": "That is the local derivative. What about the upstream gradient?",
            "hint": (
                "The forward multiplies by fixed numbers. The backward multiplies by the same ones. Draw no new ones."
            ),
        },
    ),
    Prediction(
        "dropout-predict-mode",
        lambda: _X,
        {"scaled": lambda: _X / 2, "training": lambda: 2 * _X},
        says={
            "right": "Test mode changes nothing: the scale was paid for in training.",
            "scaled": "Test mode does not scale. The kept numbers were made larger in training already.",
            "training": "That is what a kept number becomes in training.",
            "hint": "In test mode nothing is drawn.",
        },
    ),
    Prediction(
        "dropout-predict-check",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "No verdict is the right verdict here.",
            "a": "To say that, it would have to measure a slope: two calls that differ in x alone.",
            "b": "To say that, it would have to measure a slope. Do two calls differ in x alone?",
        },
    ),
    OwnGradient(
        "dropout-own",
        normal(x=(5, 4, 3)),
        lambda x: relu(x),
        says={
            "right": "What the forward lets through, the backward lets through.",
            "local_error": "Where x is negative, relu is flat.",
            "upstream_ignored": "The mask is the local derivative. Multiply it by the upstream gradient.",
            "forward": "relu keeps what is positive and makes the rest 0.",
            "hint": "Where is the slope of relu 1, and where is it 0?",
        },
    ),
)
