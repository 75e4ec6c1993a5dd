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
            "same": "Then the mean of y would be half that of x. How does dropout keep the mean?",
            "smaller": "Is a kept number made smaller or larger, so that the mean stays the same?",
            "hint": "Look at the picture: what has become of a kept number of x, in the same place in y?",
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
            "right": "Dropped numbers are 0, the others are larger, and the mean stays the same.",
            "unscaled": "The right ones are dropped. What about the mean?",
            "others": "Which ones are 0 in your result, and which should be?",
            "hint": (
                "kept is 1 where a number stays and 0 elsewhere. What do you multiply by, so that the mean stays the "
                "same?"
            ),
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
            "through": "A dropped number cannot change the result. What is its gradient?",
            "unscaled": "The mask is right. What was a kept number multiplied by in the forward?",
            "no_upstream": "That is the local derivative. What about the upstream gradient?",
            "hint": ("The forward multiplies by fixed numbers. Which numbers does the backward multiply by?"),
        },
    ),
    Prediction(
        "dropout-predict-mode",
        lambda: _X,
        {"scaled": lambda: _X / 2, "training": lambda: 2 * _X},
        says={
            "right": "In test mode nothing changes: the scaling was already done in training.",
            "scaled": "The kept numbers were made larger in training already. So what is left to do in test mode?",
            "training": "That is what a kept number becomes in training. Is anything dropped in test mode?",
            "hint": "In test mode nothing is random. Is there anything left to scale?",
        },
    ),
    Prediction(
        "dropout-predict-check",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": 'Here "cannot tell" is the right verdict.',
            "a": "To say that, it would have to measure a slope. Do two calls differ in x alone?",
            "b": "To say that, it would have to measure a slope. Do two calls differ in x alone?",
        },
    ),
    OwnGradient(
        "dropout-own",
        normal(x=(5, 4, 3)),
        lambda x: relu(x),
        says={
            "right": "What the forward lets through, the backward lets through.",
            "local_error": "What is the slope of relu where x is negative?",
            "upstream_ignored": "The mask is the local derivative. Where is the upstream gradient?",
            "forward": "What should relu make of -1, and what of 2?",
            "hint": "Where is the slope of relu 1, and where is it 0?",
        },
    ),
)
