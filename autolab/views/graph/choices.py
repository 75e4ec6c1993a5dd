"""The options of an exploration, and what can be chosen besides its numbers: mode, dtype, device, order of
differentiation, opened fused functions, and the input that moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import device_name
from ...recording.orders import input_to_differentiate
from .exploration_state import DEVICES, FLOATS, ExplorationState
from .moved_input import ways

if TYPE_CHECKING:
    from .session import Session

SECONDS = 60.0
_RECORDED = ("upstream", "budget", "order", "wrt", "open", "replace", "forward", "tokens")
OPTIONS = (*_RECORDED, "parameters", "seconds", "train")


def seconds_of(options: Mapping[str, Any]) -> float:
    """Seconds after which a computation is stopped."""
    given = options.get("seconds", SECONDS)
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise TypeError(f"explore: option 'seconds' is {given!r:.60}; expected a number above 0")
    return float(given)


def settings_of(session: Session) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The settings: for each its value ("" if the inputs differ) and all possible values."""
    floats = [array for array in session.state.inputs.values() if array.dtype.kind == "f"]
    mode = "train" if session.state.train else "test"
    found: dict[str, tuple[str, tuple[str, ...]]] = {"mode": (mode, ("train", "test"))}
    if floats:
        found["dtype"] = (_common([str(array.dtype) for array in floats]), FLOATS)
    if floats and session.has_gpu:
        found["device"] = (_common(["cpu" if device_name(a) == "cpu" else "gpu" for a in floats]), DEVICES)
    return found


def _common(values: Sequence[str]) -> str:
    return values[0] if len(set(values)) == 1 else ""


def chosen(session: Session, setting: str, value: Any) -> ExplorationState:
    """The state of an exploration after a choice; see `Session.choose`."""
    state = session.state
    if setting in ("order", "wrt"):
        orders = {"order": state.order, "wrt": state.wrt, setting: value}
        input_to_differentiate("explore", session.bound.inputs, orders["order"], orders["wrt"])
        return replace(state, **orders, forward=None if orders["order"] else state.forward)
    if setting == "forward" and value in ("", *ways(session)):
        return replace(state, forward=ways(session).get(value))
    if setting in ("open", "close") and value in (session.recording.openable if session.recording else ()):
        others = [name for name in state.opened if name != value]
        return replace(state, opened=(*others, *[value] * (setting == "open")))
    if value not in session.settings().get(setting, ("", ()))[1]:
        raise ValueError(f"explore: {setting!r:.60} cannot be set to {value!r:.60}")
    if setting == "mode":
        return replace(state, train=value == "train")
    if setting == "device":
        return state.placed(value)
    with np.errstate(over="ignore"):
        return state.cast(value)
