"""``dezero.optimizers``: optimizers that update one parameter after the other, with AutoLab's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ... import optimizers as _optimizers
from ...engine import publish
from ...optimizers import WeightDecay as WeightDecay
from ...optimizers.optimizer import Updates
from ...optimizers.update_rules import PlainSGD
from .. import missing
from .core import Parameter


class Optimizer(_optimizers.Optimizer, Updates):
    """Base class of optimizers: a subclass defines ``update_one(self, param)``.

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

    def __init__(self, lr: float = 0.0) -> None:
        super().__init__(lr)
        self.hooks: list[Callable[[list[Any]], Any]] = []

    def update(self) -> None:  # type: ignore[override]  # DeZero's programs compute the loss before the call
        """Update all parameters that have a gradient; hooks are called with their list first."""
        self._step()

    def _step(self) -> None:
        due = self._due()
        for hook in self.hooks:
            hook(due)
        self._change([param for param in due if param.grad is not None])  # a hook may have cleared it

    def _change(self, due: list[Any]) -> None:
        for param in due:
            self.update_one(param)

    def update_one(self, param: Any) -> None:  # type: ignore[override]
        """Update one parameter."""
        raise NotImplementedError(f"{type(self).__name__}: write update_one(self, param)")

    def add_hook(self, f: Callable[[list[Any]], Any]) -> None:  # type: ignore[override]
        """Call ``f`` with the list of parameters before every update."""
        self.hooks.append(f)


class _ByRule(Optimizer):
    """An optimizer with an update rule of AutoLab."""

    def _change(self, due: list[Any]) -> None:
        publish([*self._stores(due), (self, "t", self.t + 1)])


class SGD(PlainSGD, _ByRule):  # type: ignore[misc]
    """``w - lr * g``"""


class MomentumSGD(_optimizers.MomentumSGD, _ByRule):  # type: ignore[misc]
    """``v = momentum * v - lr * g``, then ``w + v``"""


class AdaGrad(_optimizers.AdaGrad, _ByRule):  # type: ignore[misc]
    """``h = h + g * g``, then ``w - lr * g / (sqrt(h) + eps)``"""

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__(lr, eps)


class AdaDelta(_optimizers.AdaDelta, _ByRule):  # type: ignore[misc]
    """AdaDelta: step sizes follow from running averages of earlier gradients and steps."""


class Adam(_optimizers.Adam, _ByRule):  # type: ignore[misc]
    """Adam. ``lr`` is another name for ``alpha``; unlike DeZero's, it does not include the bias correction."""

    _eps_is_corrected = False

    def __init__(self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(alpha, beta1, beta2, eps)


# ---------------------------------------------------------------------- hooks
class ClipGrad(_optimizers.GradientClipping):
    """Gradient clipping: scale all gradients down if their joint norm exceeds ``max_norm``."""

    _eps = 1e-6

    def __init__(self, max_norm: float) -> None:
        super().__init__(max_norm)

    @property
    def max_norm(self) -> float:
        """The largest norm."""
        return self.threshold

    @max_norm.setter
    def max_norm(self, norm: float) -> None:
        self.threshold = norm


class FreezeParam:
    """Freeze parameters, or those of layers: they are not updated."""

    def __init__(self, *layers: Any) -> None:
        self.freeze_params = [p for one in layers for p in ([one] if isinstance(one, Parameter) else one.params())]

    def __call__(self, params: Iterable[Any]) -> None:
        for param in self.freeze_params:
            param.cleargrad()


__getattr__ = missing(__name__)
