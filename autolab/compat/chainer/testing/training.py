"""``chainer.testing.training``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

from ..training import Trainer


def get_trainer_with_mock_updater(
    stop_trigger: Any = (10, "iteration"), iter_per_epoch: int = 10, extensions: Sequence[Any] | None = None
) -> Trainer:
    """A trainer whose updater only counts, for quick tests of extensions and triggers.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> trainer = chainer.testing.get_trainer_with_mock_updater((6, "iteration"), iter_per_epoch=4)
    >>> trainer.run()
    >>> trainer.updater.iteration, trainer.updater.epoch, trainer.updater.epoch_detail
    (6, 1, 1.5)
    """
    updater = mock.Mock(
        previous_epoch_detail=None, iteration=0, epoch=0, epoch_detail=0, is_new_epoch=True, target=None
    )
    updater.get_all_optimizers.return_value = {}

    def update() -> None:
        updater.update_core()
        epoch, updater.previous_epoch_detail = updater.epoch, updater.iteration / iter_per_epoch
        updater.iteration += 1
        updater.epoch, updater.epoch_detail = updater.iteration // iter_per_epoch, updater.iteration / iter_per_epoch
        updater.is_new_epoch = updater.epoch != epoch

    updater.update = update
    return Trainer(updater, stop_trigger, extensions=extensions)
