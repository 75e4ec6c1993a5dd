"""PlotReport: selected entries of a log as curves, in an SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...engine import Displayed, show
from ...shared.files import write
from ..extension import Extension
from ..trainer import Trainer
from .log import LogReport

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
