"""Many records of one kind as columns, for the way to the page: a name or a number that all share is sent once.

A picture of a thousand boxes repeats the names of their fields, and most of their values, a thousand times. The page
makes the records again (static/columns.js); Python and the page know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

FEWEST = 50
"""Fewer records stay as they are."""

_SHARED = (bool, int, float, str, type(None))


def in_columns(*fields: str) -> Callable[[Any, Any], Any]:
    """The ``to_json`` of a trait that holds a dictionary, or a list of these, in which ``fields`` hold records."""

    def to_json(value: Any, _: Any = None) -> Any:
        if isinstance(value, list):
            return [to_json(item) for item in value]
        return {name: packed(item) if name in fields else item for name, item in value.items()}

    return to_json


def packed(records: Any) -> Any:
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
    return {
        "$columns": {field: _column([row[field] for row in rows]) for field in rows[0]},
        "count": len(rows),
        "names": names,
    }


def _column(values: list[Any]) -> list[Any]:
    """The values; a single one that all have. A float without a fraction needs no point."""
    first = values[0]
    if isinstance(first, _SHARED) and all([type(value) is type(first) and value == first for value in values]):
        values = [first]
    return [int(value) if type(value) is float and value.is_integer() else value for value in values]
