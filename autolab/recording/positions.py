"""Which node of the source an instruction belongs to.

Python keeps the position of every instruction, and the node that spans exactly that is the one. Where the text was
changed since, or the code is another than that of the text, the package `executing` finds it by the bytecode, a hundred
times as slowly; a machine with NumPy and CuPy alone has no `executing`.
"""

from __future__ import annotations

from importlib.util import find_spec
from types import CodeType, FrameType

from ..engine.source import MOST_CODE, Found, by_position, in_marimo, is_as_written


def found_at(frame: FrameType) -> Found | None:
    """What ``frame`` is at; None where that cannot be told."""
    if _is_as_written(frame) or find_spec("executing") is None:
        return by_position(frame)
    import executing

    found = executing.Source.executing(frame)
    if found.node is None:
        return by_position(frame) if in_marimo() else None
    return Found(found.node, next(iter(found.statements or ()), found.node), found.source.lines)


_known: dict[int, tuple[CodeType, bool]] = {}


def _is_as_written(frame: FrameType) -> bool:
    """Whether the text of a frame's code is known to be that of its file; asked once for each code."""
    code = frame.f_code
    if id(code) not in _known:
        if len(_known) >= MOST_CODE:
            _known.clear()
        _known[id(code)] = code, is_as_written(code, frame.f_globals)
    return _known[id(code)][1]
