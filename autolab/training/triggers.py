"""Triggers: conditions for when something happens in training."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ..engine.habits import answering

if TYPE_CHECKING:
    from .trainer import Trainer

Trigger = Callable[["Trainer"], bool]


__getattr__ = answering(__name__, "training")


class IntervalTrigger:
    """True every ``period`` iterations, or at the end of every ``period`` epochs.

    Examples
    --------
    >>> from autolab.training import IntervalTrigger
    >>> IntervalTrigger(10, "iteration")
    IntervalTrigger(10, 'iteration')
    """

    def __init__(self, period: float, unit: Literal["iteration", "epoch"]) -> None:
        if unit not in ("iteration", "epoch"):
            raise ValueError(f"IntervalTrigger: unit is {unit!r:.60}; expected 'iteration' or 'epoch'")
        if isinstance(period, bool) or not isinstance(period, int | float) or not 0 < period < math.inf:
            raise ValueError(f"IntervalTrigger: period is {period!r:.60}; expected a positive number")
        if unit == "iteration" and period != int(period):
            raise ValueError(f"IntervalTrigger: period is {period!r:.60}; expected a whole number of iterations")
        self.period, self.unit = period, unit

    @property
    def is_every_iteration(self) -> bool:
        """Whether it is true after each update."""
        return type(self) is IntervalTrigger and (self.period, self.unit) == (1, "iteration")

    def __call__(self, trainer: Trainer) -> bool:
        updater = trainer.updater
        if self.unit == "iteration":
            return updater.iteration > 0 and updater.iteration % self.period == 0
        before, now = updater.previous_epoch_detail / self.period, updater.epoch_detail / self.period
        return int(before + 1e-9) != int(now + 1e-9)  # 0.3 / 0.1 is less than 3

    def __repr__(self) -> str:
        return f"IntervalTrigger({self.period}, {self.unit!r})"


class _Until(IntervalTrigger):
    """True from the end of the period on, for stopping."""

    def __call__(self, trainer: Trainer) -> bool:
        updater = trainer.updater
        return (updater.iteration if self.unit == "iteration" else updater.epoch_detail) >= self.period


def as_trigger(trigger: Any, what: str = "trigger", until: bool = False) -> Trigger:
    """A pair such as ``(20, "epoch")`` as a trigger; a callable is returned as it is. ``what`` is for the error."""
    if callable(trigger):
        return trigger
    if isinstance(trigger, tuple) and len(trigger) == 2:
        return (_Until if until else IntervalTrigger)(*trigger)
    raise TypeError(f"{what} is {trigger!r:.60}; expected a pair such as (1, 'epoch') or a function of the trainer")
