"""What a test must leave as it found it: modes and observers."""

from __future__ import annotations

import gc
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from autolab.engine.backward import watched_nodes
from autolab.engine.modes import Modes, listeners, modes, overrides, unset_modes, watchers
from autolab.engine.store import gradient_hooks, retained

_DEFAULTS = {"enable_backprop": True, "train": True}
_PATIENCE = 5.0


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Refuse what leaves a mode set or an observer listening, or makes NumPy warn.

    Warnings are kept and looked at later, as no function then meets one as an error, which it might catch.
    """
    with warnings.catch_warnings(record=True) as found:
        try:
            yield
        finally:
            leaks = leaked_state()
            reset_state()
    told = [f"{w.filename}:{w.lineno}: {w.message}" for w in found if issubclass(w.category, RuntimeWarning)]
    assert not told and not leaks, "; ".join([*told, *leaks])


def wait_for_views() -> None:
    """Until the computations of views have ended, which go on in threads of their own."""
    late = time.monotonic() + _PATIENCE
    while "autolab-view" in {thread.name for thread in threading.enumerate()} and time.monotonic() < late:
        time.sleep(0.001)


def leaked_state() -> list[str]:
    """One sentence for every mode or observer that is still there, once the computations of closed views have ended."""
    wait_for_views()
    if retained or gradient_hooks or watched_nodes:  # compiled functions would run as they are written
        gc.collect()
    own = {name: value for name, value in vars(modes()).items() if name not in ("block", "before")}
    found = [f"config.{name} is set to {value!r} here" for name, value in own.items()]
    found += [
        f"global_config.{name} is {getattr(Modes, name)!r}"
        for name, default in _DEFAULTS.items()
        if getattr(Modes, name) is not default
    ]
    if watchers or listeners:
        found.append(f"{len(watchers) + len(listeners)} observers are still listening")
    if overrides or modes().block:
        found.append("a no_grad, using_config or observe block is still open")
    return found


def reset_state() -> None:
    """Put everything back, so that one leaking test fails and not all after it."""
    unset_modes()
    for name, default in _DEFAULTS.items():
        setattr(Modes, name, default)
    if "rng" in vars(Modes):  # a facade's manual_seed sets it; NumPy's own is found again where it is needed
        del Modes.rng
    watchers.clear()
    listeners.clear()
    overrides.clear()
