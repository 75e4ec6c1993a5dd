"""``chainer.optimizer``"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import optimizers as _optimizers
from ...engine import publish
from ..table import Settled
from .optimizer_hooks import *  # noqa: F403
from .variable import rule_of, update_rules


class Hyperparameter:
    """The hyperparameters of an optimizer, by name; setting one applies to all parameters at once."""

    def __init__(self, optimizer: Any, is_of_one: bool = False) -> None:
        vars(self).update(_optimizer=optimizer, _is_of_one=is_of_one)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_of_one:
            raise NotImplementedError(f"hyperparam.{name}: one parameter has none of its own; set optimizer.{name}")
        setattr(self._optimizer, name, value)

    def get_dict(self) -> dict[str, Any]:
        """All hyperparameters, as a dictionary."""
        return {name: getattr(self._optimizer, name) for name in self._optimizer.hyperparameters}


class UpdateRule:
    """How an optimizer treats one parameter.

    Attributes
    ----------
    hyperparam : Hyperparameter
        The learning rate and all other settings.
    enabled : bool
        Whether the parameter is updated.
    """

    enabled = True

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        self.hyperparam = Hyperparameter(optimizer, is_of_one=True)

    @property
    def t(self) -> int:
        """The number of updates so far."""
        return int(self.optimizer.t)

    def update(self, param: Any) -> None:
        """Update the parameter once, from its gradient."""
        if self.enabled and param.grad is not None:
            publish(self.optimizer._stores([param]))


class Optimizer(Settled, _optimizers.Optimizer):
    """Base class of optimizers. If no parameter has a gradient, an update changes nothing.

    Attributes
    ----------
    epoch : int
        The number of calls of `new_epoch`.
    """

    epoch = 0
    _afterwards: Sequence[Callable[[Any], Any]] = ()

    def _settle(self, given: dict[str, Any]) -> None:
        super().__init__(**given)

    def setup(self, link: Any) -> Any:
        """Set the link whose parameters are optimized. Returns the optimizer itself."""
        super().setup(link)
        for parameter in link.params():
            if parameter.node is not None:
                update_rules[parameter.node] = UpdateRule(self)
        return self

    def _due(self) -> list[Any]:
        return [p for p in super()._due() if getattr(rule_of(p), "enabled", True)]

    def _step(self) -> None:
        if self._due():
            super()._step()
            for hook in self._afterwards:
                hook(self)
        else:
            self._link("update")
            self.t += 1

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(optimizer)`` before each update; with ``call_for_each_param``, call ``hook(rule, parameter)``."""
        when = getattr(hook, "timing", "pre") if timing == "auto" else timing
        if when not in ("pre", "post", "auto"):
            raise ValueError(f"add_hook: timing is {timing!r:.60}; expected 'pre', 'post' or 'auto'")
        if getattr(hook, "call_for_each_param", False):
            name = name or str(getattr(hook, "name", type(hook).__name__))
            hook = _each(hook)
        if when == "post":
            self._afterwards = [*self._afterwards, hook]
        else:
            super().add_hook(hook, name)

    @property
    def hyperparam(self) -> Hyperparameter:
        """The hyperparameters, by name."""
        return Hyperparameter(self)

    def loss_scaling(self, interval: int = 1000, scale: float | None = None) -> None:
        """Refused: loss scaling for float16 is not supported."""
        if interval < 1 or (scale is not None and scale <= 0):
            raise ValueError(f"loss_scaling: interval is {interval} and scale {scale}; expected positive numbers")
        raise NotImplementedError("Optimizer.loss_scaling is not part of AutoLab's chainer facade")

    def new_epoch(self, auto: bool = False) -> None:
        """Count an epoch."""
        self.epoch += 1

    def use_cleargrads(self, use: bool = True) -> None:
        """Does nothing: gradients are always cleared."""

    def use_fp32_update(self, flag: bool = True) -> None:
        """Does nothing: float16 is always updated in float32."""


def _each(hook: Callable[[Any, Any], Any]) -> Callable[[Any], None]:
    def call(optimizer: Any) -> None:
        for parameter in optimizer:
            hook(rule_of(parameter), parameter)

    return call


GradientMethod = Optimizer
