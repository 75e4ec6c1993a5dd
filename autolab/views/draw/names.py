"""Names of the steps of a recording."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...recording.model import LEAVES, Recording, Step
from .escape import clean

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


def expression(step: Step) -> str:
    """The expression as written, else the function's name or the kind of value."""
    is_mask = step.kind == "constant" and step.value is not None and step.value.dtype == "bool"
    return clean(step.source or step.function or step.name or ("mask" if is_mask else step.kind))


def label(step: Step) -> str:
    """The shortest text that identifies a value: its name, else its expression."""
    return clean(step.name) if step.name else expression(step)


def heading(step: Step) -> str:
    """``h = x * y``, or only the name, or only the expression."""
    name, text = label(step), expression(step)
    return text if step.name is None else name if step.kind in LEAVES or name == text else f"{name} = {text}"


def where(found: Any) -> str:
    """`` (file.py, line 3)``; empty if no line is known."""
    return "" if found.line is None else f" ({clean(found.file or '')}, line {found.line})"


def symbol(step: Step) -> str:
    """The sign of the operation, or the function's name if that is short."""
    if step.kind != "call" or step.function is None:
        return ""
    return SYMBOLS.get(step.function, shorten(step.function, 7))


def title(recording: Recording) -> str:
    """``f(x, y)``, as in the signature."""
    names = ", ".join(label(recording.by_id[i]) for i in recording.inputs)
    return f"{clean(recording.function)}({clean(names)})"


@lru_cache(maxsize=4096)
def columns(text: str) -> int:
    """Width in a fixed-width font: East Asian wide characters take two columns, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of text in which the cells of a table stand below each other."""
    widths = [max([columns(cell) for cell in cells]) for cells in zip(*rows, strict=True)]
    return [
        "  ".join([cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]).rstrip()
        for row in rows
    ]


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


def shorten_call(text: str, limit: int) -> str:
    """Like `shorten`, but drops whole arguments of a call.

    Examples
    --------
    >>> shorten_call("dropout(x, ratio=0.5, rng=rng)", 26), shorten_call("f(x, y) + f(y, x)", 12)
    ('dropout(x, ratio=0.5, …)', 'f(x, y) + f…')
    """
    cut = shorten(text, limit)
    head = shorten(text, limit - 2).rpartition(", ")[0]
    if cut == text or not head:
        return cut
    inside = [text[:k] for k in range(len(head), len(text))]
    return f"{head}, …)" if all([before.count("(") > before.count(")") for before in inside]) else cut


def wrapped(text: str, most: int) -> list[str]:
    """Split text into lines of at most ``most`` columns; a longer word is cut.

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
