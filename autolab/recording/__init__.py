"""Recordings: one run of a function and of its gradient, as plain data that every view is a function of."""

from .departures import Departure
from .model import BackwardStep, Operand, Recording, Scope, Snapshot, Step
from .nonfinite import Nonfinite, NonfiniteOrigin, find_nonfinite
from .raised import Raised, last_recording
from .run import record
from .tape import graph

__all__ = [
    "BackwardStep",
    "Departure",
    "Nonfinite",
    "NonfiniteOrigin",
    "Operand",
    "Raised",
    "Recording",
    "Scope",
    "Snapshot",
    "Step",
    "find_nonfinite",
    "graph",
    "last_recording",
    "record",
]
