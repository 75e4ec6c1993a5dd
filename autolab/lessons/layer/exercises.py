"""Exercises of 10 layer: y = x * sigmoid(a * x) with a learnt number for each column, and its GPU kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...functions import sigmoid
from ...lesson.exercise import Arrays, Exercise, OwnGradient, Prediction, Values, normal
from ...lesson.written_link import linked

_parts = normal(x=(5, 4), a=(4,))


def _s(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-a * x))


def _slope(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    s = _s(x, a)
    return s + a * x * s * (1 - s)


def _shares(gy: np.ndarray, x: np.ndarray, a: np.ndarray) -> np.ndarray:
    s = _s(x, a)
    return gy * x * x * s * (1 - s)


def _with_s(answer: Any, inputs: Arrays) -> Any:
    """The sigmoid is given."""
    return answer(**inputs, s=_s(inputs["x"], inputs["a"]))


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "layer-predict-zero",
        lambda: 0.5,
        {"value": lambda: 0.0, "straight": lambda: 1.0, "sigmoid": lambda: 0.25},
        says={
            "right": "At 0 the path through s contributes 0, as it is multiplied by x. The direct one contributes 0.5.",
            "value": "That is the value of y. The picture shows two numbers in each box: which is the gradient?",
            "straight": "1 would be the slope if y were x. By what is x multiplied here, at x = 0?",
            "sigmoid": "That is the slope of the sigmoid. What happens to it on its way through the product with x?",
            "hint": "Two paths lead from x to y. What does each of them contribute at x = 0?",
        },
    ),
    Values(
        "layer-slope",
        _parts,
        _slope,
        {
            "straight": lambda x, a: _s(x, a),
            "through": lambda x, a: a * x * _s(x, a) * (1 - _s(x, a)),
            "no_a": lambda x, a: _s(x, a) + x * _s(x, a) * (1 - _s(x, a)),
        },
        measure=_with_s,
        says={
            "right": "Two paths, two shares.",
            "straight": "That is the share of the first x in x * s. Does x reach y along another path?",
            "through": "That is the share that comes through s. What does the other path contribute?",
            "no_a": "At a = 1 your line is right. How fast does a * x change when x moves?",
            "hint": "y is a product of x and s, and s moves with x as well. The slope of s is s * (1 - s), times what?",
        },
    ),
    Values(
        "layer-ga",
        normal(gy=(5, 4), x=(5, 4), a=(4,)),
        lambda gy, x, a: _shares(gy, x, a).sum(axis=0),
        {
            "copies": _shares,
            "mean": lambda gy, x, a: _shares(gy, x, a).mean(axis=0),
            "one_x": lambda gy, x, a: (gy * x * _s(x, a) * (1 - _s(x, a))).sum(axis=0),
            "no_upstream": lambda gy, x, a: _shares(np.ones_like(gy), x, a).sum(axis=0),
        },
        measure=_with_s,
        says={
            "right": "One number of a serves a whole column, so the shares of the column are added.",
            "copies": "These are the shares, 5 for each number of a. How many numbers does a have?",
            "mean": "You averaged over the examples. What did the bias in 03 Linear do with its shares?",
            "one_x": "How fast does a * x change when a moves? And by what is s multiplied on its way to y?",
            "no_upstream": "The local derivatives are there. Where is gy?",
            "hint": "How fast does s change when a moves, and y when s moves? Which shares are added up?",
        },
    ),
    OwnGradient(
        "layer-own",
        _parts,
        lambda x, a: x * sigmoid(a * x),
        says={
            "right": "A function of your own, with both gradients, checked at random points.",
            "upstream_ignored": "Both lines are local derivatives. Where is gy?",
            "unreduced_broadcast": "gx has the shape of x. What is the shape of ga, and what should it be?",
            "wrong_shape": "gx has the shape of x. What is the shape of ga, and what should it be?",
            "hint": "You have written both formulas above. What has to be done to them in a backward?",
        },
    ),
    Values(
        "layer-link",
        _parts,
        lambda x, a: x * _s(x, a),
        measure=linked("a", 1, np.size),
        says={
            "right": "An optimizer finds a, and training changes it.",
            "unregistered": "The link knows no parameter called a. Is it a Parameter, and is it assigned to self.a?",
            "start": "a should start with ones. With what is your Parameter filled?",
            "detached": "No gradient reaches a. Is it the parameter itself that goes into the function?",
            "hint": "Your function takes x and a. Which of the two does the link bring along?",
        },
    ),
    Values(
        "layer-kernel",
        normal(g=(5, 4), x=(5, 4), a=(5, 4)),
        lambda g, x, a: g * _slope(x, a),
        {"local": lambda g, x, a: _slope(x, a)},
        measure=_with_s,
        says={
            "right": "The line is right, and the kernel below is made from it.",
            "local": "That is the local derivative. By what does a backward multiply it?",
            "hint": "It is the slope that you wrote above, times the upstream gradient, which is called g here.",
        },
    ),
)
