"""Training: `Trainer` is the loop, `StandardUpdater` performs one update; extensions are called between updates."""

from ..engine.habits import answering
from ..links.reporter import Reporter, report
from . import extensions
from .monitor import Monitor
from .trainer import Trainer
from .triggers import Extension, IntervalTrigger
from .updater import StandardUpdater

__all__ = ["Extension", "IntervalTrigger", "Monitor", "Reporter", "StandardUpdater", "Trainer", "extensions", "report"]


__getattr__ = answering(__name__, "training")
