"""Exercises of 06 training: depth and scale, a loop by hand, what a falling loss does not say, dead units."""

from __future__ import annotations

import numpy as np

from ...lesson.exercise import Arrays, Exercise, Prediction, Values, normal

_RATE, _STEPS, _PASSES = 0.1, 7, 3


def _sizes(rng: np.random.Generator) -> Arrays:
    return {"n": rng.integers(2, 1000, size=())}


def _step_inputs(rng: np.random.Generator) -> Arrays:
    return {"w": rng.normal(size=(5, 4)), "g": rng.normal(size=(5, 4)), "rate": rng.uniform(0.1, 0.9, size=())}


def _units(rng: np.random.Generator) -> Arrays:
    """Results of a relu layer of which some units are dead; others are 0 for some examples, and two rows are all 0."""
    h = np.maximum(rng.normal(size=(7, 40)), 0)
    h[:, rng.permutation(40)[: rng.integers(5, 20)]] = 0
    h[rng.permutation(7)[:2]] = 0
    return {"h": h}


def _slope(w: np.ndarray) -> np.ndarray:
    """The gradient of a bowl that is no parabola, so that every step counts."""
    return np.tanh(w) + w


def _steps(w: np.ndarray, sign: float = -1.0, rate: float = _RATE, steps: int = _STEPS) -> np.ndarray:
    for _ in range(steps):
        w = w + sign * rate * _slope(w)
    return w


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "training-predict-depth",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "Twenty layers multiply twenty factors.",
            "a": "That is what one layer does. How many layers does the gradient go through?",
            "b": "That is what four layers do. What do twenty do?",
        },
    ),
    Values(
        "training-scale",
        _sizes,
        lambda n: 1 / np.sqrt(n),
        {"mean": lambda n: 1 / n, "turned": lambda n: np.sqrt(n), "one": lambda n: 1.0},
        measure=lambda answer, inputs: answer(int(inputs["n"])),
        points=4,
        says={
            "right": "With this scale, numbers keep their size from layer to layer.",
            "mean": "That is too small. The products have different signs: does their sum grow like n?",
            "turned": "That makes the sum even larger. What should it be divided by?",
            "one": "With weights of size 1, how large is a sum of 100 products?",
            "hint": "The sum is sqrt(n) times as large as one product. What do you divide by?",
        },
    ),
    Values(
        "training-step",
        _step_inputs,
        lambda w, g, rate: w - rate * g,
        {
            "uphill": lambda w, g, rate: w + rate * g,
            "whole": lambda w, g, rate: w - g,
            "only": lambda w, g, rate: -rate * g,
        },
        says={
            "right": "The step goes against the gradient, and the rate says how far.",
            "uphill": "The gradient points to where the loss grows. Which way do you want to go?",
            "whole": "That is a step as long as the gradient. Which input says how far to go?",
            "only": "That is the step alone. Where does it start?",
            "hint": "Where do you start, in which direction do you go, and how far?",
        },
    ),
    Prediction(
        "training-predict-forget",
        lambda: float(_PASSES),
        {"cleared": lambda: 1.0},
        says={
            "right": "Each pass adds the same gradient once more.",
            "cleared": "That would be so if somebody cleared the gradient. What is in w.grad before the third pass?",
            "hint": "Each pass adds one gradient. How many passes were there?",
        },
    ),
    Prediction(
        "training-predict-falls",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "It falls, and that says nothing about the gradients.",
            "a": "One factor is not what it should be. Does that reverse the gradient?",
            "b": "The gradient is wrong, and it is not zero. Do the weights move?",
        },
    ),
    Values(
        "training-norm",
        normal(g=(5, 4)),
        lambda g: np.sqrt((g * g).sum()),
        {
            "squares": lambda g: (g * g).sum(),
            "mean": lambda g: np.sqrt((g * g).mean()),
            "signed": lambda g: g.sum(),
        },
        says={
            "right": "It is the length of the gradient, if you think of it as an arrow.",
            "squares": "That is the sum of the squares. What is left to do?",
            "mean": "You took the mean of the squares. Should the norm not grow when the array gets longer?",
            "signed": "Here negative and positive numbers cancel. What would squares do?",
            "hint": "Three steps: what do you do to each number, to all of them, and at the end?",
        },
    ),
    Prediction(
        "training-predict-dead",
        lambda: 0.0,
        says={
            "right": "relu is flat there: no gradient gets through, for any example.",
            "hint": "What is the slope of relu where its input is negative? Multiply by it.",
        },
    ),
    Values(
        "training-count",
        _units,
        lambda h: (h == 0).all(axis=0).sum(),
        {
            "zeros": lambda h: (h == 0).sum(),
            "once": lambda h: (h == 0).any(axis=0).sum(),
            "examples": lambda h: (h == 0).all(axis=1).sum(),
        },
        says={
            "right": "A unit is dead if it is 0 for all examples.",
            "zeros": "You counted all zeros. Is a unit dead if it is 0 for one example?",
            "once": "You counted the units that are 0 at least once. When is a unit dead?",
            "examples": "You looked along each row. What is a row, and what is a unit?",
            "hint": "For which columns is every number 0? How many are there?",
        },
    ),
    Values(
        "training-own",
        normal(w=(5, 4)),
        _steps,
        {
            "uphill": lambda w: _steps(w, sign=1.0),
            "once": lambda w: _steps(w, steps=1),
            "fewer": lambda w: _steps(w, steps=_STEPS - 1),
            "more": lambda w: _steps(w, steps=_STEPS + 1),
            "stale": lambda w: w - _STEPS * _RATE * _slope(w),
            "whole": lambda w: _steps(w, rate=1.0),
        },
        measure=lambda answer, inputs: answer(inputs["w"], _slope, _RATE, _STEPS),
        says={
            "right": "That is all there is to gradient descent.",
            "uphill": "You are going uphill. Which sign does the step have?",
            "once": "You took one step. Does your loop go on?",
            "fewer": "Your last step is missing. How many times does your loop run?",
            "more": "You took one step too many. How many times does your loop run?",
            "stale": "You used the gradient of the first point for all steps. Does it not change when w moves?",
            "whole": "How far does each of your steps go? Which input says how far?",
            "hint": "At each step: where are you, and what is the gradient there?",
        },
    ),
)
