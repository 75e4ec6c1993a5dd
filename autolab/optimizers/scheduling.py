"""How schedulers set the learning rates of an optimizer: by a factor, in sequence, or on a plateau."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ..engine import check_number


class LRScheduler:
    """Sets the learning rates of an optimizer, at once and at each `step`.

    A subclass defines ``factor(epoch)``, by which the initial learning rates are multiplied. If something else, such as
    another scheduler, has changed a learning rate, it is multiplied by the change of the factor instead.
    """

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch != -1 and "initial_lr" not in group:
                raise KeyError(f"last_epoch is {last_epoch}, but no scheduler has set initial_lr before; expected -1")
            if callable(group["lr"]):
                raise TypeError(f"{type(self).__name__}: the optimizer's lr is a schedule; expected a number to change")
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def factor(self, epoch: int) -> float:
        """The factor by which the initial learning rates are multiplied in this epoch."""
        raise NotImplementedError(f"{type(self).__name__}: write factor(self, epoch), or get_lr(self)")

    def get_lr(self) -> list[float]:
        """The learning rate of each parameter group in this epoch."""
        return [self._next(group["lr"], base) for group, base in self._groups()]

    def _groups(self) -> Iterator[tuple[Any, float]]:
        """Pairs of parameter group and initial learning rate."""
        return zip(self.optimizer.param_groups, self.base_lrs, strict=True)

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        """The learning rate that follows ``lr``; only the part above ``least`` is multiplied."""
        factor = self.factor(self.last_epoch)
        before = self.factor(self.last_epoch - 1) if self.last_epoch else 1.0
        if lr == scaled(base, before, least):
            return scaled(base, factor, least)
        return scaled(lr, factor / before, least) if before else lr + (base - least) * factor

    def get_last_lr(self) -> list[float]:
        """The learning rates that the last `step` set."""
        return list(self._last_lr)

    def step(self) -> None:
        """Advance to the next epoch and set its learning rates."""
        self.last_epoch += 1
        self._last_lr = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer."""
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` returned."""
        vars(self).update(state_dict)


def scaled(lr: float, factor: float, least: float) -> float:
    """``lr`` with the part above ``least`` multiplied by ``factor``."""
    return least + (lr - least) * factor


class SequentialLR:
    """Run schedulers in sequence: at each of the milestones the next one begins, at its own first epoch.

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
        """The current learning rates."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Advance to the next epoch and set its learning rates."""
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
        """Load what `state_dict` returned."""
        self.last_epoch = state_dict["last_epoch"]
        for one, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            one.load_state_dict(state)


class ReduceLROnPlateau:
    """Multiply the learning rates by ``factor`` when a metric, such as the validation loss, stops improving.

    Call ``step(metric)`` once per epoch. After more than ``patience`` epochs without improvement the learning rates are
    reduced, and the next ``cooldown`` epochs are not counted. ``mode`` says whether a smaller metric (``"min"``) or a
    larger one (``"max"``) is better; a relative change of less than ``threshold`` is no improvement.
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
        check_number("ReduceLROnPlateau", "factor", factor, 0, 1)
        self.optimizer, self.sign, self.factor, self.patience = optimizer, 1 if mode == "min" else -1, factor, patience
        self.threshold, self.cooldown, self.min_lr = threshold, cooldown, min_lr
        self.best, self.num_bad_epochs, self.resting = math.inf, 0, 0

    get_last_lr, state_dict = SequentialLR.get_last_lr, LRScheduler.state_dict
    load_state_dict = LRScheduler.load_state_dict

    def step(self, metrics: Any) -> None:
        """Record the metric of this epoch, and reduce the learning rates if it has stopped improving."""
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
