"""The state of a gradient as one true sentence. None is never shown as 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..recording.model import Step
from .messages import SHORT, say

_REACHED = ("ok", "zero", "nonfinite")


def of_step(step: Step) -> str:
    """The sentence about a step's gradient."""
    return say(_key(step))


def short(step: Step) -> str:
    """One word for the place where the gradient would stand, if there is none."""
    return SHORT.get(_key(step), SHORT["not_reached"])


def _key(step: Step) -> str:
    has_parts = step.kind == "call" and step.value is None and step.status in _REACHED
    return "call_of_parts" if has_parts else step.status


def of_variable(variable: Any) -> str:
    """The sentence about the gradient of a Variable that stands alone."""
    return say(_variable_key(variable))


def _variable_key(variable: Any) -> str:
    if variable.grad is not None:
        return _array_key(variable.grad.data)
    if variable.dtype.kind not in "fc":
        return "integer"
    if not variable.requires_grad:
        return "not_required"
    return "not_computed" if variable.creator is None else "not_kept"


def _array_key(gradient: Any) -> str:
    """The state of a gradient array; reduced on the device that holds it."""
    finite = bool((gradient - gradient == 0).all()) if gradient.dtype.kind in "fc" else True
    if not finite:
        return "nonfinite"
    return "ok" if gradient.size == 0 or bool((gradient != 0).any()) else "zero"


def of_snapshot(values: np.ndarray) -> str:
    """The state of a gradient that was kept whole."""
    return _array_key(values)
