"""Recordings: one run of a function and of its gradient, as plain data that every view is a function of."""

from .model import BackwardStep, Operand, Recording, Snapshot, Step
from .recorder import record

__all__ = ["BackwardStep", "Operand", "Recording", "Snapshot", "Step", "record"]
