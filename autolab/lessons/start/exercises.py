"""Exercises of 00 start: out = x * y + x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import Variable, grad
from ...lesson.exercise import Arrays, Exercise, Prediction, Values, normal
from ...lesson.judgement import Known, is_empty

_POINTS = 20
_GX, _GY = 3.0, -1.0
_numbers = normal(x=(), y=())  # in this lesson nobody has heard of arrays


def _slope(x: Any, y: Any) -> Any:
    return y + 1.0


def _slopes(answer: Callable[..., Any], inputs: Arrays) -> Any:
    """The gradients of a written function by x and by y. Its values have to follow them: no rule of its own will do."""
    x, y = (Variable(number) for number in inputs.values())
    out, turned = answer(x, y), answer(y, x)
    if is_empty((out, turned)):
        return None
    if isinstance(out, tuple | list):
        return out
    if not (isinstance(out, Variable) and isinstance(turned, Variable)):
        raise Known("fixed")
    found = [0.0 if g is None else float(g.data) for g in grad(out, (x, y))]
    rise = (_GX - _GY) * (x.data - y.data)
    if np.allclose(found, [_GX, _GY]) and not np.allclose(out.data - turned.data, rise):
        raise Known("fixed")
    return found


def _plane(gx: float, gy: float) -> Callable[..., np.ndarray]:
    return lambda x, y: np.array([gx, gy])


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "start-sign",
        lambda: "down",
        choices=("up", "down"),
        says={
            "right": "The gradient of x is negative here: out falls when x grows.",
            "up": "x is multiplied by y, and y is negative. What do you get if you multiply a slightly larger x by it?",
        },
    ),
    Prediction(
        "start-reuse",
        lambda: _slope(2.0, -3.0),
        {"product": lambda: -3.0, "added": lambda: 1.0, "value": lambda: 2.0 * -3.0 + 2.0},
        says={
            "right": "x reaches out along two paths. Each contributes a share, and the shares are added.",
            "product": "That is the share that comes through the product. Does x reach out along another path too?",
            "added": "That is the share of the last + alone. Does x reach out along another path too?",
            "value": "That is the value of out. How fast does out change when x moves?",
            "hint": "How many arrows leave the box of x? Each of them contributes one share.",
        },
    ),
    Prediction(
        "start-number",
        lambda: "b",
        choices=("a", "b", "c"),
        says={
            "right": "A gradient is a number. It belongs to the point where it was computed.",
            "a": "A formula would hold for every point. Move a number: do you see letters in the box, or a number?",
            "c": "A curve would show many points. How many does the box show?",
        },
    ),
    Prediction(
        "start-zero",
        lambda: -1.0,
        {"forgot": lambda: 0.0, "sign": lambda: 1.0},
        says={
            "right": "At that point the two shares cancel. There is a gradient, and it is 0.",
            "forgot": "Then the path through the product contributes 0. What does the other path contribute?",
            "sign": "Drag y there: which sign do the two shares have? They should cancel.",
            "hint": "Drag the blue number of y slowly. Where does the gradient of x change its sign?",
        },
    ),
    Values(
        "start-slope",
        _numbers,
        _slope,
        {
            "rise": lambda x, y: 1e-6 * _slope(x, y),
            "sign": lambda x, y: -_slope(x, y),
            "both": lambda x, y: _slope(x, y) + x,
        },
        tolerance=1e-5,
        points=_POINTS,
        says={
            "right": "A nudge, and its effect: that is a numeric gradient.",
            "rise": "That is the rise alone. A slope is the rise for each unit of the nudge.",
            "sign": "If out rises, is before minus after positive or negative?",
            "both": "You nudged y as well. Which of the two should move?",
            "hint": "How much does out rise, for each unit that x moves?",
        },
    ),
    Values(
        "start-own",
        _numbers,
        _plane(_GX, _GY),
        {"swapped": _plane(_GY, _GX), "constant": _plane(_GX, 0.0)},
        measure=_slopes,
        what="slopes",
        points=_POINTS,
        says={
            "right": "You made a function from its gradients. Training does something like that.",
            "swapped": "You have the two the wrong way round. Which gradient did the task ask of x?",
            "constant": "If y grows by 1, by how much does your result change?",
            "fixed": "Your result does not follow x and y. Can you compute it from both, with +, - and * alone?",
            "hint": "If x grows by 1, the result should grow by 3; if y does, it should fall by 1. What does yours do?",
        },
    ),
)
