"""The global random generators, environment variables, and how decimal numbers are computed."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable

import numpy as np


def generators() -> dict[str, Hashable]:
    """The states of the global random generators, if they are loaded."""
    found: dict[str, Hashable] = {}
    if "random" in sys.modules:
        found["the state of random"] = sys.modules["random"].getstate()
    if "numpy.random" in sys.modules:
        found["the state of numpy.random"] = repr(np.random.get_state())
    return found


def environment() -> dict[str, str]:
    """The environment variables."""
    return dict(os.environ)


def decimal_context() -> Hashable:
    """What decides how decimal numbers are computed here."""
    now = sys.modules["decimal"].getcontext()
    traps = tuple([signal for signal, is_set in now.traps.items() if is_set])
    return now.prec, now.rounding, now.Emin, now.Emax, now.clamp, traps
