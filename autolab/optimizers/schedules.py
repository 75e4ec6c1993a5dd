"""Schedules: learning rates that depend on the number of updates so far, as in ``lr=schedules.cosine(0.1, 1000)``.

Any other function of that number can be used as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..engine.errors import check_number as _checked

Schedule = Callable[[int], float]


def _check(schedule: object, **least: float) -> None:
    """Raise unless these settings are numbers, and none is smaller than its least value."""
    for name, low in least.items():
        _checked(type(schedule).__name__, name, getattr(schedule, name), low)


@dataclass(frozen=True)
class step:
    """Step decay: ``rate``, multiplied by ``factor`` after every ``every`` updates.

    Examples
    --------
    >>> from autolab.optimizers import schedules
    >>> [schedules.step(0.1, every=2, factor=0.5)(t) for t in range(5)]
    [0.1, 0.1, 0.05, 0.05, 0.025]
    """

    rate: float
    every: int
    factor: float = 0.1

    def __post_init__(self) -> None:
        _check(self, every=1, rate=0, factor=0)

    def __call__(self, t: int) -> float:
        return self.rate * self.factor ** (t // self.every)


@dataclass(frozen=True)
class exponential:
    """Exponential decay: ``rate * factor ** t``.

    Examples
    --------
    >>> from autolab.optimizers import schedules
    >>> [schedules.exponential(1.0, 0.5)(t) for t in range(4)]
    [1.0, 0.5, 0.25, 0.125]
    """

    rate: float
    factor: float

    def __post_init__(self) -> None:
        _check(self, rate=0, factor=0)

    def __call__(self, t: int) -> float:
        return self.rate * self.factor**t


@dataclass(frozen=True)
class cosine:
    """Cosine annealing: from ``rate`` to ``final`` along half a cosine in ``updates`` updates; then ``final``.

    I. Loshchilov, F. Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.

    Examples
    --------
    >>> from autolab.optimizers import schedules
    >>> [round(schedules.cosine(1.0, updates=4)(t), 3) for t in range(6)]
    [1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """

    rate: float
    updates: int
    final: float = 0.0

    def __post_init__(self) -> None:
        _check(self, updates=1, rate=0, final=0)

    def __call__(self, t: int) -> float:
        done = min(t / self.updates, 1.0)
        return self.final + (self.rate - self.final) * (1 + math.cos(math.pi * done)) / 2


@dataclass(frozen=True)
class warmup:
    """Linear warmup: up to the rate of ``then``, a number or a schedule, in ``updates`` updates.

    Examples
    --------
    >>> from autolab.optimizers import schedules
    >>> [schedules.warmup(4, then=0.8)(t) for t in range(6)]
    [0.2, 0.4, 0.6000000000000001, 0.8, 0.8, 0.8]
    """

    updates: int
    then: float | Schedule

    def __post_init__(self) -> None:
        _check(self, updates=1)
        if not callable(self.then):
            _check(self, then=0)

    def __call__(self, t: int) -> float:
        rate = self.then(t) if callable(self.then) else self.then
        return rate * min((t + 1) / self.updates, 1.0)
