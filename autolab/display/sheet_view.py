"""A column of text, formulas and small arrays as SVG, from top to bottom: the panels of a slide."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .colors import Theme, color, ink_on
from .document import words_at
from .escape import Markup, element
from .formula import Token
from .numbers import number
from .steps import columns, shorten

CHARACTERS = {"": 9.7, "name": 9.7, "strong": 9.7, "tab": 7.9, "words": 8.3, "words strong": 8.6, "small": 6.5}
"""Widths of a character in the styles that the column uses."""

_LABELLED = 8, 6  # up to so many rows and columns the numbers stand in the cells
_CELL, _WIDE = 22.0, 66.0
_DOT = 11.0
_HIGHEST = 176.0


class Column:
    """Parts of a picture, one below the other. ``y`` is where the next one begins."""

    def __init__(self, width: float, theme: Theme) -> None:
        self.width, self.theme = width, theme
        self.parts: list[Markup] = []
        self.y = 0.0

    def space(self, height: float) -> None:
        """Leave some room."""
        self.y += height

    def words(self, text: str, style: str = "words", ink: str = "", indent: float = 0.0) -> None:
        """Text in as many lines as it needs."""
        width = CHARACTERS[style]
        for line in wrapped(text, int((self.width - indent) / width)):
            self.y += width * 2.1 + 2
            self.parts.append(words_at(indent, self.y - 5, line, f"{style} {ink}".strip() or None))

    @contextlib.contextmanager
    def ruled(self) -> Iterator[None]:
        """A line at the left of what is written inside."""
        top = self.y
        yield
        if self.y > top:
            self.parts.append(element("rect", class_="rule", x=0, y=top + 1, width=3, height=self.y - top))

    def formula(self, tokens: Sequence[Token], style: str = "") -> None:
        """A formula with its fractions, in as many lines as it needs."""
        size = CHARACTERS[style]
        x = 0.0
        self.y += 3.4 * size
        for token in tokens:
            wide = _token_width(token, size)
            if x and x + wide > self.width:
                x, self.y = 0.0, self.y + 4.6 * size
            self.parts += _token(token, x, self.y - 1.3 * size, wide, size, style)
            x += wide + size
        self.y += 0.8 * size

    def line(self, sign: str, label: str, math: Sequence[Token], right: str, is_number: bool) -> None:
        """What a line of a calculation is: its sign, its words, the same as a formula, and its number or shape."""
        self.y += 34.0 if math else 24.0
        base = self.y - (14.0 if math else 7.0)
        self.parts.append(words_at(6.0, base, sign, "strong middle"))
        self.parts.append(words_at(20.0, base, label, "words muted"))
        self.parts.append(words_at(self.width, base, right, "strong right" if is_number else "tab right muted"))
        x, size = 20.0 + CHARACTERS["words"] * columns(label) + 10.0, CHARACTERS["tab"]
        room = self.width - x - CHARACTERS[""] * columns(right)
        if math and sum(_token_width(token, size) + size for token in math) <= room:
            for token in math:
                self.parts += _token(token, x, base, _token_width(token, size), size, "tab muted")
                x += _token_width(token, size) + size

    def cells(self, values: np.ndarray, scale: float, mark: Sequence[int] | None = None, indent: float = 20.0) -> None:
        """An array as coloured cells, with numbers where there is room; × stands where there is no finite number."""
        rows, across = values.shape
        labelled = rows <= _LABELLED[0] and across <= _LABELLED[1]
        room = self.width - indent
        wide = min(_WIDE, room / across) if labelled else min(_DOT * 2, room / across)
        high = _CELL if labelled else min(_DOT, _HIGHEST / rows)
        for (i, j), value in np.ndenumerate(values):
            self._cell(indent + j * wide, self.y + i * high, wide, high, float(value), scale, labelled)
        size = {"width": wide * across, "height": high * rows}
        self.parts.append(element("rect", class_="strip", x=indent, y=self.y, **size))
        if mark is not None and mark[0] < rows and mark[1] < across:
            place = {"x": indent + mark[1] * wide + 1, "y": self.y + mark[0] * high + 1}
            self.parts.append(element("rect", class_="mark", width=wide - 2, height=high - 2, **place))
        self.y += high * rows + 6

    def _cell(self, x: float, y: float, wide: float, high: float, value: float, scale: float, labelled: bool) -> None:
        known = math.isfinite(value)
        fill = color(value / scale if scale else 0.0, self.theme) if known else None
        self.parts.append(
            element("rect", class_="strip" if fill is None else None, x=x, y=y, width=wide, height=high, fill=fill)
        )
        if labelled:
            words = shorten(number(value), int(wide / CHARACTERS["tab"]))
            self.parts.append(
                words_at(x + wide / 2, y + high / 2 + 4.5, words, "cell" if fill is None else f"cell {ink_on(fill)}")
            )
        elif not known:
            self.parts.append(words_at(x + wide / 2, y + high / 2 + 4, "×", "cell"))


def wrapped(text: str, most: int) -> list[str]:
    """Lines of at most so many columns; a word that is longer than a line is cut into parts.

    Examples
    --------
    >>> wrapped("the sum of products", 8)
    ['the sum', 'of', 'products']
    """
    most = max(most, 4)
    lines = [""]
    for word in text.split():
        while columns(word) > most:
            head = shorten(word, most).removesuffix("…")
            lines, word = [*lines, head], word[len(head) :]
        if columns(lines[-1]) + columns(word) + bool(lines[-1]) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [line for line in lines if line]


def _token_width(token: Token, size: float) -> float:
    return size * max(columns(part) for part in ((token,) if isinstance(token, str) else token))


def _token(token: Token, x: float, y: float, wide: float, size: float, style: str) -> list[Markup]:
    """Text, or a fraction around the line ``y``."""
    middle = x + wide / 2
    if isinstance(token, str):
        return [words_at(x, y + 0.5 * size, token, style or None)]
    style = f"{style} middle".strip()
    return [
        words_at(middle, y - 0.6 * size, token[0], style),
        element("path", class_="fraction", d=f"M{x:.1f} {y:.1f}h{wide:.1f}"),
        words_at(middle, y + 1.7 * size, token[1], style),
    ]


def code_lines(column: Column, lines: Sequence[dict[str, Any]]) -> None:
    """Lines of source with their numbers; the line that is meant has a ground of its own."""
    height, width = 20.0, CHARACTERS["tab"]
    for line in lines:
        if line["now"]:
            ground = {"x": 0, "y": column.y, "width": column.width, "height": height, "rx": 3}
            column.parts.append(element("rect", class_="lined", **ground))
        column.parts.append(words_at(30.0, column.y + 14.5, str(line["number"]), "tab right muted"))
        text = line["text"].lstrip()
        left = 42.0 + width * (len(line["text"]) - len(text))
        words = shorten(text, max(8, int((column.width - left) / width)))
        column.parts.append(words_at(left, column.y + 14.5, words, "tab"))
        column.y += height
