"""snapshot() and resume(): checkpoints from which training can resume in another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...serializers import load_npz, save_npz
from ..trainer import Trainer
from ..triggers import Extension


class _SnapshotWriter(Extension):
    priority = -100  # called after all others, whose state it saves

    def __init__(self, filename: str, trigger: Any) -> None:
        self._filename, self.trigger = filename, trigger

    name = "snapshot"

    def __call__(self, trainer: Trainer) -> None:
        trainer.out.mkdir(parents=True, exist_ok=True)
        updater = trainer.updater
        save_npz(trainer.out / self._filename.format(iteration=updater.iteration, epoch=updater.epoch), trainer)


def snapshot(filename: str = "snapshot_iter_{iteration}", trigger: Any = (1, "epoch")) -> Extension:
    """An extension that saves checkpoints of the whole trainer: model, optimizer, position in the data, random
    generators, log.

    Parameters
    ----------
    filename : str
        In the trainer's folder. May contain ``{iteration}`` and ``{epoch}``; without them the file is overwritten each
        time.
    trigger : pair or callable
        When to save; by default at the end of each epoch.

    Raises
    ------
    ValueError
        If the name has other fields.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> def make(folder, epochs):
    ...     train, _ = get_iris()
    ...     batches = SerialIterator(train, 40, rng=np.random.default_rng(0))
    ...     optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    ...     updater = training.StandardUpdater(batches, optimizer)
    ...     trainer = training.Trainer(updater, (epochs, "epoch"), folder)
    ...     trainer.extend(training.extensions.snapshot("state"))
    ...     return trainer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make(folder, 1).run()
    ...     trainer = make(folder, 3)
    ...     training.extensions.resume(trainer, f"{folder}/state")
    ...     print(trainer.updater.iteration)
    ...     trainer.run()
    3
    >>> trainer.updater.epoch
    3
    """
    filename = filename.replace("{.updater.", "{")  # as Chainer has it
    try:
        filename.format(iteration=0, epoch=0)
    except (AttributeError, KeyError, IndexError, ValueError):
        what = f"snapshot: filename is {filename!r:.100}"
        raise ValueError(f"{what}; expected no fields but {{iteration}} and {{epoch}}") from None
    return _SnapshotWriter(filename, trigger)


def resume(trainer: Trainer, path: str | Path) -> None:
    """Load a checkpoint of `snapshot` into ``trainer``, which must have been created by the same code as the saved one.

    The run then gives the same results as an uninterrupted one, bit for bit on the CPU. A learning rate from
    `optimizers.schedules` continues automatically. Extensions that are plain functions save nothing: to step a
    scheduler of `optimizers.lr_scheduler`, write an `Extension` whose ``state`` includes that of the scheduler.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_iris
    >>> def make(folder, epochs):
    ...     train, _ = get_iris()
    ...     batches = SerialIterator(train, 40, rng=np.random.default_rng(0))
    ...     optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    ...     updater = training.StandardUpdater(batches, optimizer)
    ...     trainer = training.Trainer(updater, (epochs, "epoch"), folder)
    ...     trainer.extend(training.extensions.snapshot("state"))
    ...     return trainer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make(folder, 1).run()
    ...     trainer = make(folder, 3)
    ...     training.extensions.resume(trainer, f"{folder}/state")
    ...     print(trainer.updater.iteration)
    ...     trainer.run()
    3
    >>> trainer.updater.epoch
    3
    """
    load_npz(path, trainer)
