"""AutoLab's extensions that show what was reported, with Chainer's parameters."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ....training import extensions as _extensions
from ... import missing


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

    def __init__(
        self,
        keys: Any = None,
        trigger: Any = (1, "epoch"),
        postprocess: Callable[[dict[str, Any]], Any] | None = None,
        filename: str | None = None,
        log_name: str = "log",
    ) -> None:
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

    def __init__(
        self, training_length: Any = None, update_interval: int = 100, bar_length: int = 50, out: Any = None
    ) -> None:
        super().__init__(update_interval, file=sys.stdout if out is None else out)


class PlotReport(_extensions.PlotReport):
    """Draw entries of a log as curves; the picture is an SVG file, whatever its name ends in.

    It follows the trainer's `LogReport`, so ``trigger`` and ``postprocess`` are that one's.
    """

    def __init__(
        self,
        y_keys: Any,
        x_key: str = "iteration",
        trigger: Any = (1, "epoch"),
        postprocess: Any = None,
        filename: str | None = None,
        marker: str = "x",
        grid: bool = True,
        file_name: str = "plot.png",
    ) -> None:
        entries = [y_keys] if isinstance(y_keys, str) else y_keys
        super().__init__(entries, x_key, filename=(filename or file_name).rpartition(".")[0] + ".svg")

    @staticmethod
    def available() -> bool:
        """Whether pictures can be drawn: always, as no library is needed."""
        return True


__getattr__ = missing(__name__)
