"""``chainer.optimizers``"""

from __future__ import annotations

from typing import Any

from ... import optimizers as _optimizers
from .. import missing
from ..table import signed
from .optimizer import Optimizer


class SGD(Optimizer, _optimizers.SGD):
    """Stochastic gradient descent.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.optimizers.SGD().lr
    0.01
    """


class MomentumSGD(Optimizer, _optimizers.MomentumSGD):
    """Gradient descent with momentum."""


class NesterovAG(Optimizer, _optimizers.NesterovAG):
    """Nesterov's accelerated gradient."""


class AdaDelta(Optimizer, _optimizers.AdaDelta):
    """Steps in units of the steps before."""

    hyperparameters = ("rho", "eps")  # type: ignore[assignment]

    def __init__(self, rho: float = 0.95, eps: float = 1e-6) -> None:
        super().__init__(rho, eps)


class AdaGrad(Optimizer, _optimizers.AdaGrad):
    """Elements that moved much move less."""

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__(lr, eps)


class RMSprop(Optimizer, _optimizers.RMSprop):
    """Divides by a running mean of the gradient's size."""

    @signed
    def __init__(self, lr, alpha, eps):
        super().__init__(lr, alpha, eps)


class Adam(Optimizer, _optimizers.Adam):
    """Adaptive moments; ``alpha`` is the learning rate, and ``weight_decay_rate`` what it is not multiplied by.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.optimizers.Adam(alpha=0.01).alpha
    0.01
    """

    hyperparameters = ("alpha", "beta1", "beta2", "eps", "eta", "weight_decay_rate")

    @signed
    def __init__(self, alpha, beta1, beta2, eps, eta, weight_decay_rate):
        super().__init__(alpha, beta1, beta2, eps)
        self.alpha, self.eta, self.weight_decay_rate = alpha, eta, weight_decay_rate

    @property
    def rate(self) -> float:
        """How far a step goes."""
        return self.alpha * self.eta

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        new = super().update_one(w, g, state)
        return new - self.eta * self.weight_decay_rate * w if self.weight_decay_rate else new


class AdamW(Adam):
    """`Adam` with a decay of the weights."""

    @signed
    def __init__(self, alpha, beta1, beta2, eps, eta, weight_decay_rate):
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate)


__getattr__ = missing(__name__)
