"""Exercises of 12 a compiler: the same numbers with fewer calls, in fewer buffers, and what cannot be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Variable, as_variable, grad
from ...lesson.exercise import Arrays, Exercise, Prediction, Values, normal
from ...lesson.judgement import Known


def _rise(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.exp(w * x) - 1 / np.exp(w * x)


def _one_exp(answer: Any, inputs: Arrays) -> Any:
    """The numbers, if what was written calls the exp that it is handed no more than once."""
    calls = []

    def exp(u: Any) -> np.ndarray:
        calls.append(u)
        return np.exp(u)

    result = answer(**inputs, exp=exp)
    if len(calls) > 1:
        raise Known("repeats")
    return result


def _in_two_buffers(answer: Any, inputs: Arrays) -> Any:
    """The numbers, if one buffer holds them and the other what was added last, and the argument is as it was."""
    x, a, b = inputs["x"].copy(), np.zeros(6), np.zeros(6)
    result = answer(x, a, b)
    if result is None:
        return None
    if not np.array_equal(x, inputs["x"]):
        raise Known("overwritten")
    if not (np.array_equal(result, a) or np.array_equal(result, b)):
        raise Known("new")
    if not (a.any() and b.any()) and np.allclose(result, np.sin(2 * x) + np.cos(3 * x)):
        raise Known("new")
    return result


def _factor(x: np.ndarray) -> Any:
    return 2 / np.sqrt((x * x).sum())


def _shrunk(x: np.ndarray, c: np.ndarray) -> np.ndarray:
    """A long vector made 2 long, and the gradient of its product with c."""
    return np.concatenate([x * _factor(x), _factor(x) * (c - x * (x @ c) / (x @ x))])


def _shrunk_there(answer: Any, inputs: Arrays) -> Any:
    """What was written makes of a long vector, with the gradient, if it leaves a short one as it is."""
    x, c = Variable(inputs["x"]), inputs["c"]
    y = answer(x)
    if y is None:
        return None
    gradient = grad(y, x, c) if isinstance(y, Variable) else None
    if gradient is None:
        raise Known("leaves")
    short = as_variable(answer(x.data / 100))
    if np.allclose(y.data, x.data * _factor(x.data)) and not np.allclose(short.data, x.data / 100):
        raise Known("always")
    return np.concatenate([y.data, gradient.data])


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "compiler-predict-steps",
        lambda: 4.0,
        {"all": lambda: 6.0, "one": lambda: 5.0, "inputs": lambda: 8.0, "too_few": lambda: 3.0},
        says={
            "right": "The second product and the second exp give what is known already.",
            "all": "All 6 are done now. Drag x: is there a box that always shows the same value as another?",
            "one": "One pair is found. What goes into the two boxes of that pair?",
            "inputs": "x and w are given: nothing is computed in their boxes. How many boxes compute something?",
            "too_few": "Which two steps does the difference need, and what do these two need?",
            "hint": "Drag x. Which boxes always show the same value as another box?",
        },
    ),
    Values(
        "compiler-shorter",
        normal(x=(5,), w=(5,)),
        _rise,
        {
            "no_difference": lambda x, w: np.exp(w * x) + 1 / np.exp(w * x),
            "no_product": lambda x, w: np.exp(x) - 1 / np.exp(x),
        },
        measure=_one_exp,
        says={
            "right": "Four steps: a product, an exp, a division and a difference.",
            "repeats": "exp is called more than once. Is there a name for its first result?",
            "no_difference": "What is done with up and down in the last line of rise?",
            "no_product": "What goes into exp in rise?",
            "hint": "Give the result of exp a name, and use the name twice.",
        },
    ),
    Prediction(
        "compiler-predict-buffers",
        lambda: 2.0,
        {"each": lambda: 5.0, "one": lambda: 1.0, "spare": lambda: 3.0},
        says={
            "right": "At each moment no more than two numbers are still needed.",
            "each": "That is one for each call. Is 2 * x still needed when its sin is known?",
            "one": "Where is the sin, while 3 * x and its cos are computed?",
            "spare": "Can the sum be written over one of the two numbers that are added?",
            "hint": "Go through the five calls. Which results does a later call still need?",
        },
    ),
    Values(
        "compiler-buffers",
        normal(x=(6,)),
        lambda x: np.sin(2 * x) + np.cos(3 * x),
        {
            "both_sin": lambda x: np.sin(2 * x) + np.sin(3 * x),
            "one_lost": lambda x: 2 * np.cos(3 * x),
            "unfinished": lambda x: np.sin(2 * x),
        },
        measure=_in_two_buffers,
        says={
            "right": "Five calls, two buffers, and no new memory.",
            "new": "One of your calls makes a new array. Does every call have its out=, and do you return a or b?",
            "overwritten": "x no longer holds what it held: somebody else may need it. Which call writes over it?",
            "both_sin": "The second of the two is a cos.",
            "one_lost": "The sin is lost: something was written over it before it was added. Is there another buffer?",
            "unfinished": "That is the sin alone. Where does the cos go, and who adds the two?",
            "hint": "The sin stays in a. Where can 3 * x and its cos go meanwhile?",
        },
    ),
    Prediction(
        "compiler-keep",
        lambda: "sin",
        choices=("exp", "tanh", "sin"),
        says={
            "right": "You cannot tell cos(u) from sin(u): its sign is lost. So u must stay until the backward pass.",
            "exp": "The derivative of exp(u) is exp(u). Do you need u to know that number?",
            "tanh": "The derivative of tanh(u) is 1 - tanh(u) ** 2. Do you need u to know that number?",
        },
    ),
    Prediction(
        "compiler-branch",
        lambda: "c",
        choices=("a", "b", "c"),
        says={
            "right": "At each call the program checks whether the branch is the same as before.",
            "a": "Those numbers would be wrong. Does nothing check which branch a call takes?",
            "b": "An error is better than wrong numbers. But who still knows the right ones?",
        },
    ),
    Values(
        "compiler-inside",
        lambda rng: {"x": np.sign(rng.normal(size=8)) * rng.uniform(1, 2, size=8), "c": rng.normal(size=8)},
        _shrunk,
        {
            "leaves": lambda x, c: np.concatenate([x * _factor(x), c * _factor(x)]),
            "never": lambda x, c: np.concatenate([x, c]),
        },
        measure=_shrunk_there,
        what="",
        says={
            "right": "All numbers stay in arrays: the compiler sees what happens to them, and so does backward.",
            "leaves": "The backward pass does not see how the length moves with x. Is there still a float?",
            "always": "A short vector is made longer now. Which number must the factor not exceed?",
            "never": "A vector longer than 2 should become 2 long. What is its factor?",
            "hint": "np.sqrt gives an array with one number. Which NumPy function does what min does?",
        },
    ),
)
