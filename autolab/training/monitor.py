"""Monitor: follows the training of a model. It measures at certain updates, and keeps states when time allows.

Curve: a value over many updates, in bounded memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from threading import RLock
from time import perf_counter
from typing import Any, NamedTuple

from ..engine import Array, Displayed, a_kind, publish
from ..engine.arrays import thread_time
from ..links import Link
from ..shared.state_layout import text_of, text_state, unpacking
from .model_state import ModelState, gradient_norm, layers, moved, silent, state_of

CAPACITY = 200
"""The largest number of points of a curve."""


class Curve(NamedTuple):
    """A curve whose points are each the mean of ``each`` consecutive values; ``each`` grows with their number.

    It is immutable: `then` and `then_all` return a new curve, so that a single assignment stores it.

    Examples
    --------
    >>> curve = Curve()
    >>> for x in range(300):
    ...     curve = curve.then(x, 2.0 * x)
    >>> curve.each, len(curve.points), curve.points[0], curve.last
    (2, 150, (0.5, 1.0), 598.0)
    """

    done: tuple[tuple[float, float], ...] = ()
    each: int = 1
    x: float = 0.0  # the sums over the values of the next point so far, and their number
    y: float = 0.0
    held: int = 0
    last: float = float("nan")

    def then(self, x: float, y: float) -> Curve:
        """The curve with one more value."""
        return self.then_all([(x, y)])

    def then_all(self, numbers: Iterable[tuple[float, float]]) -> Curve:
        """The curve with more values, in order."""
        done, each, total_x, total_y, held, y = list(self.done), *self[1:]
        for x, y in numbers:
            total_x, total_y, held = total_x + x, total_y + y, held + 1
            if held < each:
                continue
            done.append((total_x / held, total_y / held))
            total_x, total_y, held = 0.0, 0.0, 0
            if len(done) == CAPACITY:
                done = [((a + b) / 2, (c + d) / 2) for (a, c), (b, d) in zip(done[::2], done[1::2], strict=True)]
                each *= 2
        return Curve(tuple(done), each, total_x, total_y, held, y)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """All points; the last one may be the mean of fewer values."""
        if not self.held:
            return self.done
        return (*self.done, (self.x / self.held, self.y / self.held))


# Which updates are measured: this depends on their number alone, so that equal runs give equal curves.

DENSE = 32
"""All updates up to this one are measured; after it, the density is halved whenever their number doubles."""


def is_sampled(iteration: int) -> bool:
    """Whether the model is measured after this update, counting from 1.

    Every update is up to number 32, every second up to 64, every fourth up to 128, and so on.

    Examples
    --------
    >>> [n for n in range(1, 300) if is_sampled(n)][28:38]
    [29, 30, 31, 32, 34, 36, 38, 40, 42, 44]
    >>> [sum(map(is_sampled, range(1, 1 + n))) for n in (32, 64, 128, 1000, 10_000)]
    [32, 48, 64, 111, 163]
    """
    distance = 1 << ((iteration - 1) // DENSE).bit_length()
    return iteration % distance == 0


# Allowance: limits the time that a secondary activity may take.


class Allowance:
    """Limits an activity to a fraction of the time that passes: after a long run, the next one has to wait longer.

    Examples
    --------
    >>> allowance = Allowance(0.1)
    >>> allowance.affords(5.0)
    True
    >>> allowance.spend(5.0, 5.2)  # it took 0.2 seconds, so the next 1.8 seconds are free of it
    >>> allowance.affords(6.9), allowance.affords(7.1)
    (False, True)
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.due = 0.0

    def affords(self, now: float) -> bool:
        """Whether the next run may begin at time ``now``, in seconds."""
        return now >= self.due

    def spend(self, start: float, end: float, least: float = 0.0, cost: float | None = None) -> None:
        """Account for a run from ``start`` to ``end``; the next begins at least ``least`` seconds after ``start``.

        ``cost`` is the time it took, if that is less than ``end - start``.
        """
        cost = end - start if cost is None else cost
        self.due = max(end + cost * (1 / self.share - 1), start + least)


