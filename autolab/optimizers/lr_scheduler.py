"""PyTorch's learning-rate schedulers: objects whose ``step`` is called at the end of each epoch.

The alternative is `schedules`: functions of the number of updates, which the optimizer itself calls. The curves are
defined here; `scheduling` applies them to an optimizer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..engine.errors import check_number as _check_number
from .scheduling import LRScheduler
from .scheduling import ReduceLROnPlateau as ReduceLROnPlateau
from .scheduling import SequentialLR as SequentialLR
from .scheduling import scaled as _scaled


class StepLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every ``step_size`` epochs.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> scheduler.step()
    >>> scheduler.step()
    >>> optimizer.lr
    0.5
    """

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        _check_number("StepLR", "step_size", step_size, 1)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` at each of the milestones, which are epochs.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4])
    >>> for epoch in range(3):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.1
    """

    def __init__(self, optimizer: Any, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** sum([epoch >= one for one in self.milestones]))


class ExponentialLR(LRScheduler):
    """Multiply the learning rate by ``gamma`` every epoch.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for epoch in range(3):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.125
    """

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma**epoch)


class LambdaLR(LRScheduler):
    """The initial learning rate times ``lr_lambda(epoch)``; a list has one function per parameter group.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> for epoch in range(3):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.25
    """

    def __init__(
        self,
        optimizer: Any,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        each = lr_lambda if isinstance(lr_lambda, list | tuple) else [lr_lambda] * len(optimizer.param_groups)
        self.lr_lambdas = list(each)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * one(self.last_epoch) for base, one in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class LinearLR(LRScheduler):
    """The initial learning rate times a factor from ``start_factor`` to ``end_factor``, linear in ``total_iters``
    epochs.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=4)
    >>> for epoch in range(2):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.75
    """

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        _check_number("LinearLR", "total_iters", total_iters, 1)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class ConstantLR(LRScheduler):
    """The initial learning rate times ``factor`` for the first ``total_iters`` epochs, then unchanged.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for epoch in range(1):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.5
    """

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.rate, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return self.rate if epoch < self.total_iters else 1.0


class PolynomialLR(LRScheduler):
    """Polynomial decay to 0 in ``total_iters`` epochs: the initial rate times ``(1 - epoch / total_iters)**power``.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> for epoch in range(2):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.25
    """

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        _check_number("PolynomialLR", "total_iters", total_iters, 1)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(max(1 - epoch / self.total_iters, 0.0) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Anneal from the initial learning rate to ``eta_min`` along half a cosine, in ``T_max`` epochs.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for epoch in range(2):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    0.5
    """

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        _check_number(type(self).__name__, "T_max", T_max, 1)
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        return super()._next(lr, base, self.eta_min)


class CosineAnnealingWarmRestarts(CosineAnnealingLR):
    """Cosine annealing that restarts after ``T_0`` epochs; each period is ``T_mult`` times as long as the last.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=4)
    >>> for epoch in range(4):
    ...     scheduler.step()
    >>> round(optimizer.lr, 6)
    1.0
    """

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            _check_number("CosineAnnealingWarmRestarts", name, value, 1)
        self.T_0, self.T_mult = T_0, T_mult
        super().__init__(optimizer, T_0, eta_min, last_epoch)

    def get_lr(self) -> list[float]:
        began, self.T_max = 0, self.T_0
        while self.last_epoch - began >= self.T_max:
            began, self.T_max = began + self.T_max, self.T_max * self.T_mult
        return [_scaled(base, self.factor(self.last_epoch - began), self.eta_min) for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """The one-cycle policy: up to ``max_lr`` and down to almost 0, along cosines, in ``total_steps`` updates.

    Call ``step`` after each update, not each epoch. Momentum, or Adam's ``beta1``, falls while the learning rate rises,
    and then rises again (L. Smith, 2018).

    Parameters
    ----------
    optimizer : Optimizer
    max_lr : float
        The largest learning rate.
    total_steps, epochs, steps_per_epoch : int
        The number of updates, or two factors of it.
    pct_start : float
        The share of the updates in which the learning rate goes up.
    cycle_momentum : bool
        Whether the momentum changes too.
    base_momentum, max_momentum : float
        Its smallest and its largest value.
    div_factor, final_div_factor : float
        What ``max_lr`` is divided by for the first learning rate, and that one for the last.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.Adam(L.Linear(3, 2))
    >>> scheduler = optimizers.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> rates = [optimizer.lr]
    >>> for update in range(9):
    ...     scheduler.step()
    ...     rates.append(optimizer.lr)
    >>> [round(rate, 2) for rate in rates]
    [0.04, 0.52, 1.0, 0.95, 0.81, 0.61, 0.39, 0.19, 0.05, 0.0]
    """

    def __init__(
        self,
        optimizer: Any,
        max_lr: float,
        total_steps: int | None = None,
        epochs: int = 1,
        steps_per_epoch: int = 1,
        pct_start: float = 0.3,
        *,
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None:
        self.total_steps = total_steps or epochs * steps_per_epoch
        self.rates = max_lr / div_factor, max_lr, max_lr / div_factor / final_div_factor
        self.momenta = (max_momentum, base_momentum, max_momentum) if cycle_momentum else None
        self.turn = pct_start * self.total_steps - 1
        self.rest = self.total_steps - 1 - self.turn
        super().__init__(optimizer)

    def _between(self, start: float, top: float, end: float) -> float:
        t = self.last_epoch
        low, high, share = (
            (start, top, t / self.turn) if t < self.turn or not self.rest else (top, end, (t - self.turn) / self.rest)
        )
        return high + (low - high) * (1 + math.cos(math.pi * share)) / 2

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(f"OneCycleLR.step: there were {self.total_steps} steps; expected no more, see total_steps")
        momenta = self.momenta
        for group in self.optimizer.param_groups if momenta is not None else ():
            found = self._between(*momenta)  # type: ignore[misc]
            group.update(dict.fromkeys({"momentum", "beta1"} & group.keys(), found))
            if "betas" in group:
                group["betas"] = found, *group["betas"][1:]
        return [self._between(*self.rates) for _ in self.optimizer.param_groups]
