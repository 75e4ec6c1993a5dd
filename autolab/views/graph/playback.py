"""The walk through a recording: forward, value by value, then backward, share by share; or in forward mode, where all
values are known and the tangents arrive share by share.

A walk is a list of moments. What is known at a moment (which values, which gradients, which sums are still growing)
follows from its index in the list; `moments.py` has the words for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ...recording.model import LEAVES, Operand, Recording, Snapshot, Step
from ...recording.tangents import duality
from ..draw.arrays import grid, text_of
from ..draw.names import label
from ..draw.numbers import place_of
from .moved_input import MovedInput
from .readings import BELOW_CELLS, STRIP_COLUMNS, STRIP_ROWS
from .rule_formulas import Token, derivative, loss_name

Phase = Literal["given", "forward", "start", "backward", "seed", "push", "end"]

_MOST_GROWING = 40
_DIGITS = 3
_NONE: Mapping[int, int] = {}


class Event(NamedTuple):
    """One event: after it, all values up to step ``upto`` are known.

    ``step`` is the call that computes its value or, backward, sends a share to its input at position ``operand``;
    ``upstream`` is the gradient that arrived there. In forward mode, the step's tangent gets a share from that input.
    ``step`` is None when something is given, and at the end of forward mode, where the two modes are compared.
    """

    phase: Phase
    upto: int
    step: int | None = None
    operand: int | None = None
    upstream: Snapshot | None = None


class Arrival(NamedTuple):
    """A share that arrived at a step: the moment, and the sum including it."""

    moment: int
    total: Snapshot


class Playback:
    """The moments of a recording, and what is known at each."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.steps = recording.by_id
        self.moved = None if recording.moved is None else MovedInput(recording)
        forward = _forward(recording) if self.moved is None else []
        self.start = len(forward)
        self.moments = (*forward, *(_backward(recording) if self.moved is None else _pushes(recording)))
        self.arrivals = self._arrivals()
        self._sums = [step for step in self.steps if len(self.arrivals.get(step, ())) > 1]

    def __len__(self) -> int:
        return len(self.moments)

    @cached_property
    def loss(self) -> str:
        """The letter for what is differentiated; in forward mode, for what moves."""
        return loss_name(self.recording) if self.moved is None else self.moved.letter

    def symbol(self, step: Step) -> Token:
        """The symbol of what a box shows beside the value of a step."""
        name = label(step)
        return derivative(self.loss, name) if self.moved is None else derivative(name, self.loss, "d")

    def _arrivals(self) -> dict[int, list[Arrival]]:
        """For each step, the shares that arrive at its gradient, in order."""
        found: dict[int, list[Arrival]] = {}
        for output, upstream in self.starts.items():
            found[output] = [Arrival(self.start, upstream)]
        for k, moment in enumerate(self.moments):
            if moment.operand is not None:
                use = self.use(moment)
                total = use.total or use.contribution
                step = use.step if self.moved is None else moment.step
                if step is not None and total is not None:
                    found.setdefault(step, []).append(Arrival(k, total))
        return found

    @cached_property
    def starts(self) -> dict[int, Snapshot]:
        """Where the derivatives begin: the upstream gradients of the outputs; in forward mode, the direction."""
        return _starts(self.recording) if self.moved is None else {self.moved.step.id: self.moved.direction}

    def use(self, moment: Event) -> Operand:
        """The input to which the call of a backward moment sends its share. In forward mode, the input from which it
        gets one, with that share as its contribution.
        """
        assert moment.step is not None and moment.operand is not None
        use = self.steps[moment.step].operands[moment.operand]
        if self.moved is None:
            return use
        return replace(use, contribution=use.tangent, total=use.tangent_total, product=None, numbers=None)

    def before(self, k: int, step: int) -> Snapshot | None:
        """The gradient of ``step`` just before moment ``k``; None if no share had arrived."""
        earlier = [arrival.total for arrival in self.arrivals.get(step, ()) if arrival.moment < k]
        return earlier[-1] if earlier else None

    # ------------------------------------------------------------------ for the page
    def times(self, boxes: Mapping[int, int], results: Mapping[int, int] = _NONE) -> dict[str, dict[str, int | None]]:
        """The moments at which values and gradients become known, for every box of a picture.

        Parameters
        ----------
        boxes : mapping
            The box of each step.
        results : mapping
            For boxes that represent many steps, the step whose numbers they show.

        Returns
        -------
        dict
            box -> the moments at which its value is ``known``, its gradient begins to arrive (``first``) and is
            complete (``last``), and it ``sends`` a share on (in forward mode, gets its last one); None for a moment
            that never comes.
        """
        value_at, sends = self._values_at, self._sends_at
        found: dict[str, dict[str, int | None]] = {}
        own = {step: step for step in self.steps if boxes.get(step) == step}
        for box, shown in (own | {**results}).items():
            arrived = self.arrivals.get(shown, ())
            first, done = (arrived[0].moment, arrived[-1].moment) if arrived else (None, None)
            found[str(box)] = {"known": value_at[shown], "first": first, "last": done, "sends": sends.get(shown)}
        return found

    @cached_property
    def _values_at(self) -> dict[int, int]:
        """For each step, the moment at which its value is known."""
        found, k = {}, 0
        for step in self.recording.steps:
            while k < self.start - 1 and self.moments[k].upto < step.id:
                k += 1
            found[step.id] = k
        return found

    @cached_property
    def _sends_at(self) -> dict[int, int]:
        """For each step, the moment at which it sends its first share; in forward mode, at which it gets its last."""
        if self.moved is not None:
            return {step: arrivals[-1].moment for step, arrivals in self.arrivals.items()}
        found: dict[int, int] = {}
        for k in range(len(self.moments) - 1, self.start - 1, -1):
            moment = self.moments[k]
            if moment.phase == "backward" and moment.step is not None:
                found[moment.step] = k
        return found

    def growing(self, k: int, boxes: Mapping[int, int]) -> dict[str, Any]:
        """The gradients that are incomplete at moment ``k``: the sum so far, and the number of its shares."""
        found: dict[str, Any] = {}
        for step in self._sums:
            if boxes.get(step) != step:
                continue
            arrivals = self.arrivals.get(step, [])
            here = [arrival for arrival in arrivals if arrival.moment <= k]
            if here and len(here) < len(arrivals) and len(found) < _MOST_GROWING:
                found[str(step)] = {**self._reading(here[-1].total), "arrived": len(here), "of": len(arrivals)}
        return found

    def _reading(self, total: Snapshot) -> dict[str, Any]:
        """A sum as a box shows it."""
        cells = grid(total, STRIP_ROWS, STRIP_COLUMNS) if total.size > 1 else None
        rows = None if cells is None else [[_rounded(v) for v in row] for row in cells.values.tolist()]
        place = place_of(total)
        return {"grad": text_of(total, BELOW_CELLS), "cells": rows} | ({"at": place} if rows and place else {})


