"""What stands on a slide beside and below the graph: a calculation, the place in the walk, what colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colors import color
from .document import words_at
from .escape import element
from .messages import say
from .sheet_view import Column, code_lines
from .typeset import to_tokens

_CODE_LINES = 16
_RAMP, _STEPS = 150.0, 24


def values(array: dict[str, Any], buffers: Sequence[bytes]) -> np.ndarray:
    """The cells of an array."""
    return np.frombuffer(buffers[array["buffer"]], np.float32).reshape(array["rows"], array["cols"])


def write_moment(column: Column, told: dict[str, Any], buffers: Sequence[bytes]) -> None:
    """The calculation of a moment, as the live view writes it."""
    ink = f"{'back' if told['backward'] else 'forth'} ink"
    column.words(f"{told['phase']}, {told['place']}", "words strong", ink)
    column.words(told["title"], "name")
    if told["formula"]:
        column.space(6)
        column.formula(to_tokens(told["formula"]["tree"]))
        column.space(8)
    with column.ruled():
        if told["rule"]:
            column.words(told["rule"]["text"], "words", indent=14)
            column.words(told["rule"]["where"] + told["rule"]["declared"], "small", indent=14)
        for numbers in told["numbers"]:
            column.words(numbers, "strong", indent=14)
    column.space(8)
    if told["code"]:
        code = [{"number": "", "text": text, "now": False} for text in told["code"].splitlines()[:_CODE_LINES]]
        code_lines(column, code)
    for line in told["lines"]:
        array = line["array"]
        math = to_tokens(line["math"]["tree"]) if line["math"] else []
        column.line(line["sign"], line["label"], math, line["shape"] if array else line["text"], array is None)
        if array is not None:
            column.cells(values(array, buffers), array["scale"], line["mark"])
            if array["caption"]:
                column.words(array["caption"], "small", indent=20)
    for note in told["notes"]:
        column.space(4)
        column.words(note, "words", "muted")


def write_place(column: Column, told: dict[str, Any], count: int, start: int) -> None:
    """The line of the player: forward in one colour, backward in another, and where the walk stands."""
    width, y = column.width, column.y + 14.0
    turn, here = width * (start - 0.5) / count, width * told["k"] / count
    rails = [(0.0, width, "rail"), (0.0, min(turn, here), "rail forth"), (turn, here, "rail back")]
    for x, end, style in rails:
        if end > x:
            column.parts.append(element("path", class_=style, d=f"M{x:.1f} {y:.1f}H{end:.1f}"))
    way = "back" if told["backward"] else "forth"
    column.parts += [
        element("circle", class_=f"{way} knob", cx=here, cy=y, r=8.0),
        words_at(0.0, y + 24, say("walk_forward").lower(), "small"),
        words_at(width / 2, y + 24, f"{told['phase']}, {told['place']}", f"words middle {way} ink"),
        *([words_at(width, y + 24, say("walk_backward").lower(), "small right")] if start < count else []),
    ]
    column.space(46)


def write_ramp(column: Column, name: str, low: str, high: str, ends: tuple[float, float]) -> None:
    """What colours mean: the name, and a bar between its ends."""
    column.space(26)
    y, x = column.y, 8.4 * len(name) + 8
    column.parts.append(words_at(0.0, y - 5, name, "words muted"))
    column.parts.append(words_at(x + 7.9 * len(low), y - 5, low, "tab right"))
    x += 7.9 * len(low) + 8
    for k in range(_STEPS):
        place = ends[0] + (ends[1] - ends[0]) * (k + 0.5) / _STEPS
        bar = {"x": x + k * _RAMP / _STEPS, "y": y - 17, "width": _RAMP / _STEPS + 0.4, "height": 13}
        column.parts.append(element("rect", fill=color(place, column.theme), **bar))
    column.parts.append(words_at(x + _RAMP + 8, y - 5, high, "tab"))
