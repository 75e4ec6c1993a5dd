"""Exercises of NAME: y = x ** 3."""

from __future__ import annotations

from autolab.lesson.exercise import Exercise, OwnGradient, Prediction, Values, normal

EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "NAME-predict",
        lambda: 12.0,
        {"value": lambda: 8.0, "power": lambda: 6.0},
        says={
            "right": "The slope of x ** 3 is 3 * x ** 2.",
            "value": "That is the number in the box of y. Look at the second number in the box of x.",
            "power": "The 3 comes down in front. What becomes of the power?",
            "hint": "Move x from 2 to 2.1 in the picture. By how much does y grow, for each unit of x?",
        },
    ),
    Values(
        "NAME-slope",
        normal(x=(5, 4)),
        lambda x: 3 * x**2,
        {"no_power": lambda x: 3 * x, "no_factor": lambda x: x**2},
        says={
            "right": "Right at every x, not at one alone.",
            "no_power": "At x = 2 the picture says 12. What does your line give?",
            "no_factor": "At x = 2 the picture says 12. By which factor is your line too small?",
            "hint": "How fast does x ** 3 grow at x = 1, and how fast at x = 2?",
        },
    ),
    OwnGradient(
        "NAME-own",
        normal(x=(5, 4)),
        lambda x: x**3,
        says={
            "right": "A function with a backward of your own.",
            "upstream_ignored": "That is the local derivative. Where is the upstream gradient?",
            "hint": "What does the forward keep, and what does the backward make of it?",
        },
    ),
)
