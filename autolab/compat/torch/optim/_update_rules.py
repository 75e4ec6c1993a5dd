"""PyTorch's optimizers, with AutoLab's update rules: the table says which settings each rule gets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .... import optimizers as _optimizers
from ....engine import check_number
from ...table import fill, with_settings
from .optimizer import Optimizer


def _optimizer(rule_of: Callable[..., Any]) -> Any:
    """An optimizer class, given a function that returns AutoLab's optimizer for the settings of a group."""
    name = rule_of.__name__

    def _settle(self: Any, given: dict[str, Any]) -> None:
        Optimizer.__init__(self, given.pop("params"), given)
        for group in self.param_groups:
            self.rule(group)  # which refuses invalid settings

    def rule(self: Any, group: dict[str, Any]) -> Any:
        return rule_of(None, **{name: group[name] for name in self.defaults})

    said = rule_of.__doc__ or ""
    return with_settings(Optimizer, name, said, inspect.signature(rule_of), _settle=_settle, rule=rule)


class _Momentum(_optimizers.SGD):
    """PyTorch's momentum: the running sum contains gradients, and the learning rate is applied afterwards."""

    def __init__(self, lr: float, momentum: float, dampening: float, nesterov: bool) -> None:
        super().__init__(lr=lr)
        self.momentum, self.dampening, self.nesterov = momentum, dampening, nesterov

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        before = state.get("momentum_buffer")
        v = state["momentum_buffer"] = g.copy() if before is None else self.momentum * before + (1 - self.dampening) * g
        return super().update_one(w, g + self.momentum * v if self.nesterov else v, state)


def _sgd(lr: float, momentum: float, dampening: float, nesterov: bool) -> Any:
    check_number("SGD", "momentum", momentum, 0)
    if nesterov and (momentum <= 0 or dampening):
        raise ValueError("SGD: nesterov=True needs a momentum above 0 and a dampening of 0")
    return _Momentum(lr, momentum, dampening, nesterov) if momentum else _optimizers.SGD(lr=lr)


__getattr__ = fill(__name__, _optimizer)
