"""How schedulers set the learning rates of an optimizer: by a factor, in sequence, or on a plateau."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

from ..engine import a_kind, check_number
from .param_groups import OF_SCHEDULES
from .settings import Check, Settings, below_1, from_to, no_setting, one_of

_HELD = ("lr", "momentum", "betas", *OF_SCHEDULES)


class LRScheduler(Settings):
    """Sets the learning rates of an optimizer, at once and at each `step`.

    A subclass defines ``share(epoch)``, by which the initial learning rates are multiplied. If something else, such as
    another scheduler, has changed a learning rate, it is multiplied by the change of the share instead.

    Settings can be assigned between two steps. The state has what the parameter groups hold, too: loaded before the
    optimizer or after it, a schedule goes on exactly.
    """

    _last_lr: list[float]
    _resumes_as_it_is: ClassVar[bool] = False
    """Whether, as in PyTorch, one that is constructed with a ``last_epoch`` leaves the learning rates as they are."""

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
        if last_epoch != -1 and self._resumes_as_it_is:
            self.last_epoch += 1
            self._last_lr = [group["lr"] for group in optimizer.param_groups]
        else:
            self.step()

    def __setattr__(self, name: str, value: Any) -> None:
        is_known = "_last_lr" not in vars(self) or name in vars(self) or hasattr(type(self), name)
        if not is_known and type(self).__module__.startswith(__package__):
            raise AttributeError(no_setting(type(self).__name__, name, tuple([n for n in vars(self) if n[0] != "_"])))
        super().__setattr__(name, value)

    def share(self, epoch: int) -> float:
        """The factor by which the initial learning rates are multiplied in this epoch."""
        raise NotImplementedError(f"{type(self).__name__}: write share(self, epoch), or get_lr(self)")

    def get_lr(self) -> list[float]:
        """The learning rate of each parameter group in this epoch."""
        return [self._next(group["lr"], base) for group, base in self._groups()]

    def _groups(self) -> Iterator[tuple[Any, float]]:
        """Pairs of parameter group and initial learning rate."""
        return zip(self.optimizer.param_groups, self.base_lrs, strict=True)

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        """The learning rate that follows ``lr``; only the part above ``least`` is multiplied."""
        share = self.share(self.last_epoch)
        before = self.share(self.last_epoch - 1) if self.last_epoch else 1.0
        if lr == scaled(base, before, least):
            return scaled(base, share, least)
        return scaled(lr, share / before, least) if before else lr + (base - least) * share

    def get_last_lr(self) -> list[float]:
        """The learning rates that the last `step` set."""
        return list(self._last_lr)

    def step(self) -> None:
        """Advance to the next epoch and set its learning rates."""
        self.last_epoch += 1
        rates = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = rates

    def _restart(self) -> None:
        """Go back to the first epoch, and to the initial learning rates."""
        self.last_epoch = -1
        for group, base in self._groups():
            group["lr"] = base
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer, and, as ``groups``, what its parameter groups hold."""
        held = [{key: group[key] for key in _HELD if key in group} for group in self.optimizer.param_groups]
        return {**{key: value for key, value in vars(self).items() if key != "optimizer"}, "groups": held}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` returned."""
        for group, held in zip(self.optimizer.param_groups, state_dict["groups"], strict=True):
            for key, value in held.items():
                group[key] = value
        vars(self).update({key: value for key, value in state_dict.items() if key != "groups"})


def scaled(lr: float, factor: float, least: float) -> float:
    """``lr`` with the part above ``least`` multiplied by ``factor``."""
    return least + (lr - least) * factor


class _Schedulers(LRScheduler):
    """Several schedulers of one optimizer."""

    def _take(self, optimizer: Any, schedulers: Sequence[Any]) -> None:
        for one in schedulers:
            if not isinstance(one, LRScheduler) or one.optimizer is not optimizer:
                who = type(self).__name__
                raise ValueError(f"{who}: got {a_kind(one)}; expected schedulers of the same optimizer, by epochs")
        self.optimizer, self.schedulers = optimizer, list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """As of other schedulers, with the states of the schedulers in it."""
        return {**super().state_dict(), "schedulers": [one.state_dict() for one in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` returned."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "schedulers"})
        for one, state in zip(self.schedulers, state_dict["schedulers"], strict=True):
            one.load_state_dict(state)


