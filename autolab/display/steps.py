"""What a step of a recording is called, and which steps a picture draws."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ..recording.model import LEAVES, Recording, Step
from .escape import clean

MAX_DRAWN = 300
_SHOWN_AT_EACH_END = 60

SYMBOLS: dict[str, str] = {
    "add": "+",
    "sub": "−",
    "mul": "×",
    "div": "÷",
    "neg": "−",
    "pow": "^",
    "matmul": "@",
    "sum": "Σ",
    "transpose": "T",
}


@dataclass(frozen=True)
class Run:
    """Consecutive steps that stand in the picture as one box, because there are too many to draw."""

    steps: tuple[Step, ...]

    @property
    def id(self) -> int:
        """A negative number, so that it is no step's id."""
        return ~self.steps[0].id

    @property
    def text(self) -> str:
        """What the box says."""
        return f"… {len(self.steps)} steps"


def expression(step: Step) -> str:
    """The expression as written, or the function's name, or what kind of value it is."""
    return clean(step.source or step.function or step.name or step.kind)


def label(step: Step) -> str:
    """The shortest words that say which value is meant: its name, else its expression."""
    return clean(step.name) if step.name else expression(step)


def heading(step: Step) -> str:
    """``h = x * y``, or only the name, or only the expression."""
    name, text = label(step), expression(step)
    return text if step.name is None else name if step.kind in LEAVES or name == text else f"{name} = {text}"


def symbol(step: Step) -> str:
    """The sign of the operation, or the function's name if that is short."""
    if step.kind != "call" or step.function is None:
        return ""
    return SYMBOLS.get(step.function, shorten(step.function, 7))


def title(recording: Recording) -> str:
    """``f(x, y)``, as in the signature."""
    by_id = {step.id: step for step in recording.steps}
    names = ", ".join(label(by_id[i]) for i in recording.inputs)
    return f"{clean(recording.function)}({clean(names)})"


@lru_cache(maxsize=4096)
def columns(text: str) -> int:
    """Width in a fixed-width font: letters of East Asian scripts take two columns, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, limit: int) -> str:
    """Cut the end so that ``text`` fits into ``limit`` columns.

    Examples
    --------
    >>> shorten("softmax_cross_entropy", 9)
    'softmax_…'
    """
    if columns(text) <= limit:
        return text
    used, kept = 1, []
    for character in text:
        used += columns(character)
        if used > limit:
            break
        kept.append(character)
    return "".join(kept) + "…"


def drawn(recording: Recording, most: int = MAX_DRAWN) -> list[Step | Run]:
    """What a picture draws, in order: all steps if there are at most ``most``, else both ends, the outputs, and runs.

    A run is always an unbroken stretch of the tape, so the picture cannot contain a cycle that the program has not.
    """
    steps = recording.steps
    if len(steps) <= most:
        return list(steps)
    outputs = set(recording.outputs[:_SHOWN_AT_EACH_END])
    items: list[Step | Run] = []
    hidden: list[Step] = []
    for place, step in enumerate(steps):
        at_an_end = place < _SHOWN_AT_EACH_END or place >= len(steps) - _SHOWN_AT_EACH_END
        if at_an_end or step.id in outputs:
            items += [*_as_run(hidden), step]
            hidden = []
        else:
            hidden.append(step)
    return items + _as_run(hidden)


def _as_run(hidden: list[Step]) -> list[Step | Run]:
    return [Run(tuple(hidden))] if len(hidden) > 1 else list(hidden)
