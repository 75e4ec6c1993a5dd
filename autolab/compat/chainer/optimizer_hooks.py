"""``chainer.optimizer_hooks``"""

from __future__ import annotations

from typing import Any

from ... import optimizers as _optimizers
from ...engine import numpys_generator
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
    """Add normally distributed noise to every gradient, decreasing over time."""

    def __init__(self, eta: float) -> None:
        super().__init__(eta, numpys_generator())


class GradientHardClipping:
    """Clip every element of the gradients to an interval."""

    name = "GradientHardClipping"

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def __call__(self, opt: Any) -> None:
        for parameter in opt:
            parameter.grad = parameter.grad.clip(self.lower_bound, self.upper_bound)


__getattr__ = missing(__name__)
