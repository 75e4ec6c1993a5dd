"""Training: `Trainer` is the loop, `StandardUpdater` one step of it; extensions are called between the steps."""

from ..engine.habits import answering
from ..links.reporter import Reporter, report
from . import extensions
from .extension import Extension
from .monitor import Monitor
from .trainer import Trainer
from .triggers import IntervalTrigger
from .updater import StandardUpdater

__all__ = ["Extension", "IntervalTrigger", "Monitor", "Reporter", "StandardUpdater", "Trainer", "extensions", "report"]


__getattr__ = answering(__name__, "training")
