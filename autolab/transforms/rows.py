"""Rows of a matrix: put together, and taken out again."""

from __future__ import annotations

from typing import Any

from ..engine.declare import primitive


@primitive(rows=lambda g, index: row(g, at=index))  # type: ignore[has-type]
def stack(xp: Any, *rows: Any) -> Any:
    """Arrays of equal shape along a new first axis."""
    return xp.stack(rows)


@primitive(x=lambda g, at, x_shape: among_zeros(g, at=at, count=x_shape[0]))  # type: ignore[has-type]
def row(xp: Any, x: Any, *, at: int) -> Any:
    """One row."""
    return x[at]


@primitive(x=lambda g, at: row(g, at=at))
def among_zeros(xp: Any, x: Any, *, at: int, count: int) -> Any:
    """``count`` rows, all zero but one."""
    rows = xp.zeros((count, *x.shape), x.dtype)
    rows[at] = x
    return rows
