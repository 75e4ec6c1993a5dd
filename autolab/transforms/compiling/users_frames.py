"""Whose code is running: the user's, AutoLab's or NumPy's."""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from ...engine import backward
from ...engine.source import is_own

_NUMPY = np.__path__[0]


def is_library(frame: FrameType) -> bool:
    """Whether a frame belongs to AutoLab or NumPy."""
    return is_own(frame) or frame.f_code.co_filename.startswith(_NUMPY)


def line_of(frame: FrameType | None) -> tuple[str, int] | None:
    """The file and line of a frame."""
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that belongs to neither AutoLab nor NumPy."""
    while frame is not None and is_library(frame):
        frame = frame.f_back
    return frame


def pulled(frame: FrameType | None) -> Any:
    """The node whose backward makes a call; None if no backward pass of AutoLab does."""
    while frame is not None and is_library(frame):
        if frame.f_code in _SWEEPS:
            return frame.f_locals.get("node")  # none yet while it adds up what is given for the same result
        frame = frame.f_back
    return None


_SWEEPS = {backward._sweep.__code__, backward._sweep_observed.__code__}
