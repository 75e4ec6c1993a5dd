"""The table of conventions: as HTML and text for notebooks, and as docs/conventions.md.

``python -m autolab.views.cards.conventions docs/conventions.md`` writes that document.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ...engine import Bundle
from ...functions.conventions import Convention
from ..draw import number, say
from ..draw.escape import code, escape, prose, table

_COLUMNS = ("point", "computed", "value", "gradients", "because", "elsewhere")


def bundle(rows: Sequence[Convention]) -> Bundle:
    """A table as HTML, and the same as lines of text."""
    return {"text/html": str(table(_headings(), [_cells(row) for row in rows])), "text/plain": "\n".join(_lines(rows))}


def markdown(rows: Sequence[Convention]) -> str:
    """The document: the table in groups, and what holds for all functions."""
    parts = [f"# {say('conventions.title')}", say("conventions.introduction")]
    for group, members in groupby(rows, key=lambda row: row.group):
        parts.append(f"## {group[0].upper()}{group[1:]}")
        lines = [_headings(), ["---"] * len(_headings()), *[_markdown_cells(row) for row in members]]
        parts.append("\n".join([f"| {' | '.join(line)} |" for line in lines]))
    parts.append(f"## {say('conventions.precision')}")
    parts += [say(f"conventions.{part}") for part in ("integers", "half", "digits", "not_so")]
    return "\n\n".join(parts) + "\n"


def numbers(values: Any) -> str:
    """A number or nested lists of numbers, in short form.

    Examples
    --------
    >>> numbers([[1.0, float("nan")], [-0.5, 1 / 3]])
    '[[1, NaN], [−0.5, 0.333]]'
    """
    if isinstance(values, list):
        return f"[{', '.join([numbers(value) for value in values])}]"
    return number(values)


def _headings() -> list[str]:
    return [say(f"conventions.{column}") for column in _COLUMNS]


def _named(values: Any) -> str:
    return ", ".join([f"{name} = {numbers(value)}" for name, value in values.items()])


def _results(row: Convention) -> tuple[str, str]:
    if row.value is None or row.gradients is None:
        return say("conventions.refused"), row.refused or ""
    return numbers(row.value), _named(row.gradients)


def _cells(row: Convention) -> list[Any]:
    computed = map(code, (f"{row.code}, {_named(row.inputs)}", *_results(row)))
    return [escape(f"{row.function}: {row.at}"), *computed, prose(row.because), prose(row.elsewhere)]


def _markdown_cells(row: Convention) -> list[str]:
    computed = f"`{row.code}`, {_named(row.inputs)}"
    return [f"`{row.function}`: {row.at}", computed, *_results(row), row.because, row.elsewhere]


def _lines(rows: Sequence[Convention]) -> Iterator[str]:
    for row in rows:
        value, gradients = _results(row)
        yield f"{row.function}: {row.at}. {row.code}, {_named(row.inputs)}: {value}; {gradients}. {row.because}"


if __name__ == "__main__":
    from ...functions.conventions import conventions
    from ...shared.files import write

    write(sys.argv[1], markdown(conventions()))
