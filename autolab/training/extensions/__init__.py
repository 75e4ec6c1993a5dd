"""What a trainer can be extended with."""

from importlib import import_module as _import_module
from typing import Any

from ...engine.habits import by_habit
from .early_stopping import EarlyStopping
from .evaluator import Evaluator
from .log import LogReport, PrintReport
from .plot import PlotReport
from .progress import ProgressBar
from .snapshot import resume, snapshot

__all__ = ["EarlyStopping", "Evaluator", "LiveMonitor", "LogReport", "PlotReport", "PrintReport", "ProgressBar"]
__all__ += ["resume", "snapshot"]


def __getattr__(name: str) -> Any:
    if name == "LiveMonitor":  # a live view, which is of a higher floor: only its name is here
        return _import_module("...views.monitor.monitor", __name__).LiveMonitor
    return by_habit(__name__, "extensions", name)
