"""snapshot() and resume(): training that goes on where it was, after the process is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...serializers import load_npz, save_npz
from ..extension import Extension
from ..trainer import Trainer


class _Snapshot(Extension):
    priority = -100  # after all others, whose state it saves

    def __init__(self, filename: str, trigger: Any) -> None:
        self._filename, self.trigger = filename, trigger

    name = "snapshot"

    def __call__(self, trainer: Trainer) -> None:
        trainer.out.mkdir(parents=True, exist_ok=True)
        updater = trainer.updater
        save_npz(trainer.out / self._filename.format(iteration=updater.iteration, epoch=updater.epoch), trainer)


def snapshot(filename: str = "snapshot_iter_{iteration}", trigger: Any = (1, "epoch")) -> Extension:
    """An extension that saves the whole trainer: model, optimizer, place in the data, generators, log.

    Parameters
    ----------
    filename : str
        May name ``{iteration}`` and ``{epoch}``; without them the file is replaced each time.
    trigger : pair or callable
    """
    return _Snapshot(filename, trigger)


def resume(trainer: Trainer, path: str | Path) -> None:
    """Let ``trainer`` go on where the one stood that was saved. Both are made by the same code.

    The run then gives what an uninterrupted one would have given, bit for bit on the CPU.
    """
    load_npz(path, trainer)
