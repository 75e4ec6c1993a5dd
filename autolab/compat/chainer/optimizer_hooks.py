"""``chainer.optimizer_hooks``"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import optimizers as _optimizers
from ...engine import get_array_module, numpys_generator
from .. import missing


class WeightDecay(_optimizers.WeightDecay):
    """Add ``rate`` times the parameter to its gradient.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> optimizer = chainer.optimizers.SGD().setup(chainer.links.Linear(2, 1))
    >>> optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0005))
    """


class Lasso(_optimizers.Lasso):
    """Add ``rate`` times the parameter's sign to its gradient."""


class GradientClipping(_optimizers.GradientClipping):
    """Scale all gradients down if their joint norm exceeds ``threshold``."""


class GradientNoise(_optimizers.GradientNoise):
    """Add noise to every gradient: normally distributed and decreasing over time, or that of ``noise_func``, which is
    called with the array module, shape, dtype, this hook, and the update rule."""

    def __init__(self, eta: float, noise_func: Callable[..., Any] | None = None) -> None:
        super().__init__(eta, numpys_generator())
        self.noise_func = noise_func

    def __call__(self, opt: Any) -> None:
        if self.noise_func is None:
            super().__call__(opt)
            return
        for parameter in opt:
            g = parameter.grad
            parameter.grad = g + self.noise_func(get_array_module(g), g.shape, g.dtype, self, parameter.update_rule)


class GradientHardClipping:
    """Clip every element of the gradients to an interval."""

    name = "GradientHardClipping"

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def __call__(self, opt: Any) -> None:
        for parameter in opt:
            parameter.grad = parameter.grad.clip(self.lower_bound, self.upper_bound)


__getattr__ = missing(__name__)
