"""``chainer.optimizer``"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from ... import optimizers as _optimizers
from ...engine import publish
from ...optimizers.hooks import Hooked
from ..table import Settled
from .optimizer_hooks import *  # noqa: F403
from .variable import rule_of, update_rules


class Hyperparameter:
    """The hyperparameters of an optimizer by name, or of one parameter, which has the optimizer's until one is set."""

    def __init__(self, optimizer: Any, own: dict[str, Any] | None = None) -> None:
        vars(self).update(_optimizer=optimizer, _own=own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rule(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        rule = self.rule()
        if rule is self._optimizer and self._own is not None:
            rule = copy(rule)
        setattr(rule, name, value)  # which checks it
        if self._own is not None:
            self._own[name] = getattr(rule, name)

    def rule(self) -> Any:
        """The optimizer, or a copy with the parameter's own hyperparameters."""
        if not self._own:
            return self._optimizer
        rule = copy(self._optimizer)
        for name, value in self._own.items():
            setattr(rule, name, value)
        return rule

    def get_dict(self) -> dict[str, Any]:
        """All hyperparameters, as a dictionary."""
        return {name: getattr(self, name) for name in self._optimizer.hyperparameters}


class UpdateRule(Hooked):
    """How an optimizer treats one parameter.

    Attributes
    ----------
    hyperparam : Hyperparameter
        The learning rate and all other settings; those that are set here are this parameter's own.
    enabled : bool
        Whether the parameter is updated.
    """

    enabled = True
    _timings: dict[str, str]

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        self.hyperparam = Hyperparameter(optimizer, {})
        self._hooks, self._timings = {}, {}

    @property
    def t(self) -> int:
        """The number of updates so far."""
        return int(self.optimizer.t)

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(rule, parameter)`` before each update of the parameter, or after it with ``timing="post"``."""
        when = _timing(hook, timing)
        super().add_hook(hook, name)
        self._timings[next(reversed(self._hooks))] = when

    def call_hooks(self, when: str, param: Any) -> None:
        """Call the hooks that come before an update, ``"pre"``, or after it, ``"post"``."""
        for name, hook in list(self._hooks.items()):
            if self._timings[name] == when:
                hook(self, param)

    def update(self, param: Any) -> None:
        """Update the parameter once, from its gradient."""
        if self.enabled and param.grad is not None:
            publish(self.optimizer._stores([param]))
            self.call_hooks("post", param)


def _timing(hook: Any, timing: str) -> str:
    when = getattr(hook, "timing", "pre") if timing == "auto" else timing
    if when not in ("pre", "post", "auto"):
        raise ValueError(f"add_hook: timing is {timing!r:.60}; expected 'pre', 'post' or 'auto'")
    return "post" if when == "post" else "pre"


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

    def _rules_of(self, parameters: list[Any]) -> Iterator[tuple[Any, UpdateRule]]:
        pairs = [(parameter, rule_of(parameter)) for parameter in parameters]
        return iter([(p, rule) for p, rule in pairs if rule is not None and rule.optimizer is self])

    def _step(self) -> None:
        if due := self._due():
            super()._step()
            for parameter, rule in self._rules_of(due):
                rule.call_hooks("post", parameter)
            for hook in self._afterwards:
                hook(self)
        else:
            self._link("update")
            self.t += 1

    def _stores(self, parameters: list[Any]) -> list[tuple[Any, str, Any]]:
        before = [(parameter.node, "grad", parameter._grad) for parameter in parameters]
        try:
            for parameter, rule in self._rules_of(parameters):
                rule.call_hooks("pre", parameter)
            due = [parameter for parameter in parameters if parameter._grad is not None]
            own = [(parameter, rule.hyperparam.rule()) for parameter, rule in self._rules_of(due)]
            self._rules = {parameter: rule for parameter, rule in own if rule is not self}
            return super()._stores(due)
        except BaseException:
            publish(before)
            raise

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(optimizer)`` before each update; with ``call_for_each_param``, call ``hook(rule, parameter)``."""
        when = _timing(hook, timing)
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
