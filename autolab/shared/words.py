"""The sentences that AutoLab says, and how it lists several names in one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path


def sentences(module: str) -> dict[str, str]:
    """The sentences in the TOML files beside a module, by key; ``module`` is its ``__file__``."""
    files = sorted(Path(module).parent.glob("*.toml"))
    return tomllib.loads("\n".join([file.read_text("utf-8") for file in files]))


def listed(names: Iterable[str], most: int = 6) -> str:
    """Names as an enumeration; if there are many, only the first.

    Examples
    --------
    >>> listed(["x"]), listed(["x", "y", "z"]), listed(["a", "b", "c"], most=2)
    ('x', 'x, y and z', 'a, b and 1 more')
    """
    every = list(names)
    shown = every[:most] + ([f"{len(every) - most} more"] if len(every) > most else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
