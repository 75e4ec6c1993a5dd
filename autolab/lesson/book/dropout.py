"""Exercises of 04 dropout: masks, their scale, and checks of random functions."""

from __future__ import annotations

import numpy as np

from ...functions import relu
from ..exercise import Arrays, Draw, Exercise, OwnGradient, Prediction, Values, normal

_X = 3.0


def _with_dice(name: str) -> Draw:
    def draw(rng: np.random.Generator) -> Arrays:
        return {name: rng.normal(size=(5, 4)), "dice": rng.random((5, 4))}

    return draw


EXERCISES: tuple[Exercise, ...] = (
    Prediction("dropout-predict-scale", lambda: 2 * _X, {"same": lambda: _X, "smaller": lambda: _X / 2}),
    Values(
        "dropout-forward",
        _with_dice("x"),
        lambda x, dice: 2 * x * (dice > 0.5),
        {
            "unscaled": lambda x, dice: x * (dice > 0.5),
            "others": lambda x, dice: 2 * x * (dice <= 0.5),
        },
    ),
    Values(
        "dropout-backward",
        _with_dice("gy"),
        lambda gy, dice: 2 * gy * (dice > 0.5),
        {
            "through": lambda gy, dice: gy,
            "unscaled": lambda gy, dice: gy * (dice > 0.5),
            "no_upstream": lambda gy, dice: 2.0 * (dice > 0.5),
        },
    ),
    Prediction("dropout-predict-mode", lambda: _X, {"scaled": lambda: _X / 2, "training": lambda: 2 * _X}),
    Prediction("dropout-predict-check", lambda: "c", choices=("a", "b", "c")),
    OwnGradient("dropout-own", normal(x=(5, 4, 3)), lambda x: relu(x)),
)
