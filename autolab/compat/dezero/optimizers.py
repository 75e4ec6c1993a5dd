"""``dezero.optimizers``: they update one parameter after the other, by AutoLab's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ... import optimizers as _optimizers
from ...engine.store import publish
from ...optimizers import WeightDecay as WeightDecay
from .. import missing
from .core import Parameter


class Optimizer(_optimizers.Optimizer):
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

    def __init__(self, lr: float = 0.0) -> None:
        super().__init__(lr)
        self.hooks: list[Callable[[list[Any]], Any]] = []

    def update(self) -> None:  # type: ignore[override]  # losses are computed before, as DeZero's programs do
        """Change all parameters that have a gradient; hooks are called with them before."""
        due = self._due()
        for hook in self.hooks:
            hook(due)
        self._change([param for param in due if param.grad is not None])  # a hook may have taken it away

    def _change(self, due: list[Any]) -> None:
        for param in due:
            self.update_one(param)

    def update_one(self, param: Any) -> None:  # type: ignore[override]
        """Change one parameter."""
        raise NotImplementedError(f"{type(self).__name__}: write update_one(self, param)")

    def add_hook(self, f: Callable[[list[Any]], Any]) -> None:  # type: ignore[override]
        """Call ``f`` with the list of parameters in every update, before they change."""
        self.hooks.append(f)


class _ByRule(Optimizer):
    """An optimizer of AutoLab's."""

    def _change(self, due: list[Any]) -> None:
        publish([*self._stores(due), (self, "t", self.t + 1)])


class SGD(_optimizers.SGD, _ByRule):  # type: ignore[misc]
    """``w - lr * g``"""


class MomentumSGD(_optimizers.MomentumSGD, _ByRule):  # type: ignore[misc]
    """``v = momentum * v - lr * g``, then ``w + v``"""


class AdaGrad(_optimizers.AdaGrad, _ByRule):  # type: ignore[misc]
    """``h = h + g * g``, then ``w - lr * g / (sqrt(h) + eps)``"""

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__(lr, eps)


class AdaDelta(_optimizers.AdaDelta, _ByRule):  # type: ignore[misc]
    """Steps in units of the steps before."""


class Adam(_optimizers.Adam, _ByRule):  # type: ignore[misc]
    """Adaptive moments. ``lr`` is another name of ``alpha``, without the correction of the first steps."""

    def __init__(self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(alpha, beta1, beta2, eps)


# ---------------------------------------------------------------------- hooks
class ClipGrad(_optimizers.GradientClipping):
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


__getattr__ = missing(__name__)