INTERVAL = 0.1
"""The shortest time between two states that are kept and shown, in seconds."""

MOST_BYTES = 64_000_000
"""The most memory that the kept states may take, in bytes."""

_USED, _LEAST_LEFT = 0.4, 0.25
"""Fractions of its share: what it uses by its own clock, which misses the trainer's calls and the cache misses that it
causes in training; and what at least remains for keeping states, however much recording and measuring take."""

_LEAST_WORK = 0.3
"""A thread that is busy for a smaller fraction of the time waits for a GPU, say, which the monitor does not delay."""

FAMILIES = ("gradient", "moved", "silent")
"""What is measured for every layer, besides the values that the loop reports."""


class Monitor(Displayed):
    """Curves of the values that a training loop reports and of measurements of its model, and past states of the model.

    Reported values are recorded at every update. The model is measured at updates chosen by their number alone, so that
    the same training gives the same curves on any machine: at the first 32, at every second up to 64, at every fourth
    up to 128, and so on (`sampling.is_sampled`). Keeping and showing a whole state takes longer. The monitor measures
    how long, and waits until training has continued long enough that its own time stays below ``share``; it keeps at
    most ten states a second. Old states are thinned out, so that their number is bounded and they reach back to the
    beginning.

    Each update is stored atomically, so that an interrupt leaves the monitor consistent.

    Parameters
    ----------
    model : Link, optional
        By default the trainer's model, if there is a trainer.
    share : float
        The fraction of the training time that the monitor may take; what recording and measuring leave of it is used
        for keeping states. Measuring the first updates of a small model may take more: there are about 110 measurements
        in a thousand updates, and 160 in ten thousand. The work at the end of a run is not included.
    states : int
        The largest number of past states to keep.

    Attributes
    ----------
    measured : dict of str to dict of str to Curve
        By family and layer: ``gradient``, the norm of the gradients; ``moved``, the norm of the update relative to that
        of the parameters; ``silent``, the fraction of units that are silent (see `model_state.silent`).
    states : tuple of ModelState
    watched, worked, spent : float
        Seconds that training took while monitored, that its thread was busy in that time, and that the monitor itself
        took, at each update and in between.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> from autolab.training import Monitor
    >>> x, t = np.eye(3, dtype=np.float32), np.arange(3)
    >>> model = L.Classifier(L.MLP((3,)))
    >>> optimizer, monitor = optimizers.SGD(1.0).setup(model), Monitor(model)
    >>> for step in range(20):
    ...     monitor.update(loss=optimizer.update(model, x, t))
    >>> monitor.iteration, sorted(monitor.curves), sorted(monitor.measured["gradient"])
    (20, ['loss'], ['l0'])
    """

    def __init__(self, model: Link | None = None, share: float = 0.03, states: int = 60) -> None:
        if model is not None and not isinstance(model, Link):
            raise TypeError(f"{type(self).__name__}: model is {a_kind(model)}; expected a Link")
        if not 0 < share <= 1:
            raise ValueError(f"{type(self).__name__}: share is {share!r:.60}; expected a number from 0 to 1")
        if not isinstance(states, int) or states < 2:
            raise ValueError(f"{type(self).__name__}: states is {states!r:.60}; expected an integer of at least 2")
        self.model, self.share = model, share
        self.measured: dict[str, dict[str, Curve]] = {family: {} for family in FAMILIES}
        self.states: tuple[ModelState, ...] = ()
        self.watched = self.worked = 0.0
        self._telling = self._measuring = self._showing = 0.0  # seconds: at every update, at some, and at times
        self._pending: list[tuple[int, Mapping[str, float]]] = []  # values that are not in the curves yet
        self._curves: dict[str, Curve] = {}
        self._merged = 0  # the last update that is in the curves
        self._folding = RLock()  # a view reads the curves in another thread
        self._most_states = states
        self._keeping = Allowance(share)
        self._next = 0.0  # until then it only records reported values
        self._divide()
        self._clock: float | None = None  # when it last read the clock ...
        self._worker = 0.0  # ... and that of its thread's CPU time
        self._before: dict[str, Array] | None = None  # the parameters before the next update, if that is measured
        self._copies = False  # whether updates change arrays in place, so that the previous ones must be copied

    # ------------------------------------------------------------------ for a loop
    def update(self, loss: Any = None, /, **values: Any) -> None:
        """Report one update and the values observed in it: numbers, or Variables and arrays of one element.

        ``update(loss)`` is short for ``update(loss=loss)``.

        Raises
        ------
        TypeError
            If a value is not a number, or the loss was given twice; in that case nothing is recorded.
        """
        start = perf_counter()
        if loss is not None:
            if "loss" in values:
                raise TypeError("update: the loss was given twice")
            values = {"loss": loss, **values}
        self._take(self.iteration + 1, {name: _as_float(name, value) for name, value in values.items()}, start)

    def _take(self, iteration: int, values: Mapping[str, float], start: float) -> None:
        """Record one update, at time ``start``, and look at the model if it is time to."""
        self._pending.append((iteration, values))
        now = perf_counter()
        self._telling += now - start
        if now >= self._next or self._is_due(iteration):
            self._look(now)

    def _is_due(self, iteration: int) -> bool:
        """Whether the model is measured after this update, or after the next, for which its parameters are kept."""
        return self.model is not None and (is_sampled(iteration) or is_sampled(iteration + 1))

    def _look(self, start: float) -> None:
        """Measure the model if this update is to be measured, and keep its state if there is time.

        The cost is the CPU time of the thread, so that time taken by other programs does not count.
        """
        self._pass(start)
        if self.model is not None:
            self._sample()
        if self._keeping.affords(start):
            before = thread_time()
            self.keep() if self.model is not None else self._shown()
            cost = thread_time() - before
            self._showing += cost
            self._keeping.spend(start, perf_counter(), INTERVAL, cost)
        self._next = self._keeping.due

    def _sample(self) -> None:
        """Measure the model, and keep its parameters if the next update is to be measured."""
        start = thread_time()
        if is_sampled(self.iteration):
            publish(self._measurements())
        self._before = self._parameters() if is_sampled(self.iteration + 1) else None
        self._measuring += thread_time() - start

    def _pass(self, now: float) -> None:
        """Account for the time since it last looked."""
        worker = thread_time()
        if self._clock is not None:
            watched, worked = self.watched + now - self._clock, self.worked + worker - self._worker
            publish([(self, "watched", watched), (self, "worked", worked)])
        publish([(self, "_clock", now), (self, "_worker", worker)])
        self._divide()

    def _divide(self) -> None:
        """Give keeping and painting states what recording and measuring leave of the share.

        On a busy machine training gets only part of the CPU time, and the monitor correspondingly less.
        """
        taken = (self._telling + self._measuring) / self.watched if self.watched else 0.0
        left = max(_LEAST_LEFT * self.share, _USED * self.share - taken)
        left *= max(_LEAST_WORK, min(1.0, self.worked / self.watched)) if self.watched else 1.0
        self._keeping.share = left

    @property
    def spent(self) -> float:
        """Seconds that the monitor has taken."""
        return self._telling + self._measuring + self._showing

    @property
    def iteration(self) -> int:
        """The number of the last update that was reported."""
        last = self._pending[-1:]  # a slice, since another thread may empty the list
        return last[0][0] if last else self._merged

    @property
    def curves(self) -> dict[str, Curve]:
        """The curves of the reported values, by name."""
        with self._folding:
            fresh = [one for one in list(self._pending) if one[0] > self._merged]
            if fresh:
                curves = dict(self._curves)
                for name in dict.fromkeys([name for _, values in fresh for name in values]):
                    numbers = [(iteration, values[name]) for iteration, values in fresh if name in values]
                    curves[name] = curves.get(name, _EMPTY).then_all(numbers)
                publish([(self, "_curves", curves), (self, "_merged", fresh[-1][0])])
            del self._pending[: sum([one[0] <= self._merged for one in self._pending])]
            return self._curves

    def keep(self) -> None:
        """Keep the state after the current update even if the time for it has not come, such as at the end."""
        if self.model is None or not self.iteration or (self.states and self.states[-1].iteration == self.iteration):
            return
        state = state_of(layers(self.model), self.iteration, perf_counter())
        publish([(self, "states", self._with(state))])
        self._shown()

    def _shown(self) -> None:
        """Called after a state was kept; a view paints it."""

    def _rest(self) -> None:
        """Training pauses: the time from now on does not count as training."""
        self._pass(perf_counter())
        self._clock = self._before = None

    # ------------------------------------------------------------------ measurements and states
    def _measurements(self) -> list[tuple[Any, str, Any]]:
        """Measure the model; returns the assignments that store the result."""
        assert self.model is not None
        measured = {family: dict(curves) for family, curves in self.measured.items()}
        before, copies = self._before or {}, self._copies
        for layer in layers(self.model):
            counts = silent(layer)
            in_place = not self._copies and any([before.get(path) is p._data for path, p in layer.params])
            copies = copies or in_place  # arrays changed in place are copied from now on; this update is not known
            numbers: dict[str, float | None] = {
                "gradient": gradient_norm(layer),
                "moved": None if in_place else moved(layer, before),
                "silent": None if counts is None else counts[0] / counts[1],
            }
            for family, number in numbers.items():
                curve = measured[family].get(layer.name, _EMPTY if number is not None else None)
                if curve is not None:  # an existing curve gets a gap where there is no number
                    point = math.nan if number is None else number
                    measured[family][layer.name] = curve.then(self.iteration, point)
        return [(self, "measured", measured), (self, "_copies", copies)]

    def _parameters(self) -> dict[str, Array]:
        assert self.model is not None
        found = {path: p._data for path, p in self.model.namedparams() if p.is_initialized}
        return {path: array.copy() for path, array in found.items()} if self._copies else found

    def _with(self, state: ModelState) -> tuple[ModelState, ...]:
        """The states with one more. If there are too many, those whose removal leaves the smallest gaps are dropped."""
        states = [*[kept for kept in self.states if kept.iteration < state.iteration], state]
        most = max(2, min(self._most_states, MOST_BYTES // max(1, state.nbytes)))
        while len(states) > most:
            gaps = [after.iteration - before.iteration for before, after in zip(states, states[2:], strict=False)]
            del states[1 + gaps.index(min(gaps)) if gaps else 0]
        return tuple(states)

    # ------------------------------------------------------------------ snapshots of a trainer
    def state(self) -> dict[str, Any]:
        """The curves, for a trainer's snapshot; past states of the model are not included."""
        return {"text": text_state({"curves": self.curves, "measured": self.measured, "iteration": self.iteration})}

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that restore `state`."""
        if "text" not in state:
            return []
        with unpacking(type(self).__name__):
            found = text_of(state["text"])
            measured = {family: _loaded(found["measured"].get(family, {})) for family in FAMILIES}
            own: dict[str, Any] = {
                "_curves": _loaded(found["curves"]),
                "_pending": [],
                "_merged": int(found["iteration"]),
            }
        fresh: dict[str, Any] = {"measured": measured, "states": (), "_before": None}
        return [(self, name, value) for name, value in (own | fresh).items()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(iteration={self.iteration}, states={len(self.states)})"


_EMPTY = Curve()


def _loaded(curves: Mapping[str, Any]) -> dict[str, Curve]:
    return {
        name: Curve(tuple([(float(x), float(y)) for x, y in done]), *rest) for name, (done, *rest) in curves.items()
    }


def _as_float(name: str, value: Any) -> float:
    data = getattr(value, "array", value)
    try:
        return float(data.item() if hasattr(data, "item") else data)
    except (TypeError, ValueError):
        raise TypeError(f"update: {name} is {a_kind(value)}; expected a number") from None
