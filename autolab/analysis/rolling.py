"""A ball on a loss surface: the steps that an optimizer takes from a point in the plane, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import optimizers
from ..engine import Parameter, Variable, a_kind, check_whole
from ..links import Link
from ..optimizers import Optimizer
from .loss_space import SurfacePlane

MOST_STEPS = 500

_TAUGHT = "SGD MomentumSGD NesterovAG AdaGrad AdaDelta RMSprop Adam AdamW Adamax NAdam RAdam ASGD"
OPTIMIZERS: dict[str, Any] = {name: getattr(optimizers, name) for name in _TAUGHT.split()}
"""Every optimizer of AutoLab by name, in the order in which they are usually taught."""

_CALLER = "Surface.roll"


@dataclass(frozen=True, eq=False)
class Roll:
    """The path of a ball.

    ``places`` has one row of two coordinates for the starting point and one for each step; ``values`` and ``gradients``
    are the loss and the gradient there. ``ended`` is True if the path ended early because the loss, its gradient or the
    next point is not finite.
    """

    optimizer: str
    settings: Mapping[str, float]
    places: np.ndarray
    values: np.ndarray
    gradients: np.ndarray
    ended: bool


class _Ball(Link):
    """What the optimizer updates: a link whose only parameter is the position of the ball."""

    def __init__(self, start: np.ndarray) -> None:
        super().__init__()
        self.place = Parameter(start)


def roll(
    plane: SurfacePlane,
    axes: Sequence[np.ndarray],
    start: Sequence[float],
    optimizer: str | Optimizer,
    steps: int,
    settings: Mapping[str, float] | None,
) -> Roll:
    """The path of a ball from ``start``; see `Surface.roll`."""
    steps = check_whole(_CALLER, "steps", steps, 1, MOST_STEPS)
    place = checked_start(start, axes)
    name, chosen = settings_of(optimizer, settings)
    ball = _Ball(place)
    mover = OPTIMIZERS[name](**chosen).setup(ball)
    places, values, gradients = [place], [], []
    for step in range(steps + 1):
        value, gradient = plane.slope(*places[-1].tolist())
        values.append(value)
        gradients.append(gradient)
        ended = not np.isfinite([value, *gradient]).all()
        if ended or step == steps:
            break
        ball.place.grad = Variable(gradient)
        with np.errstate(all="ignore"):
            mover.update()
        moved = np.array(ball.place.array)
        ended = not np.isfinite(moved).all()
        if ended:
            break
        places.append(moved)
    return Roll(name, chosen, np.stack(places), np.array(values), np.stack(gradients), ended)


def checked_start(start: Any, axes: Sequence[np.ndarray]) -> np.ndarray:
    """The starting point as an array; an error if it is not on the surface."""
    try:
        place = np.array([float(v) for v in start])
    except (TypeError, ValueError):
        raise TypeError(f"{_CALLER}: start is {start!r:.60}; expected two numbers") from None
    if place.shape != (2,):
        raise ValueError(f"{_CALLER}: start holds {place.size} numbers; expected two")
    for value, ends in zip(place.tolist(), axes, strict=True):
        low, high = float(ends[0]), float(ends[-1])
        if not low <= value <= high:
            raise ValueError(f"{_CALLER}: start holds {value:g}; the surface goes from {low:g} to {high:g} there")
    return place


def settings_of(optimizer: Any, settings: Mapping[str, float] | None = None) -> tuple[str, dict[str, float]]:
    """The name of an optimizer and all its settings; an error for settings that it does not have."""
    name = optimizer if isinstance(optimizer, str) else type(optimizer).__name__
    if OPTIMIZERS.get(name) is None or not (isinstance(optimizer, str) or type(optimizer) is OPTIMIZERS[name]):
        came = repr(optimizer) if isinstance(optimizer, str) else a_kind(optimizer)
        raise ValueError(f"{_CALLER}: optimizer is {came:.60}; expected one of {', '.join(OPTIMIZERS)}")
    made = OPTIMIZERS[name]() if isinstance(optimizer, str) else optimizer
    if made._hooks:
        raise ValueError(f"{_CALLER}: the optimizer has hooks, which a ball does not follow; expected one without")
    if isinstance(made, optimizers.SGD) and made.momentum and not made.dampening:  # the same at a constant rate
        kind = optimizers.NesterovAG if made.nesterov else optimizers.MomentumSGD
        same = kind(made.lr, made.momentum)
        same.weight_decay, same.maximize = made.weight_decay, made.maximize
        made, name = same, kind.__name__
    found = {key: getattr(made, key) for key in made.hyperparameters}
    if others := [key for key, _ in made.settings() if key not in found]:
        raise ValueError(f"{_CALLER}: a ball does not follow {', '.join(others)}; expected the default")
    for key, value in dict(settings or {}).items():
        if key not in found:
            raise ValueError(f"{_CALLER}: {name} has no setting {key!r:.60}; expected one of {', '.join(found)}")
        found[key] = value
    if callable(found["lr"]):
        raise ValueError(f"{_CALLER}: the learning rate is {a_kind(found['lr'])}; expected a number")
    return name, {key: float(value) for key, value in found.items()}
