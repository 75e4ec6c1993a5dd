"""The conventions: what AutoLab gives where a derivative does not exist, or a formula has no number to give.

They are in one table, ``conventions.toml``, which the tests run and the documents and views show.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ..engine.display import Displayed

Numbers = float | list[Any]
"""A number, or nested lists of them."""


@dataclass(frozen=True)
class Convention:
    """What one function does at one point.

    ``code`` is an expression of the names in ``inputs`` and of ``F``, the functions of AutoLab; ``value`` is its
    result, and ``gradients`` are those of its sum. Where it is ``refused``, which is the error's text, both are None.
    ``group`` and ``at`` say in words what is special about the point, ``because`` why this was chosen, and
    ``elsewhere`` what other libraries do (empty where nothing is told).
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
    """Some rows of the table, in its order. In a notebook they show as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def conventions(function: str | None = None) -> Conventions:
    """The conventions of all functions, or of one.

    Parameters
    ----------
    function : str, optional
        Its name. Most functions have none: they are smooth, and finite wherever they are defined.

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
    """Read-only, as all share the table."""
    for key in ("inputs", "gradients"):
        row[key] = MappingProxyType(row[key]) if key in row else None
    return Convention(group, **row)
