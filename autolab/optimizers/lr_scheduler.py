"""PyTorch's learning-rate schedulers: objects whose ``step`` is called at the end of each epoch.

The alternative is `schedules`: functions of the number of updates, which the optimizer itself calls. The curves are
defined here; `scheduling` applies them to an optimizer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from ..engine.habits import answering
from . import settings as _settings
from .scheduling import ChainedScheduler as ChainedScheduler
from .scheduling import LRScheduler
from .scheduling import ReduceLROnPlateau as ReduceLROnPlateau
from .scheduling import SequentialLR as SequentialLR
from .scheduling import of_groups as _of_groups
from .scheduling import scaled as _scaled


def _half_cosine(share: float) -> float:
    """From 1 to 0 along half a cosine."""
    return (1 + math.cos(math.pi * share)) / 2


def _above_0_to_1(who: str, name: str, value: Any) -> float:
    if not _settings.from_to(0, 1)(who, name, value):
        raise ValueError(f"{who}: {name} is 0; expected a number above 0 and at most 1")
    return float(value)


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

    checks: ClassVar[dict[str, _settings.Check]] = {"step_size": _settings.at_least(1)}

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
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

    def share(self, epoch: int) -> float:
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

    _resumes_as_it_is = True

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
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
        groups = len(optimizer.param_groups)
        functions: list[Any] = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        self.lr_lambdas = functions
        if len(self.lr_lambdas) != groups:
            got = len(self.lr_lambdas)
            raise ValueError(
                f"{type(self).__name__}: lr_lambda has {got} functions; expected {groups}, one for each parameter group"
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * one(self.last_epoch) for base, one in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """As of other schedulers, without the functions, which whoever loads it constructs again."""
        return {key: value for key, value in super().state_dict().items() if key != "lr_lambdas"}


class MultiplicativeLR(LambdaLR):
    """Multiply the learning rate by ``lr_lambda(epoch)`` in every epoch but the first.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0)
    >>> scheduler = optimizers.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> for epoch in range(3):
    ...     scheduler.step()
    >>> optimizer.lr
    0.125
    """

    def get_lr(self) -> list[float]:
        groups = zip(self.optimizer.param_groups, self.lr_lambdas, strict=True)
        return [group["lr"] * (one(self.last_epoch) if self.last_epoch else 1) for group, one in groups]


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

    _resumes_as_it_is = True
    checks: ClassVar[dict[str, _settings.Check]] = {
        "start_factor": _above_0_to_1,
        "end_factor": _settings.from_to(0, 1),
        "total_iters": _settings.at_least(1),
    }

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

    def share(self, epoch: int) -> float:
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

    checks: ClassVar[dict[str, _settings.Check]] = {"factor": _settings.from_to(0, 1)}

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


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

    _resumes_as_it_is = True
    checks: ClassVar[dict[str, _settings.Check]] = {"total_iters": _settings.at_least(1)}

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
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

    _resumes_as_it_is = True
    checks: ClassVar[dict[str, _settings.Check]] = {"T_max": _settings.at_least(1)}

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        return _half_cosine(epoch / self.T_max)

    def _next(self, lr: float, base: float, least: float = 0.0) -> float:
        return super()._next(lr, base, self.eta_min)


class CosineAnnealingWarmRestarts(LRScheduler):
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

    checks: ClassVar[dict[str, _settings.Check]] = {"T_0": _settings.at_least(1), "T_mult": _settings.at_least(1)}

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_0, self.T_mult = T_0, T_mult
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        began, period = 0, self.T_0
        while self.last_epoch - began >= period:
            began, period = began + period, period * self.T_mult
        share = _half_cosine((self.last_epoch - began) / period)
        return [_scaled(base, share, self.eta_min) for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """The one-cycle policy: up to ``max_lr`` and down to almost 0, along cosines, in ``total_steps`` updates.

    Call ``step`` after each update, not each epoch. Momentum, or Adam's ``beta1``, falls while the learning rate rises,
    and then rises again (L. Smith, 2018).

    Parameters
    ----------
    optimizer : Optimizer
    max_lr : float or sequence of float
        The largest learning rate, one for all parameter groups or a list.
    total_steps, epochs, steps_per_epoch : int
        The number of updates, or two factors of it.
    pct_start : float
        The share of the updates in which the learning rate goes up.
    anneal_strategy : str
        ``"cos"``, or ``"linear"`` for straight lines.
    cycle_momentum : bool
        Whether the momentum changes too.
    base_momentum, max_momentum : float or sequence of float
        Its smallest and its largest value.
    div_factor, final_div_factor : float
        What ``max_lr`` is divided by for the first learning rate, and that one for the last.
    three_phase : bool
        Go down as long as up, and then on to the last learning rate.

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

    checks: ClassVar[dict[str, _settings.Check]] = {
        "total_steps": _settings.at_least(1),
        "pct_start": _settings.from_to(0, 1),
        "anneal_strategy": _settings.one_of("cos", "linear"),
        "cycle_momentum": _settings.truth,
        "three_phase": _settings.truth,
    }

    def __init__(
        self,
        optimizer: Any,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("OneCycleLR: total_steps is missing; expected it, or both epochs and steps_per_epoch")
        self.total_steps = (epochs or 0) * (steps_per_epoch or 0) if total_steps is None else total_steps
        self.pct_start, self.anneal_strategy, self.three_phase = pct_start, anneal_strategy, three_phase
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _check_momentum("OneCycleLR", optimizer)
        if last_epoch == -1:
            given = {"max_lr": max_lr, "base_momentum": base_momentum, "max_momentum": max_momentum}
            lists = [_of_groups("OneCycleLR", name, optimizer, value) for name, value in given.items()]
            for group, top, least, most in zip(optimizer.param_groups, *lists, strict=True):
                first = top / div_factor
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor)
                if cycle_momentum:
                    group.update(base_momentum=least, max_momentum=most)
        super().__init__(optimizer, last_epoch)

    def _phase(self) -> tuple[float, list[str], list[str]]:
        """How much of its phase the step has done; between which learning rates of a group, and momenta, it goes."""
        t, turn, end = self.last_epoch, self.pct_start * self.total_steps - 1, self.total_steps - 1
        rates, momenta = ["initial_lr", "max_lr"], ["max_momentum", "base_momentum"]
        phases = [(turn, rates, momenta), (end, ["max_lr", "min_lr"], momenta[::-1])]
        if self.three_phase:
            again = (2 * turn, rates[::-1], momenta[::-1])
            phases = [phases[0], again, (end, ["initial_lr", "min_lr"], ["max_momentum"] * 2)]
        start = 0.0
        for stop, between, momentum in phases:
            if t <= stop or stop == end:
                return ((t - start) / (stop - start) if stop > start else 1.0), between, momentum
            start = stop
        raise AssertionError

    def _between(self, share: float, low: float, high: float) -> float:
        if self.anneal_strategy == "linear":
            return low + (high - low) * share
        return high + (low - high) * _half_cosine(share)

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(f"OneCycleLR.step: there were {self.total_steps} steps; expected no more, see total_steps")
        share, rates, momenta = self._phase()
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            momentum = self._between(share, *[group[name] for name in momenta])
            _set_momentum(group, momentum)
        return [self._between(share, *[group[name] for name in rates]) for group in self.optimizer.param_groups]


