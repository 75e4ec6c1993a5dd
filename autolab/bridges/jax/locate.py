"""Where the equations of a jaxpr stand in the user's code, and in which calls of the user's functions."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any

from ...engine.source import in_code
from ...recording.locate import CodePosition, placed
from ...recording.scopes import is_users

_known: dict[tuple[int, int], tuple[CodeType, CodePosition]] = {}  # by identity: code is slow to hash


@dataclass(frozen=True)
class UserFrame:
    """A call of the user's code that was on the stack when an equation was made."""

    code: CodeType
    instruction: int

    @property
    def place(self) -> CodePosition:
        key, code = (id(self.code), self.instruction), self.code
        if key not in _known:
            line = next((line for first, last, line in code.co_lines() if first <= self.instruction < last), None)
            found = placed(in_code(code, self.instruction), code, line or code.co_firstlineno)
            _known[key] = code, found
        return _known[key][1]


def users_frames(equation: Any, fn: CodeType | None) -> tuple[UserFrame, ...]:
    """The user's frames around an equation, from the recorded function ``fn`` inwards; none where JAX keeps no
    traceback."""
    traceback: Any = getattr(equation.source_info, "traceback", None)
    if not hasattr(traceback, "raw_frames"):
        return ()
    codes, instructions = traceback.raw_frames()
    frames = [UserFrame(code, at) for code, at in zip(codes, instructions, strict=True) if is_users(code.co_filename)]
    outer = next((i for i in range(len(frames) - 1, -1, -1) if frames[i].code is fn), None)
    return tuple(frames[: None if outer is None else outer + 1][::-1])


def function_of(jaxpr: Any) -> tuple[str, bool]:
    """The name of the function whose jaxpr that is, and whether the user wrote it."""
    told = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", ""))
    name, _, file = told.partition(" at ")
    return name, bool(file) and is_users(file)
