"""``chainer.training.triggers``"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .... import training as _training
from ....training.triggers import as_trigger
from ...table import signed
from ..reporter import DictSummary


class IntervalTrigger(_training.IntervalTrigger):
    """Fires every ``period`` iterations, or at the end of every ``period`` epochs."""

    def __call__(self, trainer: Any) -> bool:
        begun = self.unit == "iteration" or trainer.updater.previous_epoch_detail is not None
        return begun and super().__call__(trainer)


def get_trigger(trigger: Any) -> Any:
    """A trigger from a pair; a callable is returned unchanged, and None becomes a trigger that never fires.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.training.get_trigger((1, "epoch"))
    IntervalTrigger(1, 'epoch')
    """
    if isinstance(trigger, tuple):
        return IntervalTrigger(*trigger)
    return (lambda trainer: False) if trigger is None else as_trigger(trigger)


class ManualScheduleTrigger:
    """Fires at the given iterations or epochs."""

    def __init__(self, points: Any, unit: str) -> None:
        if unit not in ("iteration", "epoch"):
            raise ValueError(f"ManualScheduleTrigger: unit is {unit!r:.60}; expected 'iteration' or 'epoch'")
        self.points, self.unit = points if isinstance(points, list | tuple) else [points], unit

    def __call__(self, trainer: Any) -> bool:
        updater = trainer.updater
        if self.unit == "iteration":
            return updater.iteration in self.points
        before, now = updater.previous_epoch_detail or 0.0, updater.epoch_detail
        return any([before < point <= now for point in self.points])


class OnceTrigger:
    """Fires once, at the first iteration; with ``call_on_resume`` also at that of a training that is resumed."""

    def __init__(self, call_on_resume: bool = False) -> None:
        self._waits, self._on_resume = True, call_on_resume

    def __call__(self, trainer: Any) -> bool:
        waits, self._waits = self._waits, False
        return waits and (self._on_resume or trainer.updater.iteration <= 1)


class TimeTrigger:
    """Fires each time this many seconds have passed."""

    def __init__(self, period: float) -> None:
        self._period, self._next = period, period

    def __call__(self, trainer: Any) -> bool:
        if self._next >= trainer.elapsed_time:
            return False
        self._next += self._period
        return True


class BestValueTrigger:
    """Fires when the mean of an observation over an interval is better than all previous ones.

    Attributes
    ----------
    best_value : float or None
    """

    def __init__(self, key: str, compare: Callable[[Any, Any], bool], trigger: Any = (1, "epoch")) -> None:
        self._key, self._compare, self._interval = key, compare, as_trigger(trigger)
        self.best_value: Any = None
        self._summary = DictSummary()

    def __call__(self, trainer: Any) -> bool:
        if self._key in trainer.observation:
            self._summary.add({self._key: trainer.observation[self._key]})
        if not self._interval(trainer):
            return False
        found = self._summary.compute_mean().get(self._key)
        self._summary = DictSummary()
        if found is None or not (self.best_value is None or self._compare(self.best_value, found)):
            return False
        self.best_value = float(found)
        return True


class MaxValueTrigger(BestValueTrigger):
    """A `BestValueTrigger` for the largest value."""

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, lambda best, new: new > best, trigger)


class MinValueTrigger(BestValueTrigger):
    """A `BestValueTrigger` for the smallest value."""

    def __init__(self, key: str, trigger: Any = (1, "epoch")) -> None:
        super().__init__(key, lambda best, new: new < best, trigger)


class EarlyStoppingTrigger(BestValueTrigger):
    """Fires if an observation has not improved on the best one for ``patients`` checks, or at the end."""

    @signed
    def __init__(self, check_trigger, monitor, patience, mode, max_trigger, *, patients):
        is_max = mode == "max" or (mode == "auto" and "accuracy" in monitor)
        compare = (lambda best, new: new > best) if is_max else (lambda best, new: new < best)
        super().__init__(monitor, compare, check_trigger)
        self.patience = patients if patience is None else patience
        self.count, self._seen = 0, -1
        self._end = as_trigger(max_trigger, "max_trigger", True)

    def __call__(self, trainer: Any) -> bool:
        if self._end(trainer):
            return True
        if trainer.updater.iteration == self._seen or not trainer.observation:
            return self.count >= self.patience
        self._seen = trainer.updater.iteration
        is_check = self._interval(trainer)
        self.count = 0 if super().__call__(trainer) else self.count + is_check
        return self.count >= self.patience