class ChainedScheduler(_Schedulers):
    """Several schedulers at once: each step is one of all of them, in order.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> from autolab.optimizers.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler, rates = ChainedScheduler([ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.5)]), []
    >>> for _ in range(4):
    ...     rates.append(optimizer.lr)
    ...     scheduler.step()
    >>> rates
    [0.5, 0.25, 0.25, 0.125]
    """

    def __init__(self, schedulers: Sequence[Any], optimizer: Any = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler: got no schedulers; expected at least one")
        self._take(schedulers[0].optimizer if optimizer is None else optimizer, schedulers)
        self.last_epoch, self._last_lr = 0, [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Advance all of them to their next epoch."""
        for one in self.schedulers:
            one.step()
        self.last_epoch, self._last_lr = self.last_epoch + 1, [group["lr"] for group in self.optimizer.param_groups]


class SequentialLR(_Schedulers):
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

    def __init__(
        self, optimizer: Any, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: got {len(milestones)} milestones; expected {len(schedulers) - 1}, one between each two"
            )
        self._take(optimizer, schedulers)
        self.milestones, self.last_epoch = list(milestones), last_epoch
        self.step()

    def step(self) -> None:
        """Advance to the next epoch and set its learning rates."""
        self.last_epoch += 1
        current = self.schedulers[sum([self.last_epoch >= one for one in self.milestones])]
        if self.last_epoch in (0, *self.milestones):
            current._restart()
        else:
            current.step()
        self._last_lr = current.get_last_lr()

    def _restart(self) -> None:
        self.last_epoch = -1
        self.step()


class ReduceLROnPlateau(LRScheduler):
    """Multiply the learning rates by ``factor`` when a metric, such as the validation loss, stops improving.

    Call ``step(metric)`` once per epoch. After more than ``patience`` epochs without improvement the learning rates are
    reduced, and the next ``cooldown`` epochs are not counted. ``mode`` says whether a smaller metric (``"min"``) or a
    larger one (``"max"``) is better. A change of less than ``threshold`` is no improvement, relative to the best metric
    or, with ``threshold_mode="abs"``, as it is. ``min_lr`` is the smallest learning rate, one for all groups or a list;
    a change of the learning rate of less than ``eps`` is not made.
    """

    checks: ClassVar[dict[str, Check]] = {
        "mode": one_of("min", "max"),
        "factor": below_1,
        "threshold": from_to(0),
        "threshold_mode": one_of("rel", "abs"),
        "eps": from_to(0),
    }

    def __init__(
        self,
        optimizer: Any,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.min_lrs = of_groups("ReduceLROnPlateau", "min_lr", optimizer, min_lr)
        self.best, self.num_bad_epochs, self.cooldown_counter = math.inf if mode == "min" else -math.inf, 0, 0
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:  # type: ignore[override]  # called as in PyTorch
        """Record the metric of this epoch, and reduce the learning rates if it has stopped improving."""
        found = float(metrics)
        self.last_epoch += 1
        if self._is_better(found):
            self.best, self.num_bad_epochs = found, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                new = max(group["lr"] * self.factor, least)
                if group["lr"] - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _is_better(self, found: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * found < sign * self.best * (1 - sign * self.threshold)
        return sign * found < sign * self.best - self.threshold


def of_groups(who: str, name: str, optimizer: Any, given: Any) -> list[float]:
    """A setting of each parameter group, given as a list or once for all of them."""
    groups = len(optimizer.param_groups)
    found = list(given) if isinstance(given, list | tuple) else [given] * groups
    if len(found) != groups:
        raise ValueError(f"{who}: {name} has {len(found)} entries; expected {groups}, one for each parameter group")
    return [check_number(who, name, value, 0) for value in found]
