"""ProgressBar: the progress of training, in a notebook or a terminal."""

from __future__ import annotations

from typing import Any

from ..trainer import Trainer
from ..triggers import Extension, IntervalTrigger


class ProgressBar(Extension):
    """A progress bar (tqdm) with the iterations done, the time left, and the last loss.

    Parameters
    ----------
    update_interval : int
        Number of iterations between two refreshes of the bar.
    entry : str
        The observation shown next to the bar.
    **options
        Passed to tqdm, such as ``file=``.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> train, _ = get_iris()
    >>> batches = SerialIterator(train, 40, rng=np.random.default_rng(0))
    >>> optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    >>> trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (2, "epoch"))
    >>> trainer.extend(training.extensions.ProgressBar(file=io.StringIO()))
    >>> trainer.run()
    >>> trainer.updater.iteration
    6
    """

    def __init__(self, update_interval: int = 10, entry: str = "main/loss", **options: Any) -> None:
        self.trigger = (update_interval, "iteration")
        self._entry, self._options = entry, options
        self._bar: Any = None
        self._trainer: Trainer | None = None

    def initialize(self, trainer: Trainer) -> None:
        from tqdm.auto import tqdm

        done = trainer.updater.iteration
        self._trainer = trainer
        self._bar = tqdm(total=_total(trainer), initial=done, unit=" updates", **self._options)

    def __call__(self, trainer: Trainer) -> None:
        if self._bar is None:
            return
        value = trainer.observation.get(self._entry)
        if value is not None:
            self._bar.set_postfix_str(f"{self._entry} {float(value):.4g}", refresh=False)
        self._bar.update(trainer.updater.iteration - self._bar.n)

    def finalize(self) -> None:
        """Refresh the bar a last time, since the run may end between two refreshes."""
        if self._bar is not None and self._trainer is not None:
            self(self._trainer)
            self._bar.close()
        self._bar = self._trainer = None


def _total(trainer: Trainer) -> int | None:
    """The number of updates of the run; None if it is unknown."""
    until = trainer.stop_trigger
    if not isinstance(until, IntervalTrigger):
        return None
    if until.unit == "iteration":
        return int(until.period)
    iterator = trainer.updater.iterator
    return -(-int(until.period * len(iterator.dataset)) // iterator.batch_size)
