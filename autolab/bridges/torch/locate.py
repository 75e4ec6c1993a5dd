"""The position of a PyTorch call: in the user's code, and whether inside a ``torch.autograd.Function``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.nn import Module

from ...recording.drafts import Draft
from ...recording.locate import PACKAGE, CodePosition
from ...recording.scopes import ScopeTracker, is_users
from .inputs import modules_in

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


def holder_of(value: Any, frame: FrameType | None = None) -> tuple[str, Module] | None:
    """The module that is or has a module or parameter, with its name in the code that runs in ``frame``, or in the code
    that called that; by default, in what called PyTorch.

    In a class, where ``self`` has it, its name there is no name of its own; if nothing else has one, its parts are
    called as in the class.
    """
    frame, found = frame or sys._getframe(2), None
    while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
        if not frame.f_code.co_filename.startswith(_TORCH):
            owner = frame.f_locals.get("self")
            is_owned = isinstance(owner, Module) and _has(owner, value)
            name = None if is_owned else name_in(frame, value)
            if name is not None and isinstance(value, Module):
                return name, value
            held = next(((name, module) for name, module in _modules_of(frame) if _has(module, value)), None)
            if held is not None:
                return held
            found = ("", owner) if is_owned else found
        frame = frame.f_back
    return found


def _has(module: Module, part: Any) -> bool:
    return any([part is inner for inner in [*module.modules(), *module.parameters()]])


def _modules_of(frame: FrameType) -> Iterator[tuple[str, Module]]:
    """The modules that are variables of a frame or attributes of its ``self``, then those in such lists and dicts."""
    given = {**frame.f_globals, **frame.f_locals}
    owner = given.pop("self", None)
    given |= {} if isinstance(owner, Module) else getattr(owner, "__dict__", {})
    named = [(name, value) for name, value in given.items() if not name.startswith("_")]
    for kind in (Module, dict | list | tuple):
        for name, value in named:
            if isinstance(value, kind):
                yield from modules_in(value, name)


def names_of(draft: Draft) -> tuple[str, ...]:
    """The names of a call's results in the user's statement, if the user wrote the call."""
    return draft.place.names if draft.place is not None and not draft.is_inner else ()
