"""``chainer.optimizers``"""

from __future__ import annotations

from typing import Any

from ... import optimizers as _optimizers
from .. import missing
from ._rules import SMORMS3, CorrectedMomentumSGD, RMSpropGraves
from .optimizer import Optimizer

__all__ = [
    "SGD",
    "SMORMS3",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "CorrectedMomentumSGD",
    "MomentumSGD",
    "NesterovAG",
    "RMSprop",
    "RMSpropGraves",
]


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

    def __init__(self, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-8, eps_inside_sqrt: bool = False) -> None:
        if eps_inside_sqrt:
            raise NotImplementedError("RMSprop: eps_inside_sqrt=True is not part of AutoLab's chainer facade")
        super().__init__(lr, alpha, eps)


class AdamW(Optimizer, _optimizers.AdamW):
    """`Adam`, with a decay of the weights that is no part of the gradient."""

    hyperparameters = ("alpha", "beta1", "beta2", "eps", "eta", "weight_decay_rate")  # type: ignore[assignment]

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0.01,
        amsgrad: bool = False,
        adabound: bool = False,
    ) -> None:
        if amsgrad or adabound:
            raise NotImplementedError(
                f"{type(self).__name__}: amsgrad=True and adabound=True are not part of AutoLab's chainer facade"
            )
        self.alpha, self.eta, self.weight_decay_rate = alpha, eta, weight_decay_rate
        super().__init__(alpha, beta1, beta2, eps, weight_decay_rate)

    @property
    def rate(self) -> float:
        """How far a step goes."""
        return self.alpha * self.eta

    @property
    def weight_decay(self) -> float:
        """What AutoLab multiplies by the learning rate, and Chainer does not."""
        return self.weight_decay_rate / self.alpha if self.alpha else 0.0

    @weight_decay.setter
    def weight_decay(self, value: float) -> None:
        """It follows from ``weight_decay_rate``."""


class Adam(AdamW):
    """Adaptive moments; ``alpha`` is the learning rate.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.optimizers.Adam(alpha=0.01).alpha
    0.01
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        amsgrad: bool = False,
        adabound: bool = False,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate, amsgrad, adabound)

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        kind = _optimizers.AdamW if self.weight_decay_rate else _optimizers.Adam
        return kind.update_one(self, w, g, state)


__getattr__ = missing(__name__)
