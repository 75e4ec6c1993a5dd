"""The state of a gradient as one true sentence. None is never shown as 0."""

from __future__ import annotations

from typing import Any

from ..engine.backend import Array, get_array_module
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


def _array_key(gradient: Array) -> str:
    """The state of a gradient array; reduced on the device that holds it."""
    if gradient.size == 0:
        return "ok"
    if not bool(get_array_module(gradient).isfinite(gradient).all()):
        return "nonfinite"
    return "ok" if bool(gradient.any()) else "zero"
