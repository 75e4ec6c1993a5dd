"""Many records of one kind as columns, for the way to the page: names of fields and what they share are sent once.

A picture of a thousand boxes repeats the names of their fields, and most of their values, a thousand times. The page
makes the records again (static/columns.js); Python and the page know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

FEWEST = 50
"""Fewer records stay as they are."""

_SHARED = (bool, int, float, str, type(None))
_FEW = 8
"""Words of which at most one in so many is another one are numbered."""

SHADES = 127
"""Colours on either side of zero that the page can tell apart."""


def in_columns(*fields: str, each: Callable[[Any], Any] | None = None) -> Callable[[Any, Any], Any]:
    """The ``to_json`` of a trait that holds a dictionary, or a list of these, in which ``fields`` hold records.

    ``each`` makes every record lighter where there are many.
    """

    def to_json(value: Any, _: Any = None) -> Any:
        if isinstance(value, list):
            return [to_json(item) for item in value]
        return {name: packed(item, each) if name in fields else item for name, item in value.items()}

    return to_json


def packed(records: Any, each: Callable[[Any], Any] | None = None) -> Any:
    """Records with the same fields, in a list or by their names in a dictionary, as one list per field.

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


def _column(values: list[Any]) -> list[Any] | dict[str, list[Any]]:
    """The values; a single one that all have; a few words and which of them each is.

    A float without a fraction needs no point.
    """
    first = values[0]
    if isinstance(first, _SHARED) and all([type(value) is type(first) and value == first for value in values]):
        values = [first]
    if len(values) > 1 and all([value is None or isinstance(value, str | bool) for value in values]):
        places = {text: k for k, text in enumerate(dict.fromkeys(values))}
        if _FEW * len(places) <= len(values):
            return {"of": list(places), "at": [places[value] for value in values]}
    return [int(value) if type(value) is float and value.is_integer() else value for value in values]


def shaded(reading: Mapping[str, Any]) -> dict[str, Any]:
    """A reading with its cells in whole shades, as many as there are colours.

    Examples
    --------
    >>> shaded({"value": "[1, -2, nan]", "value_cells": [[1.0, -2.0, None]], "value_scale": 2.0})
    {'value': '[1, -2, nan]', 'value_cells': [[64, -127, None]], 'value_scale': 127}
    """
    light = dict(reading)
    for which in ("value", "grad"):
        rows, scale = reading.get(f"{which}_cells"), reading.get(f"{which}_scale")
        if rows and scale:
            light[f"{which}_cells"] = [[v if v is None else round(SHADES * (v / scale)) for v in row] for row in rows]
            light[f"{which}_scale"] = SHADES
    return light
