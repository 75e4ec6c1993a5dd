"""What a trainer can be extended with."""

from .evaluator import Evaluator
from .log import LogReport, PrintReport
from .plot import PlotReport
from .progress import ProgressBar
from .snapshot import resume, snapshot

__all__ = ["Evaluator", "LogReport", "PlotReport", "PrintReport", "ProgressBar", "resume", "snapshot"]
