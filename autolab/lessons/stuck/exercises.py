"""Exercises of 11 it does not learn: eight programs to repair, in which every gradient is right."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...engine import Variable, grad
from ...lesson.exercise import Arrays, Exercise, Values, normal
from ...lesson.judgement import Known, has_gap, is_empty

_STEPS, _RATE = 20, 0.1


def _run(answer: Any, *args: Any, **inputs: Any) -> Any:
    """What was written, run; None where it stops at the gap that is still in it."""
    try:
        return answer(*args, **inputs)
    except Exception:
        if has_gap(answer):
            return None
        raise


def _slopes(*names: str) -> Any:
    """Measures the gradient of what was written by these inputs, one after the other."""

    def measure(answer: Any, inputs: Arrays) -> Any:
        variables = {name: Variable(inputs[name]) for name in names}
        y = _run(answer, **{**inputs, **variables})
        if y is None:
            return None
        if not isinstance(y, Variable) or y.size != 1:
            raise Known("shape")
        found: list[np.ndarray] = []
        for variable in variables.values():
            if (gradient := grad(y, variable)) is None:
                raise Known("cut")
            found.append(gradient.data.ravel())
        return np.concatenate(found)

    return measure


def _trained(answer: Any, inputs: Arrays) -> Any:
    """Where a step leads that is taken again and again."""
    w = Variable(inputs["w"].copy())
    for _ in range(_STEPS):
        if _run(answer, inputs["x"], w, inputs["t"]) is None:
            return None
    return w.data


def _value_and_slope(answer: Any, inputs: Arrays) -> Any:
    """A loss and its gradient by the scores."""
    slope = _slopes("z")(answer, inputs)
    return None if slope is None else np.append(np.asarray(answer(**inputs), float), slope)


def _softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _line_slope(x: np.ndarray, w: np.ndarray, t: np.ndarray) -> np.ndarray:
    return (2 / len(x) * x.T @ (x @ w - t[:, None])).ravel()


def _wrong_line_slope(x: np.ndarray, w: np.ndarray, t: np.ndarray) -> np.ndarray:
    return (2 / len(x) * x.T @ (x @ w - t.mean())).ravel()


def _descent(x: np.ndarray, w: np.ndarray, t: np.ndarray, keeps: bool = False) -> np.ndarray:
    """Gradient descent; where it ``keeps`` them, all gradients so far are added up."""
    total = np.zeros_like(w)
    for _ in range(_STEPS):
        total = keeps * total + 2 / len(x) * x.T @ (x @ w - t)
        w = w - _RATE * total
    return w


def _one_hot(classes: np.ndarray) -> np.ndarray:
    return np.eye(4)[classes]


def _classes_slope(x: np.ndarray, w: np.ndarray, classes: np.ndarray) -> np.ndarray:
    return (x.T @ (_softmax(x @ w) - _one_hot(classes)) / len(x)).ravel()


def _twice_slope(x: np.ndarray, w: np.ndarray, classes: np.ndarray) -> np.ndarray:
    p = _softmax(x @ w)
    g = (_softmax(p) - _one_hot(classes)) / len(x)
    return (x.T @ (p * (g - (g * p).sum(axis=1, keepdims=True)))).ravel()


def _net_slopes(x: np.ndarray, w1: np.ndarray, w2: np.ndarray, t: np.ndarray) -> np.ndarray:
    h = np.tanh(x @ w1)
    g = 2 / len(x) * (h @ w2 - t)
    return np.concatenate([(x.T @ (np.outer(g, w2) * (1 - h * h))).ravel(), h.T @ g])


def _different_columns(answer: Any, inputs: Arrays) -> Any:
    """How many of the hidden units learn something of their own in the first step."""
    made = _run(answer, np.random.default_rng(int(abs(inputs["seed"][0]) * 1e6)))
    if is_empty(made):
        return None
    w1, w2 = [np.asarray(array, float) for array in made]
    if w1.shape != (3, 4) or w2.shape != (4,):
        raise Known("shape")
    if not all([(np.abs(w) <= 5).all() for w in (w1, w2)]):
        raise Known("large")
    x = np.linspace(-1.0, 1.0, 15).reshape(5, 3)
    slope = _net_slopes(x, w1, w2, x[:, 0])[:12].reshape(3, 4)
    columns = {tuple(np.round(column, 12)) for column in slope.T if column.any()}
    return np.array([float(len(columns))])


def _parameters(answer: Any, inputs: Arrays) -> Any:
    """How many parameters a net knows, and the shape of what it makes."""
    net = answer()
    y = _run(net, inputs["x"])
    if y is None:
        return None
    return np.array([float(len(list(net.params()))), *map(float, y.shape)])


def _scores(draw: np.random.Generator) -> Arrays:
    z = draw.normal(size=12) * 20.0
    return {"z": z, "t": (draw.random(12) < 0.5).astype(float)}


def _classes(draw: np.random.Generator) -> Arrays:
    return {"x": draw.normal(size=(6, 3)), "w": draw.normal(size=(3, 4)), "classes": draw.integers(0, 4, size=6)}


def _scores_slope(z: np.ndarray, t: np.ndarray) -> np.ndarray:
    loss = np.mean(np.logaddexp(0.0, z) - t * z)
    return np.concatenate([[loss], (1 / (1 + np.exp(-z)) - t) / len(z)])


def _features(draw: np.random.Generator) -> Arrays:
    return {"x": draw.normal(size=(9, 3)) * [1.0, 500.0, 0.01] + [0.0, 3000.0, 7.0]}


def _standard(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(axis=0)) / x.std(axis=0)


_Program = partial(Values, what="")
"""A program to repair: what is compared is what it does, and not what it returns."""

EXERCISES: tuple[Exercise, ...] = (
    _Program(
        "stuck-shapes",
        normal(x=(8, 3), w=(3, 1), t=(8,)),
        _line_slope,
        {"broadcast": _wrong_line_slope, "sum": lambda x, w, t: len(x) * _line_slope(x, w, t)},
        measure=_slopes("w"),
        says={
            "right": "Eight errors from eight examples. Now each of them pulls at w.",
            "broadcast": "What are the shapes of y and t? And what is the shape of their difference?",
            "sum": "The errors are right now. The loss was their mean; is it still?",
            "shape": "A loss is one number. What is the shape of yours?",
            "cut": "No gradient reaches w. Does your line still use the Variable itself?",
            "hint": "Run autolab.diagnose(line, x, Variable(np.zeros((3, 1))), t). Which two shapes does it name?",
        },
    ),
    _Program(
        "stuck-descent",
        normal(x=(8, 3), w=(3,), t=(8,)),
        _descent,
        {"kept": lambda x, w, t: _descent(x, w, t, keeps=True)},
        measure=_trained,
        says={
            "right": "Each step goes along the gradient of this step alone.",
            "kept": "What is in w.grad before backward() is called the second time?",
            "hint": "Run autolab.diagnose(swinging, x, Variable(np.zeros(3)), t, steps=20). What does it say?",
        },
    ),
    _Program(
        "stuck-classes",
        _classes,
        _classes_slope,
        {"twice": _twice_slope},
        measure=_slopes("w"),
        says={
            "right": "The loss makes the probabilities itself, so it wants the scores.",
            "twice": "What does softmax_cross_entropy do with what it is given?",
            "cut": "No gradient reaches w. Does the loss still depend on it?",
            "hint": "Run autolab.diagnose on unsure, with w as a Variable. How often is softmax computed?",
        },
    ),
    _Program(
        "stuck-cut",
        normal(x=(8, 3), w1=(3, 4), w2=(4,), t=(8,)),
        _net_slopes,
        measure=_slopes("w1", "w2"),
        says={
            "right": "The path from the loss back to w1 is whole again.",
            "cut": "w1 has no gradient. At which line does the path from the loss back to w1 end?",
            "shape": "A loss is one number. What is the shape of yours?",
            "hint": "Run autolab.diagnose on half, with w1 and w2 as Variables. Which line does it name?",
        },
    ),
    _Program(
        "stuck-equal",
        normal(seed=(1,)),
        lambda seed: np.array([4.0]),
        {"none": lambda seed: np.array([0.0]), "equal": lambda seed: np.array([1.0])},
        measure=_different_columns,
        says={
            "right": "Four units that begin differently, and four that learn differently.",
            "none": "With w2 = 0, what is the gradient of h? And with w1 = 0, what is h?",
            "equal": "All four units get the same gradient. Will they ever differ?",
            "large": "Numbers above 5 make tanh level off. How large may they be?",
            "shape": "The shapes are (3, 4) and (4,). Which shapes do you return?",
            "hint": "Does one of your units begin with the same numbers as another, or with a 0 in w2?",
        },
    ),
    _Program(
        "stuck-list",
        normal(x=(5, 3)),
        lambda x: np.array([4.0, 5.0, 1.0]),
        {"list": lambda x: np.array([0.0, 5.0, 1.0]), "half": lambda x: np.array([2.0, 5.0, 1.0])},
        measure=_parameters,
        says={
            "right": "Two layers with a W and a b each: the optimizer sees all four.",
            "list": "The net works, but how many parameters does it know? Where does a Chain look for its layers?",
            "half": "One layer is known now. And the other one?",
            "hint": "Run autolab.diagnose(lambda net: F.mean(net(x) ** 2), Forgetful()). What does it say?",
        },
    ),
    _Program(
        "stuck-logs",
        _scores,
        _scores_slope,
        {"swapped": lambda z, t: _scores_slope(z, 1 - t)},
        measure=_value_and_slope,
        says={
            "right": "Nothing is rounded to 0 on the way, so no logarithm becomes infinite.",
            "swapped": "For t = 1 the loss should be small where z is large. Is yours?",
            "shape": "A loss is one number. What is the shape of yours?",
            "cut": "No gradient reaches z. Does the loss still depend on it?",
            "hint": "Run autolab.diagnose on textbook, with z as a Variable. Which line made the first infinity?",
        },
    ),
    Values(
        "stuck-scale",
        _features,
        _standard,
        {
            "centred": lambda x: x - x.mean(axis=0),
            "together": lambda x: (x - x.mean()) / x.std(),
            "rows": lambda x: (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True),
            "unchanged": lambda x: x,
        },
        says={
            "right": "Now one learning rate suits all three columns.",
            "centred": "The means are 0 now. How far do the numbers of each column still spread?",
            "together": "You used one mean for all columns. Which column decides it?",
            "rows": "You used the mean of each example. What is to be compared: examples, or columns?",
            "unchanged": "How large are the numbers of the three columns, compared with each other?",
            "hint": "Which numbers of a column does its mean take, and which its deviation?",
        },
    ),
)
