"""PyTorch's optimizers, with AutoLab's update rules: the table says which settings each rule gets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .... import optimizers as _optimizers  # noqa: F401  # for the table
from ...table import fill, with_settings
from .optimizer import Optimizer


def _optimizer(rule_of: Callable[..., Any]) -> Any:
    """An optimizer class, given a function that returns AutoLab's optimizer for the settings of a group."""

    def _settle(self: Any, given: dict[str, Any]) -> None:
        Optimizer.__init__(self, given.pop("params"), given)

    def rule(self: Any, settings: dict[str, Any]) -> Any:
        return rule_of(None, **settings)

    said = rule_of.__doc__ or ""
    return with_settings(Optimizer, rule_of.__name__, said, inspect.signature(rule_of), _settle=_settle, rule=rule)


__getattr__ = fill(__name__, _optimizer)
