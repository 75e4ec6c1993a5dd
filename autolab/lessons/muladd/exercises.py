"""Exercises of 01 MulAdd: w = x * y + z at x = -1, y = 5, z = 2, and functions like it."""

from __future__ import annotations

from ...lesson.exercise import Exercise, OwnGradient, Prediction, normal

_X, _Y, _Z, _UPSTREAM = -1.0, 5.0, 2.0, 10.0

EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "muladd-predict-gx",
        lambda: _Y,
        {"own": lambda: _X, "result": lambda: _X * _Y + _Z},
        says={
            "right": "When x moves by a little, w moves y times as much.",
            "own": "That is x itself. When x moves, what is the move multiplied by?",
            "result": "That is w itself. How fast does w change when x moves?",
            "hint": "What is x multiplied by? A nudge of x is multiplied by the same number.",
        },
    ),
    Prediction(
        "muladd-predict-gz",
        lambda: 1.0,
        {"own": lambda: _Z, "nothing": lambda: 0.0},
        says={
            "right": "An addition passes the gradient on unchanged.",
            "own": "That is z itself. If z grows by 1, by how much does w grow?",
            "nothing": "z does matter: if z grows by 1, w is not the same.",
            "hint": "If z grows by 1, by how much does w grow?",
        },
    ),
    Prediction(
        "muladd-predict-upstream",
        lambda: _UPSTREAM * _Y,
        {"local": lambda: _Y, "upstream": lambda: _UPSTREAM},
        says={
            "right": "A backward gives the gradient of the final result: upstream times local.",
            "local": "That is the local derivative alone. How much does the final result move when w moves by 1?",
            "upstream": (
                "That is how much the final result moves for each unit of w. How much does w move for each unit of x?"
            ),
            "hint": (
                "A nudge of x grows on its way to w, and again on its way to the final result. By which two factors?"
            ),
        },
    ),
    Prediction(
        "muladd-predict-twice",
        lambda: 2 * _Y,
        {"replaced": lambda: _Y},
        says={
            "right": "Each backward pass adds to what is already there.",
            "replaced": "That is what one pass leaves. What does the second pass do with it?",
            "hint": "Each pass brings the same gradient. What happens to the old one?",
        },
    ),
    Prediction(
        "muladd-predict-none",
        lambda: "nothing",
        choices=("zero", "nothing", "error"),
        says={
            "right": "None means that no path leads from here to the result. It is not the number 0, which is a slope.",
            "zero": (
                "0 would be a slope that was computed. Here nothing was computed: no arrow leads from z to the result."
            ),
            "error": "A computation may leave an input out, and nothing goes wrong. So what is there to store?",
        },
    ),
    Prediction(
        "muladd-predict-targets",
        lambda: "b",
        choices=("a", "b", "c"),
        says={
            "right": "x needs no gradient, so its index is not among them.",
            "a": "One of the three needs no gradient. Which one is it, and what is its index?",
            "c": "That is the one that needs no gradient. Which are the others?",
        },
    ),
    OwnGradient(
        "muladd-gz",
        normal(x=(5, 4), y=(5, 4), z=(5, 4)),
        lambda x, y, z: x * y - z,
        says={
            "right": "The minus sign of the forward is the local derivative.",
            "wrong_sign": "z enters with a minus. If z grows, does the result grow?",
            "upstream_ignored": "-1 is the local derivative. A backward returns the upstream gradient times it.",
            "hint": "How does x * y - z change when z grows by 1? Multiply that by the upstream gradient.",
        },
    ),
    OwnGradient(
        "muladd-own",
        normal(x=(5, 4, 3), y=(5, 4, 3)),
        lambda x, y: x * x * y,
        says={
            "right": "A function with a gradient of your own, right at random points and for any upstream gradient.",
            "upstream_ignored": "A backward returns the upstream gradient times the derivative, for each input.",
            "swapped_inputs": "The first gradient belongs to x, the second to y.",
            "wrong_factor": "x is used twice in x * x. Each use contributes a share.",
            "forward": "The forward is x * x * y, element by element, and returns a tuple.",
            "hint": "Write x * x * y as two products, and follow the shares of each.",
        },
    ),
)
