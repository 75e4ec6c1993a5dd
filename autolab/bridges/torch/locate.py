"""The position of a PyTorch call: in the user's code, and whether inside a ``torch.autograd.Function``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from ...recording.drafts import Draft
from ...recording.locate import PACKAGE, CodePosition
from ...recording.scopes import ScopeTracker, is_users

_APPLY = torch.autograd.Function.apply.__func__.__code__
_TORCH = os.path.dirname(torch.__file__) + os.sep
_NAMES = (
    "functional.py _tensor.py overrides.py _jit_internal.py utils/_contextlib.py nn/functional.py autograd/__init__.py"
)
_FACES = tuple([_TORCH + name.replace("/", os.sep) for name in _NAMES.split()])
"""PyTorch's files with functions that forward to what the user called by name."""


@dataclass(frozen=True)
class Site:
    """``frame`` is the user's frame, ``place`` its position. ``is_inner``: a module or another library made the call.

    ``applying`` is the frame of ``Function.apply`` if the call is in the forward of a user's Function; all else then
    describes the code that applied it. The default is no position in the user's code.
    """

    frame: FrameType | None = None
    place: CodePosition | None = None
    is_inner: bool = True
    outer_line: int | None = None
    applying: FrameType | None = None
    scope: int | None = None


class TorchTracker(ScopeTracker):
    """Finds the positions of calls in a run."""

    def site(self) -> Site:
        """The position of the call in progress."""
        base = self._base
        inside: FrameType | None = sys._getframe(1)
        applying, frame = None, inside
        while frame is not None and frame is not base:
            if frame.f_code is _APPLY:
                applying = frame
            frame = frame.f_back
        users, is_inner = inside if applying is None else applying.f_back, False
        while users is not None and users is not base and not is_users(users.f_code.co_filename):
            file = users.f_code.co_filename
            is_inner = is_inner or not (file.startswith(PACKAGE) or file in _FACES)
            users = users.f_back
        users = None if users is base else users
        place = self._locator.place(users)
        outer = self._locator.outer_line(inside, users, place, base)
        place = place.of_inner_step() if is_inner and place else place
        return Site(users, place, is_inner, outer, applying, self.now())


def name_in(frame: FrameType | None, value: Any) -> str | None:
    """The name of an object in a frame's code, if it has one."""
    if frame is None:
        return None
    for names in (frame.f_locals, frame.f_globals):
        for name, found in names.items():
            if found is value and not name.startswith("_"):
                return name
    return None


def callers_name(value: Any) -> str | None:
    """The name of a module in the code that calls it, outside PyTorch."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_TORCH):
        frame = frame.f_back
    return name_in(frame, value)


def names_of(draft: Draft) -> tuple[str, ...]:
    """The names of a call's results in the user's statement, if the user wrote the call."""
    return draft.place.names if draft.place is not None and not draft.is_inner else ()
