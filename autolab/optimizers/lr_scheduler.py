"""PyTorch's way to change learning rates: an object that is told when an epoch is over.

`schedules` are the other way: a function of the number of updates, which the optimizer asks itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal


class LRScheduler:
    """Sets the learning rates of an optimizer, now and at each `step`.

    A subclass has ``factor(epoch)``: by what the learning rates of the beginning are multiplied. A learning rate that
    something else has changed, such as another scheduler, is multiplied by how much the factor has changed.
    """

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch != -1 and "initial_lr" not in group:
                raise KeyError(f"last_epoch is {last_epoch}, but no scheduler has set initial_lr before; expected -1")
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def factor(self, epoch: int) -> float:
        """By what the learning rates of the beginning are multiplied."""
        raise NotImplementedError(f"{type(self).__name__}: write factor(self, epoch), or get_lr(self)")

    def get_lr(self) -> list[float]:
        """The learning rates of this epoch."""
        return [self._next(group["lr"], base) for group, base in self._groups()]

    def _groups(self) -> Iterator[tuple[Any, float]]:
        """The groups of parameters with their learning rates of the beginning."""
        return zip(self.optimizer.param_groups, self.base_lrs, strict=True)

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        """The learning rate that follows ``lr``; the part of it that is above ``least`` is multiplied."""
        factor = self.factor(self.last_epoch)
        before = self.factor(self.last_epoch - 1) if self.last_epoch else 1.0
        if lr == _scaled(base, before, least):
            return _scaled(base, factor, least)
        return _scaled(lr, factor / before, least) if before else lr + (base - least) * factor

    def get_last_lr(self) -> list[float]:
        """The learning rates that it set."""
        return list(self._last_lr)

    def step(self) -> None:
        """Go on to the next epoch."""
        self.last_epoch += 1
        self._last_lr = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        vars(self).update(state_dict)


def _scaled(lr: float, factor: float, least: float) -> float:
    return least + (lr - least) * factor


class StepLR(LRScheduler):
    """Times ``gamma`` every ``step_size`` epochs.

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
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times ``gamma`` at each of the milestones."""

    def __init__(self, optimizer: Any, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** sum([epoch >= one for one in self.milestones]))


class ExponentialLR(LRScheduler):
    """Times ``gamma`` every epoch."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(self.gamma**epoch)


class LambdaLR(LRScheduler):
    """Times ``lr_lambda(epoch)``; a list has a function for each group of parameters."""

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
    """From ``start_factor`` to ``end_factor`` in ``total_iters`` equal steps."""

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class ConstantLR(LRScheduler):
    """Times ``factor`` in the first ``total_iters`` epochs."""

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.rate, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return self.rate if epoch < self.total_iters else 1.0


class PolynomialLR(LRScheduler):
    """Down to 0 in ``total_iters`` epochs, as a power of what is left."""

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return float(max(1 - epoch / self.total_iters, 0.0) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Along half a cosine from the beginning's to ``eta_min`` in ``T_max`` epochs."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        return super()._next(lr, base, self.eta_min)


class CosineAnnealingWarmRestarts(CosineAnnealingLR):
    """The same again from the beginning, after ``T_0`` epochs, and then after ``T_mult`` times as many as before."""

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_0, self.T_mult = T_0, T_mult
        super().__init__(optimizer, T_0, eta_min, last_epoch)

    def get_lr(self) -> list[float]:
        began, self.T_max = 0, self.T_0
        while self.last_epoch - began >= self.T_max:
            began, self.T_max = began + self.T_max, self.T_max * self.T_mult
        return [_scaled(base, self.factor(self.last_epoch - began), self.eta_min) for base in self.base_lrs]


class SequentialLR:
    """One scheduler after the other: the next begins at each of the milestones, as from its own first epoch.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> from autolab.optimizers.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> parts = [ConstantLR(optimizer, 0.1, 10), ExponentialLR(optimizer, 0.5)]
    >>> scheduler, rates = SequentialLR(optimizer, parts, milestones=[2]), []
    >>> for _ in range(4):
    ...     rates.append(optimizer.lr)
    ...     scheduler.step()
    >>> rates
    [0.1, 0.1, 1.0, 0.5]
    """

    def __init__(self, optimizer: Any, schedulers: Sequence[Any], milestones: Sequence[int]) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: got {len(milestones)} milestones; expected {len(schedulers) - 1}, one between each two"
            )
        self.optimizer, self.schedulers, self.milestones = optimizer, list(schedulers), list(milestones)
        self.last_epoch = -1
        self.step()

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Go on to the next epoch."""
        self.last_epoch += 1
        current = self.schedulers[sum([self.last_epoch >= one for one in self.milestones])]
        if self.last_epoch in (0, *self.milestones):
            current.last_epoch = -1
            for group, base in current._groups():
                group["lr"] = base
        current.step()

    def state_dict(self) -> dict[str, Any]:
        """The epoch, and the states of the schedulers."""
        return {"last_epoch": self.last_epoch, "schedulers": [one.state_dict() for one in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.last_epoch = state_dict["last_epoch"]
        for one, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            one.load_state_dict(state)


class OneCycleLR(LRScheduler):
    """Up to ``max_lr`` and down to almost nothing, along cosines, in ``total_steps`` updates (L. Smith, 2018).

    ``step`` is called after each update. Meanwhile a momentum, or Adam's ``beta1``, goes down and up again.
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
        super().__init__(optimizer)

    def _between(self, start: float, top: float, end: float) -> float:
        t = self.last_epoch
        low, high, share = (start, top, t / self.turn) if t <= self.turn else (top, end, (t - self.turn) / self._rest)
        return high + (low - high) * (1 + math.cos(math.pi * share)) / 2

    @property
    def _rest(self) -> float:
        return self.total_steps - 1 - self.turn

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


class ReduceLROnPlateau:
    """Times ``factor`` where a number, such as the loss of the held-out examples, has stopped to improve.

    ``step(number)`` is called once an epoch; after more than ``patience`` epochs without a better one, the learning
    rates fall, and the next ``cooldown`` epochs are not counted. ``mode`` is ``"min"`` or ``"max"``.
    """

    def __init__(
        self,
        optimizer: Any,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        *,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau: mode is {mode!r:.60}; expected 'min' or 'max'")
        self.optimizer, self.sign, self.factor, self.patience = optimizer, 1 if mode == "min" else -1, factor, patience
        self.threshold, self.cooldown, self.min_lr = threshold, cooldown, min_lr
        self.best, self.num_bad_epochs, self.resting = math.inf, 0, 0

    get_last_lr, state_dict = SequentialLR.get_last_lr, LRScheduler.state_dict
    load_state_dict = LRScheduler.load_state_dict

    def step(self, metrics: Any) -> None:
        """Note the number of this epoch."""
        number = self.sign * float(metrics)
        if number < self.best * (1 - self.sign * self.threshold):
            self.best, self.num_bad_epochs = number, 0
        else:
            self.num_bad_epochs += 1
        if self.resting:
            self.resting, self.num_bad_epochs = self.resting - 1, 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                group["lr"] = max(group["lr"] * self.factor, self.min_lr)
            self.resting, self.num_bad_epochs = self.cooldown, 0
