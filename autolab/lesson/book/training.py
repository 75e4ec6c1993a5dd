"""Exercises of 06 training: depth and scale, a loop by hand, what a falling loss does not say, dead units."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exercise import Arrays, Exercise, Prediction, Values, normal

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
    Prediction("training-predict-depth", lambda: "c", choices=("a", "b", "c")),
    Values(
        "training-scale",
        _sizes,
        lambda n: 1 / np.sqrt(n),
        {"mean": lambda n: 1 / n, "turned": lambda n: np.sqrt(n), "one": lambda n: 1.0},
        measure=lambda answer, inputs: answer(int(inputs["n"])),
        points=4,
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
    ),
    Prediction("training-predict-forget", lambda: float(_PASSES), {"cleared": lambda: 1.0}),
    Prediction("training-predict-falls", lambda: "c", choices=("a", "b", "c")),
    Values(
        "training-norm",
        normal(g=(5, 4)),
        lambda g: np.sqrt((g * g).sum()),
        {
            "squares": lambda g: (g * g).sum(),
            "mean": lambda g: np.sqrt((g * g).mean()),
            "signed": lambda g: g.sum(),
        },
    ),
    Prediction("training-predict-dead", lambda: 0.0),
    Values(
        "training-count",
        _units,
        lambda h: (h == 0).all(axis=0).sum(),
        {
            "zeros": lambda h: (h == 0).sum(),
            "once": lambda h: (h == 0).any(axis=0).sum(),
            "examples": lambda h: (h == 0).all(axis=1).sum(),
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
    ),
)
