"""Exercises of 08 softsign: the derivative of x / (1 + |x|), where it saturates, and the kink in it."""

from __future__ import annotations

import numpy as np

from ...functions import softsign
from ...lesson.exercise import Exercise, OwnGradient, Prediction, Values, normal

_X = -3.0
_NEAR = 1e-6


def _slope(x: float) -> float:
    return 1 / (1 + abs(x)) ** 2


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "softsign-predict-slope",
        lambda: _slope(_X),
        {
            "straight": lambda: 1 / (1 + abs(_X)),
            "size": lambda: _X / (1 + abs(_X)) ** 2,
            "value": lambda: _X / (1 + abs(_X)),
            "odd": lambda: -_slope(_X),
        },
        says={
            "right": "0.25 comes along the direct path, and -0.1875 through size. Their sum is 1 / 16.",
            "straight": "That is the share of the direct path. What does the path through size contribute?",
            "size": "That is the share that comes through size. What does the direct path contribute?",
            "value": "That is the value of y. How fast does y change when x moves?",
            "odd": "Softsign grows everywhere. If x moves up, where does y move?",
            "hint": "What is the share of each path? And what sign does the slope of |x| have at -3?",
        },
    ),
    Values(
        "softsign-slope",
        normal(x=(5, 4)),
        lambda x: 1 / (1 + np.abs(x)) ** 2,
        {
            "straight": lambda x: 1 / (1 + np.abs(x)),
            "no_size": lambda x: 1 / (1 + x) ** 2,
            "minus": lambda x: -1 / (1 + np.abs(x)) ** 2,
            "odd": lambda x: np.sign(x) / (1 + np.abs(x)) ** 2,
        },
        says={
            "right": "One formula for both sides of 0, largest at 0.",
            "straight": "That is the share of the direct path. What is the share that comes through size?",
            "no_size": "That is right where x is positive. What becomes of x in size where it is negative?",
            "minus": "Softsign grows everywhere. Can its slope be negative?",
            "odd": "To the left of 0 the curve rises, too. What sign does its slope have there?",
            "hint": "The shares are 1 / size and -|x| / size ** 2. What is their common denominator?",
        },
    ),
    Prediction(
        "softsign-predict-far",
        lambda: "a",
        choices=("a", "b", "c"),
        says={
            "right": "tanh approaches its bound as fast as exp(-2 * x) falls, softsign only as fast as 1 / x.",
            "b": "tanh is 0.999999996 at 10. How much further can it grow?",
            "c": "They agree at 0. At 10, softsign is 0.909 and tanh is 0.999999996. Which can still grow more?",
        },
    ),
    Prediction(
        "softsign-reach",
        lambda: 9.0,
        {"shifted": lambda: 10.0, "unrooted": lambda: 99.0},
        says={
            "right": "At 9 a hundredth of the upstream gradient still comes through.",
            "shifted": "At that x, size is 11. Which size do you need?",
            "unrooted": "At that x, size is 100. What is in the denominator: size, or its square?",
            "hint": "The derivative is 1 / size ** 2. For which size is it 0.01, and which x has that size?",
        },
    ),
    Prediction(
        "softsign-predict-kink",
        lambda: -2 / (1 + _NEAR) ** 3,
        {"left": lambda: 2.0, "flat": lambda: 0.0, "first": lambda: 1.0},
        says={
            "right": "To the right of 0 the slope falls, and it falls at once.",
            "left": "That is the second derivative to the left of 0. Does the slope grow or fall to the right of it?",
            "flat": "The slope is largest at 0, but its curve has a sharp peak there. Is it level just beside it?",
            "first": "That is the slope. How fast does the slope itself change?",
            "hint": "To the right of 0 the slope is 1 / (1 + x) ** 2. What is its derivative near 0?",
        },
    ),
    OwnGradient(
        "softsign-own",
        normal(x=(5, 4, 3)),
        lambda x: softsign(x),
        says={
            "right": "One step in place of three, with the derivative that you found.",
            "upstream_ignored": "1 / size ** 2 is the local derivative. Where is the upstream gradient?",
            "forward": "What should the forward make of x = 1? It is 1 / 2. And does it return a tuple?",
            "hint": "You wrote the local derivative above. What does a backward multiply it by?",
        },
    ),
)
