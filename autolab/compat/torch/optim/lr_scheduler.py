"""``torch.optim.lr_scheduler``: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...table import signed


class LRScheduler:
    """Sets the learning rates of an optimizer, now and at each `step`.

    A subclass has ``factor(epoch)``: by what the learning rates of the beginning are multiplied.
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
        return [base * self.factor(self.last_epoch) for base in self.base_lrs]

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Go on to the next epoch."""
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        vars(self).update(state_dict)


class StepLR(LRScheduler):
    """Times ``gamma`` every ``step_size`` epochs.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> scheduler.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
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

    @signed
    def __init__(self, optimizer, lr_lambda, last_epoch):
        each = lr_lambda if isinstance(lr_lambda, list | tuple) else [lr_lambda] * len(optimizer.param_groups)
        self.lr_lambdas = list(each)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * one(self.last_epoch) for base, one in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class LinearLR(LRScheduler):
    """From ``start_factor`` to ``end_factor`` in ``total_iters`` equal steps."""

    @signed
    def __init__(self, optimizer, start_factor, end_factor, total_iters, last_epoch):
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class CosineAnnealingLR(LRScheduler):
    """Along half a cosine from the beginning's to ``eta_min`` in ``T_max`` epochs."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]
