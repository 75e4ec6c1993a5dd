"""The global random generators, which advance when they are used."""

from __future__ import annotations

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
