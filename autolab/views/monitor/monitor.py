"""LiveMonitor: watch a network train, look back at past states, and stop it."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.display import Savable
from ...engine.errors import a_kind
from ...links import Link
from ...training.boundary import DecisionBoundary
from ...training.extension import Extension
from ...training.monitor import Monitor
from ...training.trainer import Trainer
from .. import mimebundle
from ..live import notebook
from .view import MonitorView

_NUMBERS = (float, int, np.number)


class LiveMonitor(Monitor, Extension, Savable):
    """Curves, gradient norms, silent units and heatmaps of a model while it is trained; with a Stop button.

    As an extension of a trainer it shows itself below the cell that runs the trainer; in a loop of your own, call
    `update` after each update. Which updates it measures depends on their number alone, so that the same training
    draws the same curves; it paints, and keeps what can be looked back at, at most ten times a second and as far as
    ``share`` allows. After Stop or an interrupt everything is as after the last whole update: run the cell again, and
    training goes on.

    In plain Python, where there is no notebook to draw in, a trainer's run writes the last state as a page into the
    trainer's folder; ``print(monitor)`` and `save` tell it at any time.

    Parameters
    ----------
    model : Link, optional
        For a loop of your own. A trainer's model, where there is a trainer.
    share : float
        Of the time that training takes; see `autolab.training.Monitor`.
    states : int
        How many past states can be looked at, at most.
    boundary : pair of arrays, optional
        Examples of two features, of shape ``(n, 2)``, and their classes, integers of shape ``(n,)``: the view draws the
        net unit by unit over the plane of the features, and where it parts the classes. The net calls its `Linear`
        layers one after the other; one output parts two classes at 0.

    Attributes
    ----------
    curves, measured, states, iteration
        As of `autolab.training.Monitor`: what is shown, as data.

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
        self.epoch: int | None = None  # of a trainer
        self._trainer: Trainer | None = None
        self._view: MonitorView | None = None
        self._output: tuple[str, Any] | None = None  # the cell below which it is, and a handle of what is there

    # ------------------------------------------------------------------ a loop of your own
    def update(self, loss: Any = None, /, **values: Any) -> bool:  # type: ignore[override]  # a view can ask a loop to end
        """As `Monitor.update`; False if the Stop button was pressed, or `stop` called. The next call starts over."""
        if not self._running:
            self._begin()
        super().update(loss, **values)
        stopped = self.stopping
        if stopped:
            self._end()
        return not stopped

    def stop(self) -> None:
        """End the trainer's run after the present update; in a loop of your own, `update` then gives False."""
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
        if iteration == self.iteration:  # an interrupted call that is made again
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
        """What draws the net unit by unit, where examples for it were given."""
        return self._boundary

    def _find_boundary(self) -> None:
        if self._boundary is None and self._examples is not None and self.model is not None:
            self._boundary = DecisionBoundary(self.model, *self._examples)

    def close(self) -> None:
        """Remove the views; the numbers stay."""
        if self._view is not None:
            self._view.close()
            self._view = None

    def __str__(self) -> str:
        return str(mimebundle(self)["text/plain"])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The live view, and the static form for where there is none (an untrusted notebook, a web page)."""
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
        """Training begins: show it below this cell, unless it stands elsewhere already."""
        self.stopping, self._running = False, True
        if notebook.shell() is None:
            return
        self._live().begin()
        if self._output is None or self._output[0] in ("", notebook.cell()):
            from IPython.display import display

            self._output = (notebook.cell(), None)
            self._output = (notebook.cell(), display(self, display_id=True))

    def _end(self) -> None:
        """Training has ended, or pauses: show the last state, also in what is saved with the notebook."""
        self.stopping = self._running = False
        if sys.exception() is None:  # else the gradients may be those of an update that did not happen
            self.keep()
        self._finish()

    def _finish(self) -> None:
        self._rest()
        if self._view is not None:
            self._view.end()
        if self._output is not None and self._output[1] is not None:
            self._output[1].update(self)

    def _cell_ran(self) -> None:
        """A loop in it has ended, perhaps by an interrupt in the middle of an update."""
        if self._running and self._trainer is None:
            self._running = False
            if notebook.shell().last_execution_succeeded:
                self.keep()
            self._finish()

    def _shown(self) -> None:
        if self._view is not None:
            self._view.paint()
