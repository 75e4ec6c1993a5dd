"""The conventions: AutoLab's results where a derivative does not exist or a formula is undefined.

They are one table, ``conventions.toml``, which the tests run and the documents and views show.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ..engine import Displayed

Numbers = float | list[Any]
"""A number, or nested lists of them."""


@dataclass(frozen=True)
class Convention:
    """What one function does at one point.

    ``code`` is an expression in the names of ``inputs`` and ``F``, AutoLab's functions; ``value`` is its result, and
    ``gradients`` are those of its sum. If the call is refused, both are None and ``refused`` is the text of the error.
    ``group`` and ``at`` say in words what is special about the point, ``because`` why this was chosen, and
    ``elsewhere`` what other libraries do (empty if unknown).
    """

    group: str
    function: str
    at: str
    code: str
    inputs: Mapping[str, Numbers]
    because: str
    value: Numbers | None = None
    gradients: Mapping[str, Numbers] | None = None
    refused: str | None = None
    elsewhere: str = ""


class Conventions(Displayed, tuple[Convention, ...]):
    """Rows of the table, in its order. A notebook shows them as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def conventions(function: str | None = None) -> Conventions:
    """The conventions of all functions, or of one.

    Parameters
    ----------
    function : str, optional
        Its name. Most functions have no conventions: they are smooth, and finite wherever they are defined.

    Returns
    -------
    Conventions
        A tuple of `Convention`.

    Examples
    --------
    >>> from autolab.functions.conventions import conventions
    >>> for row in conventions("abs"):
    ...     print(row.code, "at", dict(row.inputs), "has the gradients", dict(row.gradients))
    F.abs(x) at {'x': 0.0} has the gradients {'x': 0.0}
    """
    return Conventions(row for row in _table() if function in (None, row.function))


@cache
def _table() -> tuple[Convention, ...]:
    text = files(__package__).joinpath("conventions.toml").read_text("utf-8")
    return tuple([_row(group, **row) for group, rows in tomllib.loads(text).items() for row in rows])


def _row(group: str, **row: Any) -> Convention:
    """A row with read-only mappings, because all callers share the table."""
    for key in ("inputs", "gradients"):
        row[key] = MappingProxyType(row[key]) if key in row else None
    return Convention(group, **row)
