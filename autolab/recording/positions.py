"""Which node of the source an instruction belongs to: by the package `executing`, and by position where it is missing.

A machine with NumPy and CuPy alone has no `executing`. Python itself keeps the position of every instruction; the node
that spans exactly that is the one, unless the code was changed since (`executing` also looks at the bytecode).
"""

from __future__ import annotations

from importlib.util import find_spec
from types import FrameType

from ..engine.source import Found, by_position, in_marimo


def found_at(frame: FrameType) -> Found | None:
    """What ``frame`` is at; None where that cannot be told."""
    if find_spec("executing") is None:
        return by_position(frame)
    import executing

    found = executing.Source.executing(frame)
    if found.node is None:
        return by_position(frame) if in_marimo() else None
    return Found(found.node, next(iter(found.statements or ()), found.node), found.source.lines)
