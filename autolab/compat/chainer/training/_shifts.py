"""Extensions that change a number of an optimizer as training goes on."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np  # noqa: F401  # for table.txt, as is check_number

from ....engine.errors import check_number  # noqa: F401
from ...table import fill, with_settings
from .extension import Extension


class _Shift(Extension):
    """Sets ``attr`` of the optimizer to ``value(start, t)`` for the number ``t`` of calls.

    ``init`` is the start; by default what the optimizer has.
    """

    _values: Any

    def _settle(self, given: dict[str, Any]) -> None:
        self._value, self._t = type(self)._values(**given), 0
        self._attr, self._init, self._optimizer = given["attr"], given.get("init"), given["optimizer"]

    def initialize(self, trainer: Any) -> None:
        """Set the start."""
        target = self._optimizer or trainer.updater.get_optimizer("main")
        if self._init is None:
            self._init = getattr(target, self._attr)
        setattr(target, self._attr, self._value(self._init, self._t))

    def __call__(self, trainer: Any) -> None:
        """Set the next value."""
        self._t += 1
        self.initialize(trainer)

    def state(self) -> dict[str, Any]:
        """The start, and the number of calls."""
        return {} if self._init is None else {"init": self._init, "t": self._t}

    def planned(self, state: Any) -> list[tuple[Any, str, Any]]:
        """The stores that bring it back."""
        return [(self, "_init", float(state["init"])), (self, "_t", int(state["t"]))] if "t" in state else []


def _until(target: float | None, start: float, value: float) -> float:
    """``value``, but not beyond ``target``."""
    if target is None:
        return value
    return min(value, target) if target > start else max(value, target)


def _shift(values: Any) -> Any:
    """The class for a function that takes the settings and gives the value for a start and a number of calls."""
    shape, name = inspect.signature(values), values.__name__
    return with_settings(_Shift, name, values.__doc__, shape, _values=staticmethod(values))


__getattr__ = fill(__name__, _shift)