def _rounded(value: float) -> float | None:
    """Round to enough digits for a colour."""
    return float(f"{value:.{_DIGITS}g}") if abs(value) < float("inf") else None


def _forward(recording: Recording) -> list[Event]:
    """First the inputs, then each call, together with its constants and its parts."""
    first = next((step.id for step in recording.steps if step.kind != "input"), len(recording.steps))
    moments = [Event("given", first - 1)]
    for step in recording.steps:
        if step.kind == "call":
            moments.append(Event("forward", step.id, step.id))
        elif step.kind == "part":
            moments[-1] = Event("forward", step.id, moments[-1].step)
    last = recording.steps[-1] if recording.steps else None
    if last is not None and last.kind in LEAVES:  # an output that was not computed
        moments[-1] = Event(moments[-1].phase, last.id, moments[-1].step)
    return moments


def _backward(recording: Recording) -> list[Event]:
    if not recording.backward and all(upstream is None for upstream in recording.upstream):
        return []
    last = recording.steps[-1].id
    shares = [
        Event("backward", last, back.of, i, back.upstream)
        for back in recording.backward
        for i, use in enumerate(recording.by_id[back.of].operands)
        if use.contribution is not None and use.step is not None
    ]
    return [Event("start", last), *shares]


def _pushes(recording: Recording) -> list[Event]:
    """The direction, then all shares of tangents in program order; at the end, the comparison of the two modes."""
    last = recording.steps[-1].id
    shares = [
        Event("push", last, step.id, i, recording.by_id[use.step].tangent)
        for step in recording.steps
        for i, use in enumerate(step.operands)
        if use.step is not None and use.tangent is not None
    ]
    return [Event("seed", last), *shares, *([Event("end", last)] if duality(recording) else [])]


def _starts(recording: Recording) -> dict[int, Snapshot]:
    """The upstream gradients with which the backward pass starts, by the ids of the outputs' steps."""
    pairs = zip(recording.outputs, recording.upstream, strict=False)
    return {output: upstream for output, upstream in pairs if upstream is not None}
