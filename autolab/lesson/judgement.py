"""What came out of looking at an answer, before anything is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .messages import say

State = Literal["right", "wrong", "not yet"]


@dataclass(frozen=True, eq=False)
class Step:
    """One step of help: a sentence, and perhaps an array of errors that is drawn below it."""

    text: str
    errors: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Judgement:
    """The state of an answer, the kind of the mistake (empty if there is none), and all the help there is."""

    state: State
    kind: str = ""
    steps: tuple[Step, ...] = ()


RIGHT = Judgement("right")
NOT_YET = Judgement("not yet")


class NotWritten(Exception):
    """The answer is still empty somewhere."""


def is_empty(answer: object) -> bool:
    """Whether nothing has been filled in: None, ``...``, NotImplemented, or a collection with one of these.

    Examples
    --------
    >>> is_empty(None), is_empty((1.0, ...)), is_empty({"x": None}), is_empty(0.0)
    (True, True, True, False)
    """
    if isinstance(answer, dict):
        return is_empty(tuple(answer.values()))
    if isinstance(answer, tuple | list):
        return any(is_empty(part) for part in answer)
    return answer is None or answer is ... or answer is NotImplemented


def apart(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> np.ndarray:
    """Which elements differ; NaN agrees with nothing."""
    with np.errstate(invalid="ignore"):
        return ~(np.abs(ours - theirs) <= tolerance * (1 + np.abs(theirs)))


def compared(what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> tuple[Step, ...]:
    """Where two arrays differ: how many elements, the shape, the errors. No steps if they agree."""
    if ours.shape != theirs.shape:
        key = "shape.wrong" if theirs.ndim else "shape.number"
        told = say(key, what=what, given=ours.shape, expected=theirs.shape)
        return Step(say("differs", what=what)), Step(told)
    wrong = apart(ours, theirs, tolerance)
    if not wrong.any():
        return ()
    if not ours.ndim:
        return Step(say("differs", what=what)), errors(what, ours - theirs)
    count = say("differs.at", what=what, count=int(wrong.sum()), total=wrong.size)
    return Step(count), Step(say("shape.right", what=what, given=ours.shape)), errors(what, ours - theirs)


def errors(what: str, difference: np.ndarray) -> Step:
    """The step that shows how far off every element is."""
    return Step(say("errors", what=what), difference)
