"""AutoLab's extensions that show what was reported, with Chainer's parameters."""

from __future__ import annotations

import sys
from typing import Any

from ....training import extensions as _extensions
from ... import missing
from ...table import signed


class LogReport(_extensions.LogReport):
    """Gather what is observed, and write its means to a file of JSON.

    Parameters
    ----------
    keys : sequence of str, optional
    trigger : pair or callable
        When a line of the log ends.
    postprocess : callable, optional
        Called with each line, which it may change.
    filename : str
        In the trainer's folder; also called ``log_name``.
    """

    default_name = "LogReport"

    @signed
    def __init__(self, keys, trigger, postprocess, filename, log_name):
        super().__init__(keys, trigger, filename or log_name)
        self._postprocess, self._processed = postprocess, 0

    def __call__(self, trainer: Any) -> None:
        """Take the observation, and end a line if it is time."""
        super().__call__(trainer)
        if self._postprocess is not None:
            for line in self.log[self._processed :]:
                self._postprocess(line)
            self._processed = len(self.log)


class PrintReport(_extensions.PrintReport):
    """Print chosen columns of a `LogReport`."""

    default_name = "PrintReport"

    def __init__(self, entries: Any, log_report: Any = "LogReport", out: Any = None) -> None:
        super().__init__(entries, log_report, out)


class ProgressBar(_extensions.ProgressBar):
    """A bar with the iterations done and the time left."""

    @signed
    def __init__(self, training_length, update_interval, bar_length, out):
        super().__init__(update_interval, file=sys.stdout if out is None else out)


class PlotReport(_extensions.PlotReport):
    """Draw entries of a log as curves; the picture is an SVG file, whatever its name ends in.

    It follows the trainer's `LogReport`, so ``trigger`` and ``postprocess`` are that one's.
    """

    @signed
    def __init__(self, y_keys, x_key, trigger, postprocess, filename, marker, grid, file_name):
        entries = [y_keys] if isinstance(y_keys, str) else y_keys
        super().__init__(entries, x_key, filename=(filename or file_name).rpartition(".")[0] + ".svg")

    @staticmethod
    def available() -> bool:
        """Whether pictures can be drawn: always, as no library is needed."""
        return True


__getattr__ = missing(__name__)
