"""The judgement of an answer, before anything is shown."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..shared.numerals import signed
from .messages import say

AnswerState = Literal["right", "wrong", "not yet"]


@dataclass(frozen=True, eq=False)
class Hint:
    """A sentence that helps, and optionally an array of errors to draw below it."""

    text: str
    errors: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Judgement:
    """The state of an answer, the kind of mistake (empty if there is none), and all available hints."""

    state: AnswerState
    kind: str = ""
    hints: tuple[Hint, ...] = ()


RIGHT = Judgement("right")
NOT_YET = Judgement("not yet")


class NotWritten(Exception):
    """A function of the answer returned nothing; ``by`` is that function, or an object that has ``leaves_gap``."""

    def __init__(self, by: Any) -> None:
        super().__init__(by)
        self.by = by


class Known(Exception):
    """A mistake whose ``kind`` is known before any array is compared, and the hints that come first."""

    def __init__(self, kind: str, *hints: Hint) -> None:
        super().__init__(kind)
        self.kind, self.hints = kind, hints


def has_gap(function: Any) -> bool:
    """Whether a function still contains the gap of the notebook, None or ``...``; True if that is unknown.

    Of a class, or an instance of one, the methods are searched, since the source of a class in a notebook is not
    available. A function that runs in another process has the attribute ``leaves_gap``.
    """
    if hasattr(function, "leaves_gap"):
        return bool(function.leaves_gap)
    if not inspect.isroutine(function):
        owner = function if isinstance(function, type) else type(function)
        return any([has_gap(method) for method in vars(owner).values() if inspect.isfunction(method)])
    try:
        return bool(re.search(r"\bNone\b|\.\.\.", inspect.getsource(function)))
    except (OSError, TypeError):
        return True


def is_empty(answer: object) -> bool:
    """Whether an answer has not been filled in: None, ``...``, NotImplemented, or a collection with one of these.

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
    """Which elements differ; NaN differs from everything."""
    with np.errstate(invalid="ignore"):
        return ~(np.abs(ours - theirs) <= tolerance * (1 + np.abs(theirs)))


def compared(what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float, where: str = "") -> tuple[Hint, ...]:
    """Hints about the difference of two arrays: the number of elements, the shape, the errors ``where``; none if they
    agree."""
    if ours.shape != theirs.shape:
        key = "shape.wrong" if theirs.ndim else "shape.number"
        told = say(key, what=what, given=ours.shape, expected=theirs.shape)
        return Hint(say("differs", what=what)), Hint(told)
    wrong = apart(ours, theirs, tolerance)
    if not wrong.any():
        return ()
    if not ours.ndim:
        return (errors(what, ours - theirs, where),)
    count = int(wrong.sum())
    some = "differs.one" if count == 1 else "differs.some"
    every = "differs.both" if count == 2 else "differs.all"
    key = "differs" if wrong.size == 1 else every if count == wrong.size else some
    shape = () if where else (Hint(say("shape.right", what=what, given=ours.shape)),)
    return Hint(say(key, what=what, count=count, total=wrong.size)), *shape, errors(what, ours - theirs, where)


def errors(what: str, difference: np.ndarray, where: str = "") -> Hint:
    """The hint that shows the error of every element, and states the largest."""
    where = where or say("draw")
    place = worst(difference)
    if place is None:
        return Hint(say("errors.none", what=what, where=where), difference)
    off = signed(f"{difference[place]:.3g}")
    if not difference.ndim:
        return Hint(say("errors.number", what=what, where=where, off=off), difference)
    return Hint(say("errors", what=what, where=where, off=off, place=list(place)), difference)


def worst(difference: np.ndarray) -> tuple[int, ...] | None:
    """The index of the largest finite error; None if there is none.

    Examples
    --------
    >>> worst(np.array([1.0, -3.0, np.nan])), worst(np.array(np.nan))
    ((1,), None)
    """
    finite = np.isfinite(difference)
    if not finite.any():
        return None
    place = np.argmax(np.where(finite, np.abs(difference), -1.0))
    return tuple([int(k) for k in np.unravel_index(place, difference.shape)])
