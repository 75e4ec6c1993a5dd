"""Triggers: conditions for when something happens in training.

Extension: something that a trainer does between updates, such as writing a log.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..engine.habits import answering
from ..shared.state_layout import FREE, Slot

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


class Extension:
    """The base class of extensions: subclass it and define `__call__`. Any function of the trainer works as well.

    Attributes
    ----------
    trigger : pair or callable
        When it is called, unless `Trainer.extend` says otherwise.
    priority : int
        Extensions with a higher priority are called first.
    name : str
        By default the name of the class.

    Examples
    --------
    >>> from autolab.training import Extension
    >>> class Announce(Extension):
    ...     trigger = (1, "epoch")
    ...     def __call__(self, trainer):
    ...         print("epoch", trainer.updater.epoch)
    >>> Announce().name
    'Announce'
    """

    WRITER, EDITOR, READER = 300, 200, 100
    """Priorities of extensions that add observations, that change them, and that only read them."""

    trigger: Any = (1, "iteration")
    priority: int = READER

    @property
    def name(self) -> str:
        """Its name in a trainer, unless `Trainer.extend` says otherwise."""
        return type(self).__name__

    def initialize(self, trainer: Trainer) -> None:
        """Called once before the first update of a run."""

    def __call__(self, trainer: Trainer) -> None:
        raise NotImplementedError(f"{type(self).__name__}: write __call__(self, trainer)")

    def finalize(self) -> None:
        """Called when a run ends, even by an error or an interrupt."""

    def state(self) -> dict[str, Any]:
        """What to save in a snapshot: arrays and numbers by name."""
        return {}

    def state_layout(self) -> Mapping[str, Slot]:
        """The shape and dtype that `planned` expects for each name; by default anything is accepted."""
        return FREE

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that restore `state`, as ``(object, attribute, value)``."""
        return []
