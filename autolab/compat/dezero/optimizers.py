"""``dezero.optimizers``: they update one parameter after the other, by AutoLab's rules."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, Self

from ... import optimizers
from ...engine.store import publish
from ...optimizers import WeightDecay as WeightDecay
from ..table import fill, with_settings
from .core import Parameter


class Optimizer:
    """The base class: subclass it and write ``update_one(self, param)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Layer, Parameter, optimizers
    >>> class Half(optimizers.Optimizer):
    ...     def update_one(self, param):
    ...         param.data = param.data / 2
    >>> layer = Layer()
    >>> layer.a = Parameter(np.array(3.0))
    >>> (2 * layer.a).backward()
    >>> Half().setup(layer).update()
    >>> layer.a
    variable(1.5)
    """

    def __init__(self) -> None:
        self.target: Any = None
        self.hooks: list[Callable[[list[Any]], Any]] = []

    def setup(self, target: Any) -> Self:
        """Work on the parameters of ``target``; returns the optimizer itself."""
        self.target = target
        return self

    def update(self) -> None:
        """Change all parameters that have a gradient; hooks are called with them before."""
        due = [p for p in self.target.params() if p.grad is not None]
        for hook in self.hooks:
            hook(due)
        for param in due:
            if param.grad is not None:  # a hook may have taken it away
                self.update_one(param)

    def update_one(self, param: Any) -> None:
        """Change one parameter."""
        raise NotImplementedError(f"{type(self).__name__}: write update_one(self, param)")

    def add_hook(self, f: Callable[[list[Any]], Any]) -> None:
        """Call ``f`` with the list of parameters in every update, before they change."""
        self.hooks.append(f)


class _ByRule(Optimizer):
    """An optimizer of AutoLab's, whose settings are attributes here as well."""

    settings: tuple[str, ...]
    _rule_of: Callable[..., optimizers.Optimizer]

    def __init__(self, rule: optimizers.Optimizer) -> None:
        super().__init__()
        self._rule = rule

    def _settle(self, given: dict[str, Any]) -> None:
        _ByRule.__init__(self, type(self)._rule_of(**given))

    def __getattr__(self, name: str) -> Any:
        if name in type(self).settings:
            return getattr(self._rule, name)
        raise AttributeError(f"{type(self).__name__} has no {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).settings:
            setattr(self._rule, name, value)
        else:
            super().__setattr__(name, value)

    def update_one(self, param: Any) -> None:
        """Change one parameter."""
        publish(self._rule._stores([param]))


class Adam(_ByRule):
    """Adaptive moments. ``lr`` is ``alpha`` with the correction of the start at 0, as of the last update."""

    settings = ("alpha", "beta1", "beta2", "eps")

    def __init__(self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(optimizers.Adam(alpha, beta1, beta2, eps))
        self.t = 0

    @property
    def lr(self) -> float:
        """The factor of the last step."""
        return float(self.alpha * math.sqrt(1.0 - self.beta2**self.t) / (1.0 - self.beta1**self.t))

    def update(self) -> None:
        """Change all parameters that have a gradient."""
        self.t += 1
        super().update()


# ---------------------------------------------------------------------- hooks
class ClipGrad(optimizers.GradientClipping):
    """Shorten all gradients by one factor where their common norm is above ``max_norm``."""

    def __init__(self, max_norm: float) -> None:
        super().__init__(max_norm)
        self.max_norm = max_norm


class FreezeParam:
    """Leave parameters, or those of layers, as they are."""

    def __init__(self, *layers: Any) -> None:
        self.freeze_params = [p for one in layers for p in ([one] if isinstance(one, Parameter) else one.params())]

    def __call__(self, params: Iterable[Any]) -> None:
        for param in self.freeze_params:
            param.cleargrad()


def _by_rule(rule_of: Any) -> Any:
    """The class for a function that takes the settings and gives AutoLab's optimizer."""
    shape = inspect.signature(rule_of)
    body = {"settings": tuple(shape.parameters), "_rule_of": staticmethod(rule_of)}
    return with_settings(_ByRule, rule_of.__name__, rule_of.__doc__, shape, **body)


__getattr__ = fill(__name__, _by_rule)
