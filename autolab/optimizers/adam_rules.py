"""Adam and its variants: update rules with running averages of the gradient and of its size."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..engine import Array, get_array_module
from .optimizer import Optimizer
from .settings import Check, below_1, from_to, truth
from .state import State
from .update_rules import Rate, averaged, moved, over_root

_CHECKS: dict[str, Check] = {**Optimizer.checks, "beta1": below_1, "beta2": below_1, "eps": from_to(0)}


class Adam(Optimizer):
    """Adam, adaptive moment estimation: bias-corrected running averages of ``g`` and of ``g * g``.

    With ``m = beta1 * m + (1 - beta1) * g`` and ``v = beta2 * v + (1 - beta2) * g * g``, in the ``t``-th update of the
    parameter: ``w - lr * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t)) + eps)``. With PyTorch's ``amsgrad=True``, the
    largest ``v`` so far replaces ``v`` (S. Reddi et al., "On the convergence of Adam and beyond", 2018);
    ``decoupled_weight_decay=True`` makes it `AdamW`.

    D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.Adam(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.9 0.9]])
    """

    hyperparameters: tuple[str, ...] = ("lr", "beta1", "beta2", "eps")
    options: ClassVar[dict[str, Any]] = {"amsgrad": False, "decoupled_weight_decay": False, **Optimizer.options}
    checks: ClassVar[dict[str, Check]] = {**_CHECKS, "amsgrad": truth, "decoupled_weight_decay": truth}
    amsgrad = False

    _eps_is_corrected: ClassVar[bool] = True
    """False in Chainer and DeZero, which add ``eps`` to ``sqrt(v)`` without its bias correction."""

    @property
    def alpha(self) -> Rate:
        """Chainer's name for ``lr``."""
        return self.lr

    @alpha.setter
    def alpha(self, lr: Rate) -> None:
        self.lr = lr

    def __init__(self, lr: Rate = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(lr)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        step = self._direction(g, state)
        if self.decoupled_weight_decay:
            step += self.weight_decay * w
        return moved(w, step, -self.rate)

    def _moments(self, g: Array, state: State) -> tuple[int, Array, Array]:
        """The number of this update, and the running averages of ``g`` and of ``g * g`` with it."""
        t = state["step"] = state.get("step", 0) + 1
        m = state["exp_avg"] = averaged(state.get("exp_avg"), g, self.beta1)
        v = state["exp_avg_sq"] = averaged(state.get("exp_avg_sq"), g * g, self.beta2)
        return t, m, v

    def _direction(self, g: Array, state: State) -> Array:
        """What the parameter moves against, at a learning rate of 1."""
        t, m, v = self._moments(g, state)
        if self.amsgrad:
            v = state["max_exp_avg_sq"] = get_array_module(v).maximum(v, state.get("max_exp_avg_sq", v))
        root = math.sqrt(1 - self.beta2**t)  # sqrt(v / c) + eps = (sqrt(v) + eps * sqrt(c)) / sqrt(c)
        step = over_root(m, v, self.eps * root if self._eps_is_corrected else self.eps)
        step *= root / (1 - self.beta1**t)
        return step


class AdamW(Adam):
    """`Adam` with decoupled weight decay: it also subtracts ``lr * weight_decay * w``, bypassing the averages.

    I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.AdamW(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.899 0.899]])
    """

    hyperparameters = ("lr", "beta1", "beta2", "eps", "weight_decay")
    options: ClassVar[dict[str, Any]] = {**Adam.options, "decoupled_weight_decay": True}
    decoupled_weight_decay = True

    def __init__(
        self, lr: Rate = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01
    ) -> None:
        super().__init__(lr, beta1, beta2, eps)
        self.weight_decay = weight_decay


class Adamax(Adam):
    """Adam with the largest gradient in place of the root of ``v``: ``u = max(beta2 * u, abs(g) + eps)``.

    Then ``w - lr / (1 - beta1**t) * m / u``, in the paper of `Adam`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.Adamax(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.9 0.9]])
    """

    options, checks = Optimizer.options, _CHECKS

    def __init__(self, lr: Rate = 0.002, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(lr, beta1, beta2, eps)

    def _direction(self, g: Array, state: State) -> Array:
        t = state["step"] = state.get("step", 0) + 1
        m = state["exp_avg"] = averaged(state.get("exp_avg"), g, self.beta1)
        xp = get_array_module(g)
        u = state["exp_inf"] = xp.maximum(self.beta2 * state.get("exp_inf", 0), abs(g) + self.eps)
        return m / (u * (1 - self.beta1**t))


class NAdam(Adam):
    """Adam with Nesterov's momentum, which grows to ``beta1`` as ``1 - 0.96**(t * momentum_decay) / 2`` grows to 1.

    T. Dozat, "Incorporating Nesterov momentum into Adam", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.NAdam(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.8943548 0.8943548]])
    """

    hyperparameters = ("lr", "beta1", "beta2", "eps", "momentum_decay")
    options: ClassVar[dict[str, Any]] = {"decoupled_weight_decay": False, **Optimizer.options}
    checks: ClassVar[dict[str, Check]] = {**_CHECKS, "decoupled_weight_decay": truth, "momentum_decay": from_to(0)}

    def __init__(
        self,
        lr: Rate = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        momentum_decay: float = 0.004,
    ) -> None:
        super().__init__(lr, beta1, beta2, eps)
        self.momentum_decay = momentum_decay

    def _direction(self, g: Array, state: State) -> Array:
        t, m, v = self._moments(g, state)
        now, later = [self.beta1 * (1 - 0.5 * 0.96 ** (i * self.momentum_decay)) for i in (t, t + 1)]
        product = state["mu_product"] = state.get("mu_product", 1.0) * now
        ahead = g * ((1 - now) / (1 - product)) + m * (later / (1 - product * later))
        return over_root(ahead, v / (1 - self.beta2**t), self.eps)


class RAdam(Adam):
    """Adam that moves along ``m`` alone while there are too few gradients to know the variance of its step size.

    L. Liu et al., "On the variance of the adaptive learning rate and beyond", 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> layer = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.RAdam(lr=0.1).setup(layer)
    >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
    >>> optimizer.update()
    >>> layer.W
    variable([[0.8 0.8]])
    """

    options = NAdam.options
    checks: ClassVar[dict[str, Check]] = {**_CHECKS, "decoupled_weight_decay": truth}

    def _direction(self, g: Array, state: State) -> Array:
        t, m, v = self._moments(g, state)
        m = m / (1 - self.beta1**t)
        corrected, most = 1 - self.beta2**t, 2 / (1 - self.beta2) - 1
        length = most - 2 * t * self.beta2**t / corrected  # of a simple average that would know as much
        if length <= 5:
            return m
        rectified = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        return over_root(m, v, self.eps) * math.sqrt(corrected * rectified)
