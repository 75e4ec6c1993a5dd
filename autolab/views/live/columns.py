"""Many records of one kind, sent to the page as columns: field names and shared values are sent only once.

A picture of a thousand boxes would repeat the names of their fields, and most of their values, a thousand times. The
page restores the records (views/live/brain.js); no other code, in Python or on the page, sees the columns.
"""

from __future__ import annotations

import base64
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from ..draw.colors import BEND

FEWEST = 50
"""Fewer records are sent as they are."""

_SHARED = (bool, int, float, str, type(None))
_FEW = 8
"""Texts are numbered if there are at least this many values for each distinct one."""

SHADES = 127
"""Colours on either side of zero that can be told apart on the page."""

_MISSING = -128


def in_columns(answers: Mapping[str, Any], _: Any = None) -> dict[str, Any]:
    """The ``to_json`` of a trait that holds answers, keyed by question as in `questions.py`.

    Readings of many boxes are also sent with fewer shades.
    """
    return {key: _light(key, answer) for key, answer in answers.items()}


def _light(key: str, answer: Any) -> Any:
    kind = key[2:].partition('"')[0]
    if kind not in _RECORDS or not isinstance(answer, Mapping):
        return answer
    fields, each = _RECORDS[kind]
    return {name: packed(item, each) if name in fields else item for name, item in answer.items()}


def packed(records: Any, each: Callable[[Any], Any] | None = None) -> Any:
    """Records with the same fields, in a list or in a dictionary keyed by name, as one list per field.

    Examples
    --------
    >>> packed([{"x": 0.5 * k, "of": None} for k in range(50)])  # doctest: +ELLIPSIS
    {'$columns': {'x': [0, 0.5, 1, 1.5, ...], 'of': [None]}, 'count': 50, 'names': None}
    """
    names = list(records) if isinstance(records, Mapping) else None
    rows: Sequence[Any] = list(records.values()) if isinstance(records, Mapping) else records
    if len(rows) < FEWEST or any([row.keys() != rows[0].keys() for row in rows]):
        return records
    rows = rows if each is None else [each(row) for row in rows]
    return {
        "$columns": {field: _column([row[field] for row in rows]) for field in rows[0]},
        "count": len(rows),
        "names": names,
    }


def _column(values: list[Any]) -> list[Any] | dict[str, Any]:
    """The values of a field; only one if all are the same; texts and cells in a shorter form where there is one.

    A float without a fraction is sent as an int.
    """
    first = values[0]
    if isinstance(first, _SHARED) and all([type(value) is type(first) and value == first for value in values]):
        return [first]
    if all([value is None or isinstance(value, str | bool) for value in values]):
        return _words(values)
    if any([isinstance(value, list) for value in values]):
        is_shape = all([value is None or not any([isinstance(row, list) for row in value]) for value in values])
        return values if is_shape else _cells(values)
    numbers = [int(value) if type(value) is float and value.is_integer() else value for value in values]
    return _steps(numbers) if all([type(value) is int for value in numbers]) else numbers


def _steps(values: list[int]) -> list[int] | dict[str, Any]:
    """Run-length encoding of the differences: the first integer, each step, and how often it repeats.

    Examples
    --------
    >>> _steps([3, 4, 5, 6, 7, 8, 0, 0, 0])
    {'from': 3, 'steps': [1, -8, 0], 'times': [5, 1, 2]}
    >>> _steps([3, 1, 4])
    [3, 1, 4]
    """
    runs = [(step, len([*same])) for step, same in groupby([b - a for a, b in pairwise(values)])]
    if 3 * len(runs) > len(values):
        return values
    return {"from": values[0], "steps": [step for step, _ in runs], "times": [count for _, count in runs]}


def _words(values: list[Any]) -> list[Any] | dict[str, Any]:
    """The distinct values and an index for each value, if there are few of them; or texts without the words that each
    repeats from the one before."""
    places = {text: k for k, text in enumerate(dict.fromkeys(values))}
    if _FEW * len(places) <= len(values):
        return {"of": list(places), "at": [places[value] for value in values]}
    if all([isinstance(value, str) for value in values]):
        after = _after(values)
        if after and 2 * sum(map(len, after)) <= sum(map(len, values)):
            return {"after": after}
    return values


def _after(texts: list[str]) -> list[str]:
    """Texts without the words that are the same, in the same position, in the text before, if both have as many words;
    the spaces stay. Empty if a text has two spaces in a row.

    Examples
    --------
    >>> _after(["x is 1, all of it", "x is 2, all of it", "y"])
    ['x is 1, all of it', '  2,   ', 'y']
    """
    split = [text.split(" ") for text in texts]
    if any(["" in words for words in split]):
        return []
    rest = [
        ["" if word == old else word for word, old in zip(words, before, strict=True)]
        if len(words) == len(before)
        else words
        for before, words in pairwise(split)
    ]
    return [texts[0], *[" ".join(words) for words in rest]]


def _cells(values: list[Any]) -> dict[str, Any]:
    """Rows of integer shades, None for a cell without one, as base64 bytes, and the size of each value."""
    shades = array("b", [_MISSING if v is None else v for rows in values if rows for row in rows for v in row])
    sizes = [None if rows is None else f"{len(rows)} {len(rows[0]) if rows else 0}" for rows in values]
    return {"cells": base64.b64encode(shades.tobytes()).decode("ascii"), "sizes": _column(sizes)}


def shaded(reading: Mapping[str, Any]) -> dict[str, Any]:
    """A reading with its cells as integer shades, one per colour that can be told apart, and therefore without a scale.

    Only exact zeros have the shade 0, which is marked; NaN and infinities have none.

    Examples
    --------
    >>> shaded({"value": "[1, -2, 0, nan]", "value_cells": [[1.0, -2.0, 0.0, "NaN"]], "value_scale": 2.0})
    {'value': '[1, -2, 0, nan]', 'value_cells': [[110, -127, 0, None]], 'value_scale': None}
    """
    light = dict(reading)
    for which in ("value", "grad"):
        rows, scale = reading.get(f"{which}_cells"), reading.get(f"{which}_scale") or 0.0
        if rows:
            light[f"{which}_cells"] = [[_shade(v, scale) for v in row] for row in rows]
            light[f"{which}_scale"] = None
    return light


def _shade(value: float | str, scale: float) -> int | None:
    if isinstance(value, str):
        return None
    if not value or not scale:
        return 0
    size = SHADES * math.asinh(abs(value) / scale * BEND) / math.asinh(BEND)
    return int(math.copysign(min(SHADES, max(1, round(size))), value))


_RECORDS: dict[str, tuple[tuple[str, ...], Callable[[Any], Any] | None]] = {
    "scene": (("nodes", "frames", "edges"), None),
    "numbers": (("nodes",), shaded),
}
"""For each kind of answer with many records: the fields that hold them, and what reduces each record."""
