"""What a test must leave as it found it: modes and observers."""

from __future__ import annotations

from autolab.engine.config import Config, config, overrides
from autolab.engine.observe import watchers

_DEFAULTS = {"enable_backprop": True, "train": True}
_ASSIGNED = "enable_backprop"  # `config.enable_backprop = ...` leaves this token for good: slower, never wrong


def leaked_state() -> list[str]:
    """One sentence for every mode or observer that is still there."""
    found = [
        f"config.{name} is set to {value!r} for this thread"
        for name, value in config.__dict__.items()
        if name != "opened"
    ]
    found += [
        f"global_config.{name} is {getattr(Config, name)!r}"
        for name, default in _DEFAULTS.items()
        if getattr(Config, name) is not default
    ]
    if watchers:
        found.append(f"{len(watchers)} observers are still listening")
    if overrides - {_ASSIGNED} or config.opened:
        found.append("a no_grad, using_config or observe block is still open")
    return found


def reset_state() -> None:
    """Put everything back, so that one leaking test fails and not all after it."""
    config.__dict__.clear()
    config.__dict__["opened"] = []
    for name, default in _DEFAULTS.items():
        setattr(Config, name, default)
    watchers.clear()
    overrides.clear()
