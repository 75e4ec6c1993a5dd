"""Monitor: follows a model that is being trained, within a share of the time that training takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.publish import publish
from ..links import Link
from .curve import Curve
from .measure import State, gradient_norm, layers, moved, silent, state_of

INTERVAL = 0.1
"""Seconds from one state that is kept, and shown, to the next, at least."""

MOST_BYTES = 64_000_000
"""What the states that are kept may take."""

CREDIT = 0.05
"""Seconds that a monitor may have saved up and then spends at once."""

FAMILIES = ("gradient", "moved", "silent")
"""What is measured of every layer besides what the loop tells."""


class Monitor:
    """Curves of what a training loop tells and of what its model does, and past states of the model.

    What the loop tells is kept at every update. Measuring a model takes time: that is done as often as ``share``
    allows, and a whole state is kept at most ten times a second. Old states thin out, so that their number is bounded
    and they reach back to the beginning.

    Everything that an update changes here is stored in one step, so an interrupt leaves it whole.

    Parameters
    ----------
    model : Link, optional
        A trainer's model, where there is a trainer.
    share : float
        Of the time that training takes; the monitor spends no more on the average.
    states : int
        How many past states are kept, at most.

    Attributes
    ----------
    curves : dict of str to Curve
        What was told, by name.
    measured : dict of str to dict of str to Curve
        By family and layer: ``gradient``, the norm of the gradients; ``moved``, the norm of the update in proportion to
        that of the parameters; ``silent``, the fraction of units that are silent (see `measure.silent`).
    states : tuple of State
    iteration : int
        The last update that it was told of.

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
            raise TypeError(f"{type(self).__name__}: model is a {type(model).__name__}; expected a Link")
        if not 0 < share <= 1:
            raise ValueError(f"{type(self).__name__}: share is {share!r:.60}; expected a number from 0 to 1")
        if not isinstance(states, int) or states < 2:
            raise ValueError(f"{type(self).__name__}: states is {states!r:.60}; expected an integer of at least 2")
        self.model, self.share = model, share
        self.curves: dict[str, Curve] = {}
        self.measured: dict[str, dict[str, Curve]] = {family: {} for family in FAMILIES}
        self.states: tuple[State, ...] = ()
        self.iteration = 0
        self.spent = self.watched = 0.0  # seconds: its own, and those of the training around it
        self._most_states = states
        self._credit = CREDIT
        self._clock: float | None = None
        self._before: dict[str, Array] | None = None  # the parameters before the update to come, if it is measured
        self._copies = False  # whether updates change arrays in place, so that those of before must be copied
        self._due = 0.0

    # ------------------------------------------------------------------ for a loop
    def update(self, **values: Any) -> None:
        """Tell of one update and what was observed in it: numbers, or Variables and arrays of one element."""
        self._take(self.iteration + 1, {name: _number(name, value) for name, value in values.items()})

    def _take(self, iteration: int, values: Mapping[str, float], last: bool = False) -> None:
        """Note one update; of the last one, a state is kept whatever it costs."""
        start = perf_counter()
        since = 0.0 if self._clock is None else start - self._clock
        credit = min(CREDIT, self._credit + self.share * since)
        stores = [(self, "curves", self._curves(iteration, values)), (self, "iteration", iteration)]
        kept = False
        if self.model is not None and (last or (credit > 0 and (self._before is not None or not self.states))):
            kept = last or start >= self._due
            stores += self._look(iteration, start, kept)
        publish(stores)
        if kept:
            self._shown()
        self._before = self._parameters() if credit > 0 and self.model is not None else None
        took = perf_counter() - start
        times = {"_credit": credit - took, "_clock": start + took, "spent": self.spent + took}
        publish([(self, name, value) for name, value in times.items()] + [(self, "watched", self.watched + since)])

    def _shown(self) -> None:
        """A state was kept; a view paints it."""

    def _rest(self) -> None:
        """Training pauses: what passes from here on is not its time."""
        self._clock = None

    # ------------------------------------------------------------------ what it stores
    def _curves(self, iteration: int, values: Mapping[str, float]) -> dict[str, Curve]:
        curves = dict(self.curves)
        for name, value in values.items():
            curves[name] = curves.get(name, _EMPTY).then(iteration, value)
        return curves

    def _look(self, iteration: int, now: float, keep: bool) -> list[tuple[Any, str, Any]]:
        """The stores of measuring the model, and of keeping its state."""
        assert self.model is not None
        found = layers(self.model)
        measured = {family: dict(curves) for family, curves in self.measured.items()}
        before, same = self._before or {}, self._in_place()
        for layer in found:
            counts = silent(layer)
            numbers: dict[str, float | None] = {
                "gradient": gradient_norm(layer),
                "moved": moved(layer, {} if same else before),
                "silent": None if counts is None else counts[0] / counts[1],
            }
            for family, number in numbers.items():
                if number is not None:
                    measured[family][layer.name] = measured[family].get(layer.name, _EMPTY).then(iteration, number)
        stores: list[tuple[Any, str, Any]] = [(self, "measured", measured), (self, "_copies", self._copies or same)]
        if keep:
            states = self._with(state_of(found, iteration, now))
            stores += [(self, "states", states), (self, "_due", now + INTERVAL)]
        return stores

    def _in_place(self) -> bool:
        """Whether the update left the arrays where they were although there were gradients: then they have changed."""
        assert self.model is not None
        pairs = [(path, p) for path, p in self.model.namedparams() if p.grad is not None and self._before]
        return not self._copies and any([(self._before or {}).get(path) is p._data for path, p in pairs])

    def _parameters(self) -> dict[str, Array]:
        assert self.model is not None
        found = {path: p._data for path, p in self.model.namedparams() if p.is_initialized}
        return {path: array.copy() for path, array in found.items()} if self._copies else found

    def _with(self, state: State) -> tuple[State, ...]:
        """The states with one more; where there are too many, every second one goes, but not the last."""
        states = (*[kept for kept in self.states if kept.iteration < state.iteration], state)
        most = max(2, min(self._most_states, MOST_BYTES // max(1, state.nbytes)))
        return states if len(states) <= most else (*states[:-1][::-2][::-1][-most + 1 :], state)

    # ------------------------------------------------------------------ snapshots of a trainer
    def state(self) -> dict[str, Any]:
        """The curves, for a trainer's snapshot; past states of the model are not among them."""
        text = json.dumps({"curves": self.curves, "measured": self.measured, "iteration": self.iteration})
        return {"text": np.frombuffer(text.encode(), np.uint8)}

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The stores that bring `state` back."""
        if "text" not in state:
            return []
        found = json.loads(bytes(np.asarray(state["text"], np.uint8)).decode())
        measured = {family: _loaded(found["measured"].get(family, {})) for family in FAMILIES}
        told = [(self, "curves", _loaded(found["curves"])), (self, "iteration", int(found["iteration"]))]
        return [*told, (self, "measured", measured), (self, "states", ()), (self, "_before", None)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(iteration={self.iteration}, states={len(self.states)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        from ..display import mimebundle

        return mimebundle(self)


_EMPTY = Curve()


def _loaded(curves: Mapping[str, Any]) -> dict[str, Curve]:
    def points(done: Any) -> tuple[tuple[float, float], ...]:
        return tuple([(float(x), float(y)) for x, y in done])

    return {name: Curve(points(done), *rest) for name, (done, *rest) in curves.items()}


def _number(name: str, value: Any) -> float:
    data = getattr(value, "array", value)
    try:
        return float(data.item() if hasattr(data, "item") else data)
    except (TypeError, ValueError):
        raise TypeError(f"update: {name} is a {type(value).__name__}; expected a number") from None
