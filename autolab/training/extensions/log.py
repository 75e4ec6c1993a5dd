"""LogReport and PrintReport: means of the observations over an interval, in a file and as a table.

PlotReport: selected entries of a log as curves, in an SVG file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TextIO

import numpy as np

from ...engine import Displayed, publish, show
from ...shared.files import as_json, write
from ...shared.state_layout import text_of, text_state, unpacking
from ..trainer import Trainer
from ..triggers import Extension, as_trigger

_WIDEST = 72
"""Characters per line: a narrow notebook or terminal would wrap longer ones."""

_NUMBER = 10
"""Characters that a column needs for its numbers; counts need no more than their names."""

_COUNTS = ("epoch", "iteration")


class LogReport(Extension):
    """Average the observations over intervals, and write the means to a JSON file, ``log`` in the trainer's folder.

    NaN and infinities are strings there, as JSON has no such numbers: ``float("NaN")`` reads them back.

    Parameters
    ----------
    keys : sequence of str, optional
        The observations to log; by default all that are numbers.
    trigger : pair or callable
        When an interval ends; by default at the end of each epoch.
    filename : str or None
        None keeps the log in memory only.

    Attributes
    ----------
    log : list of dict
        One dictionary per interval, with ``epoch``, ``iteration`` and ``elapsed_time``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> train, _ = get_iris()
    >>> batches = SerialIterator(train, 40, rng=np.random.default_rng(0))
    >>> optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    >>> trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (2, "epoch"))
    >>> log = training.extensions.LogReport(filename=None)
    >>> trainer.extend(log)
    >>> trainer.run()
    >>> [(line["epoch"], line["iteration"]) for line in log.log]
    [(1, 3), (2, 6)]
    """

    priority = Extension.EDITOR - 1

    def __init__(
        self, keys: Sequence[str] | None = None, trigger: Any = (1, "epoch"), filename: str | None = "log"
    ) -> None:
        if isinstance(keys, str):
            raise TypeError(f"LogReport: keys is {keys!r:.60}; expected a list of names, such as [{keys!r:.60}]")
        self.keys = None if keys is None else tuple(keys)
        self._interval, self._filename = as_trigger(trigger, "LogReport: trigger"), filename
        self.log: list[dict[str, Any]] = []
        self._sums: dict[str, tuple[float, int]] = {}
        self._heard = 0  # the last iteration in the sums or the log: after an interrupt the call is repeated

    def __call__(self, trainer: Trainer) -> None:
        iteration = trainer.updater.iteration
        if iteration == self._heard:
            return
        sums = dict(self._sums)
        for name, value in trainer.observation.items():
            if (self.keys is None or name in self.keys) and isinstance(value, int | float | np.number):
                total, count = sums.get(name, (0.0, 0))
                sums[name] = (total + float(value), count + 1)
        if not self._interval(trainer):
            publish([(self, "_sums", sums), (self, "_heard", iteration)])
            return
        line: dict[str, Any] = {name: total / count for name, (total, count) in sums.items()}
        updater = trainer.updater
        line |= {"epoch": updater.epoch, "iteration": iteration, "elapsed_time": trainer.elapsed_time}
        log = [*self.log, line]
        if self._filename is not None:
            trainer.out.mkdir(parents=True, exist_ok=True)
            write(trainer.out / self._filename, json.dumps(as_json(log), indent=1, allow_nan=False))
        publish([(self, "log", log), (self, "_sums", {}), (self, "_heard", iteration)])

    def state(self) -> dict[str, Any]:
        return {"text": text_state({"log": self.log, "sums": self._sums, "heard": self._heard})}

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        if "text" not in state:
            return []
        with unpacking("LogReport"):
            found = text_of(state["text"])
            sums = {name: (float(total), int(count)) for name, (total, count) in found["sums"].items()}
            log = [dict(line) for line in found["log"]]
            return [(self, "log", log), (self, "_sums", sums), (self, "_heard", int(found["heard"]))]


class PrintReport(Extension):
    """Print selected columns of a `LogReport`, one line per interval.

    Parameters
    ----------
    entries : sequence of str
        The columns, such as ``["epoch", "main/loss", "validation/main/accuracy"]``.
    log_report : str or LogReport
        The name of the trainer's LogReport, or a LogReport.
    out : file, optional
        By default standard output.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> train, _ = get_iris()
    >>> batches = SerialIterator(train, 40, rng=np.random.default_rng(0))
    >>> optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    >>> trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (2, "epoch"))
    >>> trainer.extend(training.extensions.LogReport(filename=None))
    >>> trainer.extend(training.extensions.PrintReport(["epoch", "iteration"]))
    >>> trainer.run()
    epoch       iteration
    1           3
    2           6
    """

    def __init__(
        self, entries: Sequence[str], log_report: str | LogReport = "LogReport", out: TextIO | None = None
    ) -> None:
        if isinstance(entries, str):
            raise TypeError(
                f"PrintReport: entries is {entries!r:.60}; expected a list of columns, such as [{entries!r:.60}]"
            )
        self.entries = tuple(entries)
        self._header, self._widths = _columns(self.entries)
        self._log_report, self._out = log_report, out
        self._printed = 0

    def __call__(self, trainer: Trainer) -> None:
        report = self._log_report
        log = (trainer.get_extension(report) if isinstance(report, str) else report).log
        out = self._out or sys.stdout
        for line in log[self._printed :]:
            if self._printed == 0:
                for words in self._header:
                    _print(self._row(words), out)
            _print(self._row([_text(line.get(entry)) for entry in self.entries]), out)
            self._printed += 1

    def _row(self, words: Sequence[str]) -> str:
        return "  ".join([f"{word:<{width}}" for word, width in zip(words, self._widths, strict=True)]).rstrip()


def _columns(entries: Sequence[str]) -> tuple[list[tuple[str, ...]], list[int]]:
    """The lines of the header, and the widths. Names are wrapped at their slashes if lines would be too long."""
    widths = [max(_NUMBER, len(entry)) for entry in entries]
    if sum(widths) + 2 * (len(entries) - 1) <= _WIDEST:
        return [tuple(entries)], widths
    names = [entry.replace("/", "/\n").split("\n") for entry in entries]
    height = max(map(len, names))
    header = zip(*[[""] * (height - len(name)) + name for name in names], strict=True)
    least = [0 if entry in _COUNTS else _NUMBER for entry in entries]
    return list(header), [max(n, *map(len, name)) for n, name in zip(least, names, strict=True)]


def _print(line: str, out: TextIO) -> None:
    """Print a line; a progress bar (tqdm) in the last line of a terminal moves down for it."""
    bars = sys.modules.get("tqdm")
    if bars is None:
        print(line, file=out)
    else:
        bars.tqdm.write(line, file=out)
    out.flush()


def _text(value: Any) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.6g}"


_X_KEYS = ("iteration", "epoch", "elapsed_time")


class PlotReport(Displayed, Extension):
    """Plot selected entries of a `LogReport` to a file, which is rewritten after each line of the log.

    No plotting library is needed. The picture has a text description for screen readers, and lines that differ in
    colour and in pattern. In a notebook the object displays as the picture.

    Parameters
    ----------
    entries : sequence of str
        At most 8, such as ``["main/loss", "validation/main/loss"]``.
    x_key : str
        The horizontal axis: ``iteration``, ``epoch`` or ``elapsed_time``.
    log_report : str or LogReport
        The name of the trainer's LogReport, or a LogReport.
    filename : str
        In the trainer's folder; ends in ``.svg``.
    title : str, optional
        By default the entries.
    log_scale : bool
        Whether the vertical axis is logarithmic.
    look : {"light", "dark", "auto"}
        ``auto`` follows the page that shows the picture.

    Examples
    --------
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> from autolab.training import extensions
    >>> model = L.Classifier(L.MLP((10, 3)))
    >>> updater = training.StandardUpdater(SerialIterator(get_iris()[0], 30), optimizers.Adam().setup(model))
    >>> from tempfile import mkdtemp
    >>> trainer = training.Trainer(updater, (2, "epoch"), out=mkdtemp())
    >>> trainer.extend(extensions.LogReport())
    >>> trainer.extend(extensions.PlotReport(["main/loss"]))
    >>> trainer.run()
    >>> (trainer.out / "plot.svg").read_text()[:4]
    '<svg'
    """

    priority = LogReport.priority - 1

    def __init__(
        self,
        entries: Sequence[str],
        x_key: str = "iteration",
        log_report: str | LogReport = "LogReport",
        filename: str = "plot.svg",
        title: str | None = None,
        log_scale: bool = False,
        look: Literal["light", "dark", "auto"] = "light",
    ) -> None:
        if isinstance(entries, str) or not 1 <= len(entries) <= 8:
            raise ValueError(f"PlotReport: entries is {entries!r:.60}; expected 1 to 8 names, such as ['main/loss']")
        if not filename.endswith(".svg"):
            raise ValueError(f"PlotReport: filename is {filename!r:.60}; expected one that ends in .svg")
        if x_key not in _X_KEYS:
            raise ValueError(f"PlotReport: x_key is {x_key!r:.60}; expected one of {', '.join(_X_KEYS)}")
        self.entries, self.x_key = tuple(entries), x_key
        self.title = ", ".join(self.entries) if title is None else title
        self.log_scale, self.look = log_scale, look
        self.log: Sequence[dict[str, Any]] = []
        self._log_report, self._filename = log_report, filename

    def __call__(self, trainer: Trainer) -> None:
        report = self._log_report
        log = (trainer.get_extension(report) if isinstance(report, str) else report).log
        if not log or log is self.log:
            return
        self.log = log
        trainer.out.mkdir(parents=True, exist_ok=True)
        write(trainer.out / self._filename, show(self, "svg"))
