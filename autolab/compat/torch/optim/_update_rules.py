"""PyTorch's optimizers, by AutoLab's update rules."""

from __future__ import annotations

from typing import Any

from .... import optimizers as _optimizers
from ....engine.errors import check_number
from ...table import signed, with_defaults
from .optimizer import Optimizer


def _unsupported(name: str, options: dict[str, Any]) -> None:
    """Settings that only make PyTorch faster are taken; those that change numbers are not there."""
    for option, value in options.items():
        if option in ("foreach", "fused"):
            continue
        if option not in _ABSENT:
            raise TypeError(f"{name}: got a keyword {option!r:.60}, which it does not have")
        if value:
            raise NotImplementedError(f"{name}: {option}={value!r:.40} is not part of AutoLab's torch facade")


_ABSENT = ("amsgrad", "capturable", "centered", "differentiable", "initial_accumulator_value", "lr_decay")


class _Momentum(_optimizers.SGD):
    """PyTorch's momentum: the running sum is of gradients, and the learning rate stands outside it."""

    def __init__(self, lr: float, momentum: float, dampening: float, nesterov: bool) -> None:
        super().__init__(lr)
        self.momentum, self.dampening, self.nesterov = momentum, dampening, nesterov

    def update_one(self, w: Any, g: Any, state: Any) -> Any:
        before = state.get("momentum_buffer")
        v = state["momentum_buffer"] = g.copy() if before is None else self.momentum * before + (1 - self.dampening) * g
        return super().update_one(w, g + self.momentum * v if self.nesterov else v, state)


class SGD(Optimizer):
    """Stochastic gradient descent, with or without momentum.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.8000], requires_grad=True)
    """

    @signed
    def __init__(self, params, lr, momentum, dampening, weight_decay, nesterov, *, maximize, **options):
        _unsupported("SGD", options)
        check_number("SGD", "momentum", momentum, 0)
        if nesterov and (momentum <= 0 or dampening):
            raise ValueError("SGD: nesterov=True needs a momentum above 0 and a dampening of 0")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "nesterov": nesterov, "maximize": maximize})

    def rule(self, group: dict[str, Any]) -> Any:
        """AutoLab's SGD, on the momentum's running sum."""
        if not group["momentum"]:
            return _optimizers.SGD(lr=group["lr"])
        return _Momentum(group["lr"], group["momentum"], group["dampening"], group["nesterov"])


class Adam(Optimizer):
    """Adaptive moments.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    decoupled = False

    @signed
    def __init__(self, params, lr, betas, eps, weight_decay, *, maximize, **options):
        _unsupported(type(self).__name__, options)
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**settings, "decoupled": self.decoupled})

    def rule(self, group: dict[str, Any]) -> Any:
        """AutoLab's Adam or AdamW."""
        beta1, beta2 = group["betas"]
        if group["decoupled"]:
            return _optimizers.AdamW(
                lr=group["lr"], beta1=beta1, beta2=beta2, eps=group["eps"], weight_decay=group["weight_decay"]
            )
        return _optimizers.Adam(lr=group["lr"], beta1=beta1, beta2=beta2, eps=group["eps"])


class AdamW(Adam):
    """`Adam` with a decay of the weights that is no part of the gradient."""

    decoupled = True
    __init__ = with_defaults(Adam.__init__, weight_decay=1e-2)


class RMSprop(Optimizer):
    """Divides by a running mean of the gradient's size."""

    @signed
    def __init__(self, params, lr, alpha, eps, weight_decay, **options):
        _unsupported("RMSprop", options)
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay})

    def rule(self, group: dict[str, Any]) -> Any:
        """AutoLab's RMSprop."""
        return _optimizers.RMSprop(lr=group["lr"], alpha=group["alpha"], eps=group["eps"])


class Adagrad(Optimizer):
    """Elements that moved much move less."""

    @signed
    def __init__(self, params, lr, weight_decay, eps, **options):
        _unsupported("Adagrad", options)
        super().__init__(params, {"lr": lr, "eps": eps, "weight_decay": weight_decay})

    def rule(self, group: dict[str, Any]) -> Any:
        """AutoLab's AdaGrad."""
        return _optimizers.AdaGrad(group["lr"], group["eps"])


class Adadelta(Optimizer):
    """Steps in units of the steps before."""

    @signed
    def __init__(self, params, lr, rho, eps, weight_decay, **options):
        _unsupported("Adadelta", options)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    def rule(self, group: dict[str, Any]) -> Any:
        """AutoLab's AdaDelta."""
        return _optimizers.AdaDelta(group["rho"], group["eps"], group["lr"])
