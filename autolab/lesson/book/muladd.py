"""Exercises of 01 MulAdd: w = x * y + z at x = -1, y = 5, z = 2, and functions like it."""

from __future__ import annotations

from ..exercise import Exercise, OwnGradient, Prediction, normal

_X, _Y, _Z, _UPSTREAM = -1.0, 5.0, 2.0, 10.0

EXERCISES: tuple[Exercise, ...] = (
    Prediction("muladd-predict-gx", lambda: _Y, {"own": lambda: _X, "result": lambda: _X * _Y + _Z}),
    Prediction("muladd-predict-gz", lambda: 1.0, {"own": lambda: _Z, "nothing": lambda: 0.0}),
    Prediction("muladd-predict-upstream", lambda: _UPSTREAM * _Y, {"local": lambda: _Y, "upstream": lambda: _UPSTREAM}),
    Prediction("muladd-predict-twice", lambda: 2 * _Y, {"replaced": lambda: _Y}),
    Prediction("muladd-predict-none", lambda: "nothing", choices=("zero", "nothing", "error")),
    Prediction("muladd-predict-targets", lambda: "b", choices=("a", "b", "c")),
    OwnGradient("muladd-gz", normal(x=(5, 4), y=(5, 4), z=(5, 4)), lambda x, y, z: x * y - z),
    OwnGradient("muladd-own", normal(x=(5, 4, 3), y=(5, 4, 3)), lambda x, y: x * x * y),
)
