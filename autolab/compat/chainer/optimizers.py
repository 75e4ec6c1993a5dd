"""``chainer.optimizers``"""

from __future__ import annotations

from typing import Any

from ... import optimizers as _optimizers
from ...optimizers.update_rules import PlainSGD
from .. import missing
from .optimizer import Optimizer


class SGD(Optimizer, PlainSGD):
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
    """Nesterov's accelerated gradient: ``w + m * m * v - (1 + m) * lr * g``, with Chainer's new velocity ``v``."""

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        m = self.momentum
        return w + (m * m * self._velocity(g, state) - (1 + m) * self.rate * g)


class AdaDelta(Optimizer, _optimizers.AdaDelta):
    """AdaDelta: step sizes follow from running averages of earlier gradients and steps."""

    hyperparameters = ("rho", "eps")  # type: ignore[assignment]


class AdaGrad(Optimizer, _optimizers.AdaGrad):
    """AdaGrad: divides by the root of the sum of all squared gradients so far."""


class RMSprop(Optimizer, _optimizers.RMSprop):
    """RMSprop: divides by the root of a running mean of squared gradients."""


class Adam(Optimizer, _optimizers.Adam):
    """Adam; ``alpha`` is the learning rate, and ``weight_decay_rate`` is not multiplied by it.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.optimizers.Adam(alpha=0.01).alpha
    0.01
    """

    hyperparameters = ("alpha", "beta1", "beta2", "eps", "eta", "weight_decay_rate")
    eta: Any
    weight_decay_rate: Any
    _eps_is_corrected = False

    def _settle(self, given: dict[str, Any]) -> None:
        for name in ("eta", "weight_decay_rate", "amsgrad"):
            setattr(self, name, given.pop(name))
        super()._settle({"lr": given.pop("alpha"), **given})

    @property
    def rate(self) -> float:
        """The effective step size."""
        return self.alpha * self.eta

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        new = super().update_one(w, g, state)
        return new - self.eta * self.weight_decay_rate * w if self.weight_decay_rate else new


class AdamW(Adam):
    """`Adam` with decoupled weight decay."""


__getattr__ = missing(__name__)
