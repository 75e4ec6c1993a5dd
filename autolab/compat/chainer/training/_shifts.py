"""Extensions that change a number of an optimizer as training goes on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...table import fill, signed, with_settings
from .extension import Extension


class _Shift(Extension):
    """Sets ``attr`` of the optimizer to ``value(start, t)`` for the number ``t`` of calls.

    ``init`` is the start; by default what the optimizer has.
    """

    _values: Any

    def __init__(self, attr: str, value: Callable[[float, int], float], init: float | None, optimizer: Any) -> None:
        self._attr, self._value, self._init, self._optimizer = attr, value, init, optimizer
        self._t = 0

    def _settle(self, given: dict[str, Any]) -> None:
        _Shift.__init__(self, given["attr"], type(self)._values(**given), given["init"], given["optimizer"])

    def initialize(self, trainer: Any) -> None:
        """Set the start."""
        target = self._target(trainer)
        self._init = getattr(target, self._attr) if self._init is None else self._init
        setattr(target, self._attr, self._value(self._init, self._t))

    def __call__(self, trainer: Any) -> None:
        """Set the next value."""
        target = self._target(trainer)
        if self._init is None:
            self._init = getattr(target, self._attr)
        self._t += 1
        setattr(target, self._attr, self._value(self._init, self._t))

    def _target(self, trainer: Any) -> Any:
        return self._optimizer or trainer.updater.get_optimizer("main")


def _until(target: float | None, start: float, value: float) -> float:
    """``value``, but not beyond ``target``."""
    if target is None:
        return value
    return min(value, target) if target > start else max(value, target)


class ExponentialShift(_Shift):
    """Multiplies by ``rate`` at each call."""

    @signed
    def __init__(self, attr, rate, init, target, optimizer):
        if rate < 0:
            raise ValueError(f"ExponentialShift: rate is {rate}; expected a number of at least 0")
        super().__init__(attr, lambda start, t: _until(target, start, start * rate**t), init, optimizer)


class LinearShift(_Shift):
    """Goes from one value to another in a straight line, between two numbers of calls."""

    def __init__(self, attr: str, value_range: Any, time_range: Any, optimizer: Any = None) -> None:
        (v1, v2), (t1, t2) = value_range, time_range

        def value(start: float, t: int) -> float:
            return float(v1 if t <= t1 else v2 if t >= t2 else v1 + (v2 - v1) * (t - t1) / (t2 - t1))

        super().__init__(attr, value, v1, optimizer)


def _shift(values: Any) -> Any:
    """The class for a function that takes the settings and gives the value for a start and a number of calls."""
    shape, name = inspect.signature(values), values.__name__
    return with_settings(_Shift, name, values.__doc__, shape, _values=staticmethod(values))


__getattr__ = fill(__name__, _shift)
