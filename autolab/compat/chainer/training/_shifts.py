"""Extensions that change a hyperparameter during training."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np  # noqa: F401  # for table.txt, as is check_number

from ....engine.errors import check_number  # noqa: F401
from ...table import fill, with_settings
from .extension import Extension


class _Shift(Extension):
    """Sets ``attr`` of the optimizer to ``value(start, t)`` at call number ``t``.

    ``init`` is the initial value; by default, the optimizer's current one.
    """

    _values: Any

    def _settle(self, given: dict[str, Any]) -> None:
        self._value, self._t = type(self)._values(**given), 0
        self._attr, self._init, self._optimizer = given["attr"], given.get("init"), given["optimizer"]

    def initialize(self, trainer: Any) -> None:
        """Set the initial value."""
        target = self._optimizer or trainer.updater.get_optimizer("main")
        if self._init is None:
            self._init = getattr(target, self._attr)
        setattr(target, self._attr, self._value(self._init, self._t))

    def __call__(self, trainer: Any) -> None:
        """Set the next value."""
        self._t += 1
        self.initialize(trainer)

    def state(self) -> dict[str, Any]:
        """The initial value and the number of calls."""
        return {} if self._init is None else {"init": self._init, "t": self._t}

    def planned(self, state: Any) -> list[tuple[Any, str, Any]]:
        """The assignments that restore a state."""
        return [(self, "_init", float(state["init"])), (self, "_t", int(state["t"]))] if "t" in state else []


def _until(target: float | None, start: float, value: float) -> float:
    """``value``, but not beyond ``target``."""
    if target is None:
        return value
    return min(value, target) if target > start else max(value, target)


def _shift(values: Any) -> Any:
    """An extension class, from a function of the settings that maps initial value and call number to a value."""
    shape, name = inspect.signature(values), values.__name__
    return with_settings(_Shift, name, values.__doc__, shape, _values=staticmethod(values))


__getattr__ = fill(__name__, _shift)
