"""The update rules. In all of them ``w`` is a parameter, ``g`` its gradient and ``lr`` the learning rate.

The state of a parameter has PyTorch's names; its arrays have the parameter's dtype. Intermediate results are
computed in place, in an array that the rule itself has created.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..engine import Array, get_array_module
from ..engine.arrays import scalar
from .optimizer import Optimizer
from .settings import Check, from_to, truth
from .state import State

Rate = float | Callable[[int], float]


class PlainSGD(Optimizer):
    """Stochastic gradient descent without momentum, as in Chainer and DeZero."""

    def __init__(self, lr: Rate = 0.01) -> None:
        super().__init__(lr)

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        return moved(w, g, -self.rate)


class SGD(PlainSGD):
    """Stochastic gradient descent: ``w - lr * g``; with momentum as in PyTorch.

    With ``momentum``, ``v = momentum * v + (1 - dampening) * g``, in the first update ``v = g``, then ``w - lr * v``,
    or with ``nesterov`` ``w - lr * (g + momentum * v)``. A new learning rate applies to past gradients, too; in
    `MomentumSGD` these keep the rate of their own update.

    Parameters
    ----------
    lr : float or callable
        Learning rate; see `Optimizer`.
    momentum : float
        Momentum coefficient: the fraction of ``v`` that is kept.
    dampening : float
        How much less than 1 the gradient counts in ``v``.
    nesterov : bool
        Look ahead by the momentum; it needs one above 0, and a dampening of 0.

    Examples
    --------
    >>> from autolab import optimizers
    >>> optimizers.SGD(lr=0.1, momentum=0.9)
    SGD(lr=0.1, momentum=0.9, t=0)
    """

    options: ClassVar[dict[str, Any]] = {"momentum": 0.0, "dampening": 0.0, "nesterov": False, **Optimizer.options}
    checks: ClassVar[dict[str, Check]] = {
        **Optimizer.checks,
        "momentum": from_to(0),
        "dampening": from_to(-math.inf),
        "nesterov": truth,
    }
    momentum, dampening, nesterov = 0.0, 0.0, False

    def __init__(self, lr: Rate = 0.01, momentum: float = 0.0, dampening: float = 0.0, nesterov: bool = False) -> None:
        super().__init__(lr)
        self.momentum, self.dampening, self.nesterov = momentum, dampening, nesterov

    def _checked(self, name: str, value: Any) -> Any:
        value = super()._checked(name, value)
        new = {"momentum": self.momentum, "dampening": self.dampening, "nesterov": self.nesterov, name: value}
        if new["nesterov"] and (new["momentum"] <= 0 or new["dampening"]):
            raise ValueError("SGD: nesterov=True needs a momentum above 0 and a dampening of 0")
        return value

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        if self.momentum:
            before = state.get("momentum_buffer")
            v = g.copy() if before is None else self.momentum * before + (1 - self.dampening) * g
            state["momentum_buffer"] = v
            g = g + self.momentum * v if self.nesterov else v
        return moved(w, g, -self.rate)


class MomentumSGD(Optimizer):
    """Gradient descent with momentum: ``v = momentum * v - lr * g``, then ``w + v``.

    While ``lr`` stays the same, this equals PyTorch's ``v = momentum * v + g``, then ``w - lr * v``. When it changes,
    PyTorch's steps change at once, and these gradually, as past gradients keep the rate of their own update.

    Parameters
    ----------
    lr : float or callable
        Learning rate; see `Optimizer`.
    momentum : float
        Momentum coefficient, from 0 to 1: the fraction of the last step that is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.MomentumSGD(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.8 0.8]])
    """

    hyperparameters = ("lr", "momentum")
    checks: ClassVar[dict[str, Check]] = {**Optimizer.checks, "momentum": from_to(0, 1)}
    fixed: ClassVar[dict[str, Any]] = {**Optimizer.fixed, "dampening": 0.0, "nesterov": False}

    def __init__(self, lr: Rate = 0.01, momentum: float = 0.9) -> None:
        super().__init__(lr)
        self.momentum = momentum

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        return w + self._velocity(g, state)

    def _velocity(self, g: Array, state: State) -> Array:
        step = g * -self.rate
        if "v" in state:
            step += self.momentum * state["v"]
        state["v"] = step
        return step


class NesterovAG(MomentumSGD):
    """Nesterov's accelerated gradient: ``v`` as in `MomentumSGD`, then ``w + momentum * v - lr * g``.

    ``w`` holds the look-ahead point, to which the momentum alone would lead and at which the gradient is computed
    (Y. Bengio et al., "Advances in optimizing recurrent networks", 2013).

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.NesterovAG(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.62 0.62]])
    """

    fixed: ClassVar[dict[str, Any]] = {**MomentumSGD.fixed, "nesterov": True}

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        new = self.momentum * self._velocity(g, state)
        new -= self.rate * g
        new += w
        return new


class AdaGrad(Optimizer):
    """AdaGrad: ``h = h + g * g``, then ``w - lr * g / (sqrt(h) + eps)``.

    Elements with large gradients so far take smaller steps. PyTorch's ``lr_decay`` divides the rate of update ``t`` by
    ``1 + (t - 1) * lr_decay``, and ``h`` begins with its ``initial_accumulator_value``.

    J. Duchi et al., "Adaptive subgradient methods", 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.AdaGrad(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.9 0.9]])
    """

    hyperparameters = ("lr", "eps")
    options: ClassVar[dict[str, Any]] = {"lr_decay": 0.0, "initial_accumulator_value": 0.0, **Optimizer.options}
    checks: ClassVar[dict[str, Check]] = {
        **Optimizer.checks,
        **dict.fromkeys(("eps", "lr_decay", "initial_accumulator_value"), from_to(0)),
    }
    lr_decay = initial_accumulator_value = 0.0

    def __init__(self, lr: Rate = 0.01, eps: float = 1e-8) -> None:
        super().__init__(lr)
        self.eps = eps

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        before, rate = state.get("step", 0), self.rate
        h = g * g
        h += state.get("sum", self.initial_accumulator_value)
        state["step"], state["sum"] = before + 1, h
        if self.lr_decay:
            rate /= 1 + before * self.lr_decay
        return moved(w, over_root(g, h, self.eps), -rate)


class Adagrad(AdaGrad):
    """`AdaGrad` with PyTorch's settings in PyTorch's order, and its defaults.

    Examples
    --------
    >>> from autolab import optimizers
    >>> optimizers.Adagrad(0.1, lr_decay=0.5)
    Adagrad(lr=0.1, eps=1e-10, lr_decay=0.5, t=0)
    """

    def __init__(
        self,
        lr: Rate = 0.01,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        super().__init__(lr, eps)
        self.lr_decay, self.weight_decay = lr_decay, weight_decay
        self.initial_accumulator_value = initial_accumulator_value


class AdaDelta(Optimizer):
    """AdaDelta: scales each step by the size of previous steps, so that no learning rate needs tuning.

    With running averages, of decay rate ``rho``, ``h`` of ``g * g`` and ``d`` of the squared steps:
    ``step = sqrt((d + eps) / (h + eps)) * g``, then ``w - lr * step``.

    M. Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.AdaDelta(eps=1e-4).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.95528984 0.95528984]])
    """

    hyperparameters = ("rho", "eps", "lr")
    checks: ClassVar[dict[str, Check]] = {**Optimizer.checks, "rho": from_to(0, 1), "eps": from_to(0)}

    def __init__(self, rho: float = 0.95, eps: float = 1e-6, lr: Rate = 1.0) -> None:
        super().__init__(lr)
        self.rho, self.eps = rho, eps

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        state["step"] = state.get("step", 0) + 1
        h = state["square_avg"] = averaged(state.get("square_avg"), g * g, self.rho)
        d = state.get("acc_delta")
        step = over_root(g, (h + self.eps) / ((0 if d is None else d) + self.eps), 0)
        state["acc_delta"] = averaged(d, step * step, self.rho)
        return moved(w, step, -self.rate)


class Adadelta(AdaDelta):
    """`AdaDelta` with PyTorch's settings in PyTorch's order, and its defaults.

    Examples
    --------
    >>> from autolab import optimizers
    >>> optimizers.Adadelta(0.5)
    Adadelta(rho=0.9, eps=1e-06, lr=0.5, t=0)
    """

    def __init__(self, lr: Rate = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0) -> None:
        super().__init__(rho, eps, lr)
        self.weight_decay = weight_decay


class RMSprop(Optimizer):
    """RMSprop: ``h = alpha * h + (1 - alpha) * g * g``, then ``w - lr * g / (sqrt(h) + eps)``.

    PyTorch's ``momentum`` and ``centered=True``, with the variance of ``g`` in place of ``h``, are taken as well.

    T. Tieleman, G. Hinton, Lecture 6.5 of "Neural networks for machine learning", 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.RMSprop(lr=0.01).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.90000004 0.90000004]])
    """

    hyperparameters = ("lr", "alpha", "eps")
    options: ClassVar[dict[str, Any]] = {"momentum": 0.0, "centered": False, **Optimizer.options}
    checks: ClassVar[dict[str, Check]] = {
        **Optimizer.checks,
        "alpha": from_to(0, 1),
        "eps": from_to(0),
        "momentum": from_to(0),
        "centered": truth,
    }
    momentum, centered = 0.0, False

    def __init__(self, lr: Rate = 0.01, alpha: float = 0.99, eps: float = 1e-8) -> None:
        super().__init__(lr)
        self.alpha, self.eps = alpha, eps

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        state["step"] = state.get("step", 0) + 1
        h = state["square_avg"] = averaged(state.get("square_avg"), g * g, self.alpha)
        if self.centered:
            mean = state["grad_avg"] = averaged(state.get("grad_avg"), g, self.alpha)
            h = h - mean * mean
        step = over_root(g, h, self.eps)
        if self.momentum:
            if "momentum_buffer" in state:
                step += self.momentum * state["momentum_buffer"]
            state["momentum_buffer"] = step
        return moved(w, step, -self.rate)


class ASGD(Optimizer):
    """Gradient descent with a falling learning rate, whose average parameters, ``ax`` in the state, come nearer.

    ``w - eta * (g + lambd * w)``, where ``eta`` begins with ``lr`` and becomes ``lr / (1 + lambd * lr * t)**alpha``
    after update ``t``. From update ``t0`` on, ``ax`` is the mean of the parameters.

    B. Polyak, A. Juditsky, "Acceleration of stochastic approximation by averaging", 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.ASGD(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.79999 0.79999]])
    """

    hyperparameters = ("lr", "lambd", "alpha", "t0")
    checks: ClassVar[dict[str, Check]] = {**Optimizer.checks, **dict.fromkeys(("lambd", "alpha", "t0"), from_to(0))}

    def __init__(self, lr: Rate = 0.01, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6) -> None:
        super().__init__(lr)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        t = state["step"] = state.get("step", 0) + 1
        eta, share, before = state.get("eta", self.rate), state.get("mu", 1.0), state.get("ax")
        new = moved(w, g + self.lambd * w, -eta)
        state["eta"] = self.rate / (1 + self.lambd * self.rate * t) ** self.alpha
        state["mu"] = 1 / max(1, t - self.t0)
        state["ax"] = new if share == 1 else before + (new - before) * share
        return new


def moved(w: Array, direction: Array, distance: float) -> Array:
    """``w + distance * direction``."""
    if type(distance) is float and type(direction) is np.ndarray:
        distance = scalar(distance, direction.dtype)  # NumPy multiplies faster by an array than by a Python float
    new = direction * distance
    new += w
    return new


def averaged(before: Array | None, now: Array, keep: float) -> Array:
    """The running average ``keep * before + (1 - keep) * now``; ``before`` is None, for 0, in the first update."""
    new = now * (1 - keep)
    if before is not None:
        new += keep * before
    return new


def over_root(g: Array, h: Array, eps: float) -> Any:
    """``g / (sqrt(h) + eps)``."""
    root = get_array_module(h).sqrt(h)
    root += eps
    return g / root
