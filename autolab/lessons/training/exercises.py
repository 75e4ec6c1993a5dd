"""Exercises of 06 training: depth and scale, a loop by hand, what a falling loss does not say, dead units."""

from __future__ import annotations

from typing import Any

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


def _descended(answer: Any, inputs: Arrays) -> Any:
    return answer(inputs["w"], _slope, _RATE, _STEPS)


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
            "a": "That would be so for one layer. There are twenty, and each one makes it smaller.",
            "b": "That is what a few layers do. There are twenty.",
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
            "right": "With it, numbers keep their size from layer to layer.",
            "mean": "That is too small: the products have different signs, and partly cancel.",
            "turned": "That makes the sum larger still. It is to become smaller again.",
            "one": "Then the sum grows with the number of inputs.",
            "hint": "The sum is the root of n times as large as one product. By what do you divide?",
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
            "right": "Against the gradient, as far as the rate says.",
            "uphill": "The gradient says where the loss grows. You want it to fall.",
            "whole": "That goes as far as the whole gradient. What about the rate?",
            "only": "That is the step alone. Where do you start from?",
            "hint": "Start from w and go against the gradient; the rate says how far.",
        },
    ),
    Prediction(
        "training-predict-forget",
        lambda: float(_PASSES),
        {"cleared": lambda: 1.0},
        says={
            "right": "Each pass adds the same gradient once more.",
            "cleared": "That would be so if somebody cleared it. Here nobody does.",
            "hint": "Each pass adds one gradient. How many passes were there?",
        },
    ),
    Prediction(
        "training-predict-falls",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "It falls, and says nothing about the gradients.",
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
            "right": "It is the length of the gradient, if you think of it as one long arrow.",
            "squares": "These are the squares. The norm is their root.",
            "mean": "You took the mean of the squares. The norm takes their sum.",
            "signed": "Here negative and positive numbers cancel. Squares do not.",
            "hint": "Square every number, add up, and take the root.",
        },
    ),
    Prediction(
        "training-predict-dead",
        lambda: 0.0,
        says={
            "right": "relu is flat there: nothing comes through, for no example.",
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
            "zeros": "You counted all zeros. A unit may be 0 for one example and alive for another.",
            "once": "You counted the units that are 0 at least once. Dead ones are 0 always.",
            "examples": "You asked for each row, which is an example. A unit is a column.",
            "hint": "For each column: is every number 0? Count the columns for which it is so.",
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
        measure=_descended,
        says={
            "right": "That is all there is to gradient descent.",
            "uphill": "You go up. The loss falls on the other side.",
            "once": "You took one step. Does your loop go on?",
            "fewer": "You took one step too few.",
            "more": "You took one step too many.",
            "stale": "You used the gradient of the first point for all steps. It changes when w moves.",
            "whole": "The rate is missing.",
            "hint": "In each step: ask for the gradient where you are, and go against it.",
        },
    ),
)
