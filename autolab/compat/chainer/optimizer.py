"""``chainer.optimizer``"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ... import optimizers as _optimizers
from ...engine.node import Node
from ...engine.parameter import Parameter as _Parameter
from ...engine.publish import publish
from .. import missing
from .optimizer_hooks import GradientClipping, GradientHardClipping, GradientNoise, Lasso, WeightDecay

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientMethod",
    "GradientNoise",
    "Lasso",
    "Optimizer",
    "UpdateRule",
    "WeightDecay",
]


class UpdateRule:
    """How an optimizer treats one parameter.

    Attributes
    ----------
    enabled : bool
        Whether it changes the parameter.
    hyperparam : Optimizer
        What has the learning rate and all else.
    """

    def __init__(self, optimizer: Any) -> None:
        self.hyperparam, self.enabled = optimizer, True

    @property
    def t(self) -> int:
        """How many updates there were."""
        return int(self.hyperparam.t)

    def update(self, param: Any) -> None:
        """Change the parameter once by its gradient."""
        if self.enabled and param.grad is not None:
            publish(self.hyperparam._stores([param]))


_rules: WeakKeyDictionary[Node, UpdateRule] = WeakKeyDictionary()
"""By the parameter's node: parameters themselves are compared by their numbers."""


def rule_of(parameter: _Parameter) -> UpdateRule | None:
    """The rule of a parameter; None before an optimizer has it."""
    return None if parameter.node is None else _rules.get(parameter.node)


class Optimizer(_optimizers.Optimizer):
    """What all optimizers have in common. Where no parameter has a gradient, an update changes nothing.

    Attributes
    ----------
    epoch : int
        How often `new_epoch` was called.
    """

    epoch = 0

    def setup(self, link: Any) -> Any:  # type: ignore[override]
        """Work on the parameters of ``link``; returns the optimizer itself."""
        super().setup(link)
        for parameter in link.params():
            if parameter.node is not None:
                _rules[parameter.node] = UpdateRule(self)
        return self

    def update(self, lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:  # type: ignore[override]
        """Change the parameters once: by their gradients, or by those of ``lossfun(*args)``, which are computed first."""
        super().update(lossfun, *args, **kwds)

    def _due(self) -> list[Any]:
        found = [(p, rule_of(p)) for p in super()._due()]
        return [p for p, rule in found if rule is None or rule.enabled]

    def _step(self) -> None:
        if self._due():
            super()._step()
        else:
            self._link("update")
            self.t += 1

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(optimizer)`` before each update; one with ``call_for_each_param`` as ``hook(rule, parameter)``."""
        if timing == "post":
            raise NotImplementedError("add_hook: timing='post' is not part of AutoLab's chainer facade")
        if getattr(hook, "call_for_each_param", False):
            name = name or str(getattr(hook, "name", type(hook).__name__))
            hook = _each(hook)
        super().add_hook(hook, name)

    def new_epoch(self, auto: bool = False) -> None:
        """Count an epoch."""
        self.epoch += 1

    def use_cleargrads(self, use: bool = True) -> None:
        """Nothing to do: gradients are always cleared."""

    def use_fp32_update(self, flag: bool = True) -> None:
        """Nothing to do: float16 is always updated in float32."""


def _each(hook: Callable[[Any, Any], Any]) -> Callable[[Any], None]:
    def call(optimizer: Any) -> None:
        for parameter in optimizer:
            hook(rule_of(parameter), parameter)

    return call


GradientMethod = Optimizer

__getattr__ = missing(__name__)