def _set_momentum(group: Any, momentum: float) -> None:
    """Set the momentum of a parameter group, or Adam's ``beta1``."""
    if "betas" in group:
        group["betas"] = momentum, *group["betas"][1:]
    else:
        group["momentum"] = momentum


def _check_momentum(who: str, optimizer: Any) -> None:
    if not all(["betas" in g or "momentum" in g for g in optimizer.param_groups]):
        raise ValueError(f"{who}: the optimizer has no momentum or betas; expected cycle_momentum=False")


class CyclicLR(LRScheduler):
    """Go from ``base_lr`` up to ``max_lr`` and back, again and again; call ``step`` after each update.

    ``mode`` says how the height of the cycles changes: not at all for ``"triangular"``, to a half of the last one for
    ``"triangular2"``, and by ``gamma**updates`` for ``"exp_range"``; or ``scale_fn`` gives it, of the number of the
    cycle or, with ``scale_mode="iterations"``, of the update. The momentum goes the other way, unless
    ``cycle_momentum=False`` (L. Smith, "Cyclical learning rates for training neural networks", 2017).

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.SGD(L.Linear(3, 2), lr=1.0, momentum=0.9)
    >>> scheduler = optimizers.lr_scheduler.CyclicLR(optimizer, 0.25, 1.25, step_size_up=2)
    >>> rates = [optimizer.lr]
    >>> for update in range(4):
    ...     scheduler.step()
    ...     rates.append(optimizer.lr)
    >>> rates
    [0.25, 0.75, 1.25, 0.75, 0.25]
    """

    checks: ClassVar[dict[str, _settings.Check]] = {
        "step_size_up": _settings.at_least(1),
        "mode": _settings.one_of("triangular", "triangular2", "exp_range"),
        "scale_mode": _settings.one_of("cycle", "iterations"),
        "cycle_momentum": _settings.truth,
    }

    def __init__(
        self,
        optimizer: Any,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.step_size_up, self.step_size_down, self.mode, self.gamma = step_size_up, step_size_down, mode, gamma
        self.scale_fn, self.scale_mode, self.cycle_momentum = scale_fn, scale_mode, cycle_momentum
        if cycle_momentum:
            _check_momentum("CyclicLR", optimizer)
        given = {"base_lr": base_lr, "max_lr": max_lr, "base_momentum": base_momentum, "max_momentum": max_momentum}
        self.between = [_of_groups("CyclicLR", name, optimizer, value) for name, value in given.items()]
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, self.between[0], strict=True):
                group.update(lr=low, initial_lr=low)
        super().__init__(optimizer, last_epoch)

    def _height(self, cycle: int) -> float:
        if self.scale_fn is not None:
            return float(self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch))
        heights = {"triangular": 1.0, "triangular2": 0.5 ** (cycle - 1), "exp_range": self.gamma**self.last_epoch}
        return float(heights[self.mode])

    def get_lr(self) -> list[float]:
        up, down = self.step_size_up, self.step_size_up if self.step_size_down is None else self.step_size_down
        done, place = divmod(self.last_epoch, up + down)
        share = (place / up if place <= up else (up + down - place) / down) * self._height(int(done) + 1)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, *self.between[2:], strict=True):
                _set_momentum(group, high - (high - low) * share)
        return [low + (high - low) * share for low, high in zip(*self.between[:2], strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """As of other schedulers, without the function, which whoever loads it constructs again."""
        return {key: value for key, value in super().state_dict().items() if key != "scale_fn"}


__getattr__ = answering(__name__, "lr_scheduler")
