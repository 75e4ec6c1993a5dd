"""``chainer.optimizers``"""

from __future__ import annotations

from typing import Any

from ... import optimizers as _optimizers
from ...engine.backend import get_array_module
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


# ---------------------------------------------------------------------- rules that AutoLab has no optimizer for
class CorrectedMomentumSGD(Optimizer):
    """Momentum that does not know the learning rate: ``v = momentum * v - g``, then ``w + lr * v``."""

    hyperparameters = ("lr", "momentum")

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__(lr)
        self.momentum = momentum

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        state["v"] = self.momentum * state.get("v", 0.0) - g
        return w + self.rate * state["v"]


class RMSpropGraves(Optimizer):
    """Momentum, with steps divided by the deviation of the gradient.

    A. Graves, "Generating sequences with recurrent neural networks", 2013.
    """

    hyperparameters = ("lr", "alpha", "momentum", "eps")

    def __init__(self, lr: float = 1e-4, alpha: float = 0.95, momentum: float = 0.9, eps: float = 1e-4) -> None:
        super().__init__(lr)
        self.alpha, self.momentum, self.eps = alpha, momentum, eps

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        keep = self.alpha
        n = state["n"] = keep * state.get("n", 0.0) + (1 - keep) * g * g
        mean = state["g"] = keep * state.get("g", 0.0) + (1 - keep) * g
        root = get_array_module(w).sqrt(n - mean * mean + self.eps)
        state["delta"] = self.momentum * state.get("delta", 0.0) - self.rate * g / root
        return w + state["delta"]


class SMORMS3(Optimizer):
    """Steps that get smaller where the gradient is noisy: ``min(lr, mean**2 / mean of squares)``, by S. Funk."""

    hyperparameters = ("lr", "eps")

    def __init__(self, lr: float = 0.001, eps: float = 1e-16) -> None:
        super().__init__(lr)
        self.eps = eps

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        xp = get_array_module(w)
        memory = state.get("mem", xp.ones_like(w))
        share = 1 / (memory + 1)
        mean = state["g"] = (1 - share) * state.get("g", 0.0) + share * g
        squares = state["g2"] = (1 - share) * state.get("g2", 0.0) + share * g * g
        signal = mean * mean / (squares + self.eps)
        state["mem"] = 1 + memory * (1 - signal)
        return w - g * xp.minimum(self.rate, signal) / (xp.sqrt(squares) + self.eps)
