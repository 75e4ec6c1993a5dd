"""Where a zero, a NaN or an infinity of a gradient comes from: the functions that made one of what was none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from ...recording.model import Recording, Snapshot

Key = Hashable


@dataclass(frozen=True)
class State:
    """Of an array: whether all of it is exactly zero, and whether all of it is finite."""

    zero: bool
    finite: bool


@dataclass
class Flow:
    """A backward pass without its numbers.

    ``arrivals`` has for each value the givers and the states of the shares that they sent, ``upstream`` for each giver
    the state of what had arrived there; ``names`` are the givers' functions; ``starts`` are the outputs.
    """

    arrivals: dict[Key, list[tuple[Key, State]]] = field(default_factory=dict)
    upstream: dict[Key, State] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    starts: set[Key] = field(default_factory=set)


@dataclass(frozen=True)
class Origin:
    """Where it comes from: ``givers`` made it of something else; or the pass ``started`` with it; or else, where
    ``summed`` is True, it came up when shares were added."""

    givers: tuple[Key, ...]
    started: bool
    summed: bool


def zero_origin(flow: Flow, key: Key) -> Origin:
    """Why the gradient of a value is exactly zero."""
    summed = any([not state.zero for _, state in flow.arrivals.get(key, [])])
    return Origin((), False, True) if summed else _origin(flow, key, lambda state: state.zero)


def nonfinite_origin(flow: Flow, key: Key) -> Origin:
    """Why the gradient of a value has NaN or infinities."""
    return _origin(flow, key, lambda state: not state.finite)


def _origin(flow: Flow, key: Key, is_bad: Callable[[State], bool]) -> Origin:
    """Follow what is bad against the direction of the pass, nearest first."""
    givers: list[Key] = []
    started = summed = False
    open_, seen = deque([key]), {key}
    while open_:
        here = open_.popleft()
        bad = [giver for giver, share in flow.arrivals.get(here, []) if is_bad(share)]
        started = started or here in flow.starts
        summed = summed or (here in flow.arrivals and not bad)
        for giver in bad:
            if giver in seen:
                continue
            seen.add(giver)
            (open_ if is_bad(flow.upstream[giver]) else givers).append(giver)
    return Origin(tuple(givers), started, summed)


def recorded_flow(recording: Recording) -> Flow:
    """The backward pass of a recording; what is not known of it is left out."""
    flow = Flow(starts=set(recording.outputs))
    for step in recording.steps:
        if step.grad is None or step.function is None:
            continue
        flow.upstream[step.id], flow.names[step.id] = _state(step.grad), step.function
        for operand in step.operands:
            if operand.step is not None and operand.contribution is not None:
                flow.arrivals.setdefault(operand.step, []).append((step.id, _state(operand.contribution)))
    return flow


def _state(array: Snapshot) -> State:
    finite = not (array.nan_count or array.inf_count)
    return State(finite and not array.minimum and not array.maximum, finite)


def names_of(flow: Flow, givers: Iterable[Key]) -> list[str]:
    """The functions of some givers, each once."""
    return list(dict.fromkeys([flow.names[giver] for giver in givers]))
