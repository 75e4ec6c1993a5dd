"""Extensions that change a number of an optimizer as training goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import missing
from ...table import signed
from .extension import Extension


class _Shift(Extension):
    """Sets ``attr`` of the optimizer to ``value(start, t)`` for the number ``t`` of calls.

    ``init`` is the start; by default what the optimizer has.
    """

    def __init__(self, attr: str, value: Callable[[float, int], float], init: float | None, optimizer: Any) -> None:
        self._attr, self._value, self._init, self._optimizer = attr, value, init, optimizer
        self._t = 0

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


class InverseShift(_Shift):
    """Divides by ``(1 + gamma * t) ** power``."""

    @signed
    def __init__(self, attr, gamma, power, init, target, optimizer):
        super().__init__(
            attr, lambda start, t: _until(target, start, start * (1 + gamma * t) ** -power), init, optimizer
        )


class LinearShift(_Shift):
    """Goes from one value to another in a straight line, between two numbers of calls."""

    def __init__(self, attr: str, value_range: Any, time_range: Any, optimizer: Any = None) -> None:
        (v1, v2), (t1, t2) = value_range, time_range

        def value(start: float, t: int) -> float:
            return float(v1 if t <= t1 else v2 if t >= t2 else v1 + (v2 - v1) * (t - t1) / (t2 - t1))

        super().__init__(attr, value, v1, optimizer)


class StepShift(_Shift):
    """Multiplies by ``gamma`` after every ``step`` calls."""

    @signed
    def __init__(self, attr, gamma, step, init, target, optimizer):
        super().__init__(attr, lambda start, t: _until(target, start, start * gamma ** (t // step)), init, optimizer)


class MultistepShift(_Shift):
    """Multiplies by ``gamma`` at each number of calls in ``step_value``."""

    def __init__(self, attr: str, gamma: float, step_value: Any, init: float, optimizer: Any = None) -> None:
        super().__init__(
            attr, lambda start, t: start * gamma ** sum([t >= step for step in step_value]), init, optimizer
        )


class PolynomialShift(_Shift):
    """Falls as ``(1 - t / max_count) ** rate``."""

    @signed
    def __init__(self, attr, rate, max_count, init, target, optimizer):
        def value(start: float, t: int) -> float:
            return _until(target, start, start * max(1 - t / max_count, 0.0) ** rate)

        super().__init__(attr, value, init, optimizer)


__getattr__ = missing(__name__)
