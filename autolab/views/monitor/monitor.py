"""LiveMonitor: watch a network while it trains, look back at past states, and stop training."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np

from ...engine import Savable, a_kind
from ...links import Link
from ...training import Extension, Monitor, Trainer
from ...training.boundary import DecisionBoundary
from .. import mimebundle
from ..live import notebook
from .view import MonitorView

_NUMBERS = (float, int, np.number)


class LiveMonitor(Monitor, Extension, Savable):
    """Curves, gradient norms, silent units and heatmaps of a model while it trains, with a Stop button.

    As an extension of a trainer, it appears below the cell that runs the trainer; in a loop of your own, call `update`
    after each update. Which updates are measured depends only on their number, so the same training draws the same
    curves. It redraws, and keeps past states, at most ten times a second and only as far as ``share`` allows. After
    Stop or an interrupt, everything is as it was after the last complete update: run the cell again to continue
    training.

    In plain Python, where there is no notebook to draw in, a trainer's run saves the last state as a page in the
    trainer's folder; ``print(monitor)`` and `save` show it at any time.

    Parameters
    ----------
    model : Link, optional
        The model, for a loop of your own; with a trainer, the default is its model.
    share : float
        The fraction of the training time that the monitor may take; see `autolab.training.Monitor`.
    states : int
        The maximum number of past states to keep.
    boundary : pair of arrays, optional
        Examples with two features, of shape ``(n, 2)``, and their classes, integers of shape ``(n,)``: the view draws
        every unit of the net over the plane of the features, and the decision boundary. The net must apply its `Linear`
        layers one after the other; a single output separates two classes at 0.

    Attributes
    ----------
    curves, measured, states, iteration
        What is shown, as data, as in `autolab.training.Monitor`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> from autolab.training.extensions import LiveMonitor
    >>> x, t = np.eye(3, dtype=np.float32), np.arange(3)
    >>> model = L.Classifier(L.MLP((3,)))
    >>> optimizer, monitor = optimizers.SGD(1.0).setup(model), LiveMonitor(model)
    >>> for step in range(200):
    ...     loss = optimizer.update(model, x, t)
    ...     if not monitor.update(loss=loss):  # the Stop button was pressed
    ...         break
    >>> print(monitor)  # doctest: +ELLIPSIS
    LiveMonitor: update 200...
    """

    def __init__(
        self, model: Link | None = None, share: float = 0.03, states: int = 60, boundary: tuple[Any, Any] | None = None
    ) -> None:
        super().__init__(model, share, states)
        if boundary is not None and not (isinstance(boundary, tuple | list) and len(boundary) == 2):
            raise TypeError(f"LiveMonitor: boundary is {a_kind(boundary)}; expected a pair of examples and classes")
        self._examples = boundary
        self._boundary: DecisionBoundary | None = None
        self._find_boundary()
        self.stopping = self._running = False
        self.epoch: int | None = None  # only with a trainer
        self._trainer: Trainer | None = None
        self._view: MonitorView | None = None
        self._output: tuple[str, Any] | None = None  # the cell that it is shown below, and the handle of that output

    # ------------------------------------------------------------------ a loop of your own
    def update(self, loss: Any = None, /, **values: Any) -> bool:  # type: ignore[override]  # a view can ask a loop to end
        """As `Monitor.update`; False if the Stop button was pressed or `stop` was called. The next call resumes."""
        if not self._running:
            self._begin()
        super().update(loss, **values)
        stopped = self.stopping
        if stopped:
            self._end()
        return not stopped

    def stop(self) -> None:
        """Stop the trainer's run after the current update; in a loop of your own, `update` then returns False."""
        self.stopping = True
        if self._trainer is not None:
            self._trainer.stop()

    # ------------------------------------------------------------------ a trainer's extension
    def initialize(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self.model = self.model or trainer.updater.target
        self._find_boundary()
        self._begin()

    def __call__(self, trainer: Trainer) -> None:
        start = perf_counter()
        iteration = trainer.updater.iteration
        if iteration == self.iteration:  # a repeated call, after an interrupt
            return
        self.epoch = trainer.updater.epoch
        told = {k: float(v) for k, v in trainer.observation.items() if isinstance(v, _NUMBERS)}
        self._take(iteration, told, start)

    def finalize(self) -> None:
        trainer, self._trainer = self._trainer, None
        self._end()
        if self._view is None and trainer is not None and self.iteration:
            trainer.out.mkdir(parents=True, exist_ok=True)
            path = trainer.out / "monitor.html"
            self.save(path)
            print(f"LiveMonitor: no notebook to draw in; open {path} in a browser")

    # ------------------------------------------------------------------ what is seen
    @property
    def boundary(self) -> DecisionBoundary | None:
        """The decision boundary, which evaluates the net unit by unit; None if no examples were given."""
        return self._boundary

    def _find_boundary(self) -> None:
        if self._boundary is None and self._examples is not None and self.model is not None:
            self._boundary = DecisionBoundary(self.model, *self._examples)

    def close(self) -> None:
        """Remove the views; the data stay."""
        if self._view is not None:
            self._view.close()
            self._view = None

    def __str__(self) -> str:
        return str(mimebundle(self)["text/plain"])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The live view, and a static one for places without it (an untrusted notebook, a web page)."""
        if notebook.shell() is None:
            return mimebundle(self)
        live = self._live()._repr_mimebundle_(include=include, exclude=exclude)
        self._output = self._output or (notebook.cell(), None)
        return live

    def _live(self) -> MonitorView:
        if self._view is None or self._view.closed:
            self._view = MonitorView(self)
        return self._view

    def _begin(self) -> None:
        """Training begins: show the view below this cell, unless it is already shown elsewhere."""
        self.stopping, self._running = False, True
        if notebook.shell() is None:
            return
        self._live().begin()
        if self._output is None or self._output[0] in ("", notebook.cell()):
            from IPython.display import display

            self._output = (notebook.cell(), None)
            self._output = (notebook.cell(), display(self, display_id=True))

    def _end(self) -> None:
        """Training has ended or pauses: show the last state, also in the output saved with the notebook."""
        self.stopping = self._running = False
        if sys.exception() is None:  # otherwise the gradients may belong to an update that did not happen
            self.keep()
        self._finish()

    def _finish(self) -> None:
        self._rest()
        if self._view is not None:
            self._view.end()
        if self._output is not None and self._output[1] is not None:
            self._output[1].update(self)

    def _cell_ran(self) -> None:
        """A cell has run: its training loop has ended, perhaps by an interrupt in the middle of an update."""
        if self._running and self._trainer is None:
            self._running = False
            if notebook.shell().last_execution_succeeded:
                self.keep()
            self._finish()

    def _shown(self) -> None:
        if self._view is not None:
            self._view.paint()
