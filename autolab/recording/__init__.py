"""Recordings: one run of a function and of its gradient, as plain data from which every view is computed."""

from functools import partial

from .departures import Departure
from .graph import graph, make_dot, plot_dot_graph  # noqa: F401  # names of `autolab`
from .model import BackwardStep, Operand, Recording, Scope, Snapshot, Step
from .nonfinite import Nonfinite, NonfiniteOrigin, find_nonfinite
from .raised import Raised, last_recording
from .record import record

make_jaxpr = partial(partial, record)  # JAX's name and calling convention: make_jaxpr(f)(x)

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
