"""Extensions of a trainer: evaluation, logs, plots, progress bars, early stopping, snapshots."""

from importlib import import_module as _import_module
from typing import Any

from ...engine.habits import by_habit
from .early_stopping import EarlyStopping
from .evaluator import Evaluator
from .log import LogReport, PlotReport, PrintReport
from .progress import ProgressBar
from .snapshot import resume, snapshot

__all__ = ["EarlyStopping", "Evaluator", "LiveMonitor", "LogReport", "PlotReport", "PrintReport", "ProgressBar"]
__all__ += ["resume", "snapshot"]


def __getattr__(name: str) -> Any:
    if name == "LiveMonitor":  # a live view, which training may import only on access
        return _import_module("...views.monitor.monitor", __name__).LiveMonitor
    return by_habit(__name__, "extensions", name)
