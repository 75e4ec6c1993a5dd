"""What makes a saved graph move without Python: a single program for all its values and gradients, and for the shares
of which the gradients are sums, verified here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import Variable, grad
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...recording.model import LEAVES, Recording, Snapshot, Step
from ...recording.recorder import operand_variable
from ...recording.rule_text import exact_text
from ...shared.files import as_json
from ...shared.norms import is_close
from ...transforms.compiling.walk import changes_around
from ...transforms.tracing import ArrayProgram, Untraceable, replay, trace
from ...transforms.tracing.program import to_json, why_not
from ...transforms.tracing.signatures import trace_of
from ..draw import clean, grad_status, say
from ..draw.names import heading
from ..live.controls import Key
from .labels import group_heading, group_sentence
from .moving_walk import NoWalk, TracedShares
from .parameters import movable_steps
from .session import Session

MOST_CHARACTERS = 150_000
FEWEST_CHARACTERS = 5  # of a number: "0.0, "
MOST_STEPS = 400  # with more steps, each with its gradient, the program is too long
MOST_WORK = 60_000
"""The number of elements computed in one run: nine such runs fit in one frame of the screen."""

_SHIFT = 1e-3


def motion(session: Session | None, recording: Recording) -> dict[str, Any]:
    """The program of a view's graph for a saved page, or ``{"why": ...}``, the reason why the page cannot move.

    The function runs three more times: twice at the same point and once near it. There is a program only if the
    function does the same each time, with the same branches, and the program agrees with the function near the point.
    If it cannot have the shares of the gradients as well (``walks``), all of that is done again without them.
    """
    if session is None or session.recording is not recording:
        return {"why": say("moves_no_function")}
    state = session.state
    is_other = recording.higher or recording.moved is not None or recording.raised is not None
    if is_other or state.replaced or state.opened or session.outputs == {}:
        return {"why": say("moves_other_view")}
    if _is_too_large(recording):
        return {"why": say("moves_needs", what=say("moves_too_large"))}
    keys: list[Key] = [*movable_steps(session.bound, recording), *sorted(session.outputs)]
    start = {key: session.array(key) for key in keys}
    if any([not isinstance(array, np.ndarray) for array in start.values()]):
        return {"why": say("moves_device")}
    try:
        try:
            return _as_data(_proved(session, recording, start, True), recording, start, True)
        except NoWalk:
            return _as_data(_proved(session, recording, start, False), recording, start, False)
    except Untraceable as refusal:
        return {"why": say("moves_needs", what=clean(str(refusal), 80))}
    except Exception as error:  # whatever the function raises for arrays that are not NumPy arrays
        return {"why": say("moves_needs", what=clean(f"{type(error).__name__}: {error}", 80))}


def _is_too_large(recording: Recording) -> bool:
    """Whether every program for it would be too large; checked before the function runs again."""
    kept = [found for step in recording.steps for found in (step.value, step.grad) if found is not None]
    numbers = sum([found.size for found in kept])
    return FEWEST_CHARACTERS * numbers > MOST_CHARACTERS or len(recording.steps) > MOST_STEPS


Place = tuple[int, str] | tuple[int, str, int]
"""The step, or for an upstream gradient the output, which of its arrays, and for a share the place of the operand."""


@dataclass
class _TracedRun:
    """The arrays of a traced run that the page shows, with what the recording keeps of them, and the program."""

    shown: list[tuple[Place, Snapshot]]
    values: list[np.ndarray]
    program: ArrayProgram


def _proved(session: Session, recording: Recording, start: dict[Key, np.ndarray], walks: bool) -> _TracedRun:
    """The program, if three traces agree on it and it agrees with the recording and, elsewhere, with the function."""
    changed = changes_around(session.bound.given)
    first, again = (_traced(session, recording, start, walks) for _ in range(2))
    beside = {key: _shifted(array) for key, array in start.items()}
    there = _traced(session, recording, beside, walks)
    if (name := changed()) is not None:
        raise Untraceable(say("moves_writes", name=name))
    texts = [json.dumps(to_json(found.program)) for found in (first, again, there)]
    ways = [[guard.answer for guard in found.program.guards] for found in (first, there)]
    if texts[0] != texts[1] or (ways[0] == ways[1] and texts[0] != texts[2]):
        raise Untraceable(say("moves_changes"))
    for (place, kept), value in zip(first.shown, first.values, strict=True):
        if not is_close(value, kept.values):
            raise (NoWalk if len(place) > 2 else Untraceable)(say("moves_changes"))
    outputs, fits = replay(first.program, [array[None] for array in beside.values()])
    if fits[0] and not all([is_close(a[0], b) for a, b in zip(outputs, there.values, strict=True)]):
        raise Untraceable(say("moves_changes"))
    if (why := why_not(first.program)) is not None:
        raise Untraceable(why)
    return first


def _shifted(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f":
        return array
    apart = _SHIFT * np.linspace(0.5, 1, array.size).reshape(array.shape)
    return (array + (1 + np.abs(array)) * apart).astype(array.dtype)


def _traced(session: Session, recording: Recording, start: dict[Key, np.ndarray], walks: bool) -> _TracedRun:
    """One run of the function and of its gradients, with everything that the recording shows."""
    found: list[tuple[Place, Snapshot, Any]] = []

    def run(*given: Any) -> list[Any]:
        named = dict(zip(start, given, strict=True))
        with session.modes(session.state.train):
            found[:] = _everything(session, recording, named, walks)
        return [array for _, _, array in found]

    program = trace(run, list(start.values()))
    values = [np.array(getattr(array, "_value", array)) for _, _, array in found]
    return _TracedRun([(place, kept) for place, kept, _ in found], values, program)


def _everything(
    session: Session, recording: Recording, named: dict[Key, Any], walks: bool
) -> list[tuple[Place, Snapshot, Any]]:
    """All steps of the recording with their values, and their gradients if they have any; for a walk also the shares
    and the upstream gradients.
    """
    bound = session.bound.variables
    leaves = {
        name: type(bound[name])(array, name=name, requires_grad=bound[name].requires_grad)
        for name, array in named.items()
        if isinstance(name, str)
    }
    made: list[Variable] = []
    brought: dict[int, Variable] = {}
    known = {id(leaf) for leaf in leaves.values()}

    def hear(event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, ForwardEvent):
            bring([operand_variable(x) for x in event.inputs if _has_box(x)])
            made.extend(event.outputs)
            known.update([id(y) for y in event.outputs])

    def bring(given: Iterable[Any]) -> None:
        brought.update({id(x): x for x in given if x is not None and id(x) not in known})

    with observe(hear):
        results = session.bound.call(leaves)
    outputs = results if isinstance(results, tuple | list) else (results,)
    bring(outputs)
    calls = [
        step for step in recording.steps if step.kind == "part" or (step.kind == "call" and step.value is not None)
    ]
    moved = movable_steps(session.bound, recording).values()
    inputs = [recording.steps[id] for id in moved]
    others = [step for step in recording.steps if step.kind in ("leaf", "constant") and step.id not in moved]
    if len(calls) != len(made) or len(others) != len(brought):
        raise Untraceable(say("moves_changes"))
    pairs = [(step, leaves[str(step.name)]) for step in inputs]
    pairs += [*zip(others, brought.values(), strict=True), *zip(calls, made, strict=True)]
    held = [(step, x) for step, x in pairs if x.node is not None]
    ends = [(y, named[i]) for i, y in enumerate(outputs) if i in named]
    nodes = [(x.node, step) for step, x in pairs if x.node is not None and step.kind == "call" and walks]
    shares = TracedShares(recording, {node.order: step for node, step in nodes})
    begun = [i for i, _ in enumerate(outputs) if i in named and recording.upstream[i] is not None]
    for i in begun:
        shares.start(recording.outputs[i], named[i])
    with observe(shares.hear):
        slopes = grad([y for y, _ in ends], [x for _, x in held], [g for _, g in ends])
    of = {step.id: slope for (step, _), slope in zip(held, slopes, strict=True)}
    found = [*_shown(pairs, of)]
    if walks:
        found += [((i, "upstream", 0), _whole(recording.upstream[i]), named[i]) for i in begun]
        found += shares.arrays()
    return found


def _has_box(operand: Any) -> bool:
    """Whether an operand is drawn as a box; a plain number appears only in the code."""
    if isinstance(operand, Variable) or not hasattr(operand, "dtype"):
        return isinstance(operand, Variable) or exact_text(operand) is None
    return bool(operand.size != 1 or operand.dtype == bool)


def _shown(
    pairs: list[tuple[Step, Variable]], slopes: dict[int, Variable | None]
) -> Iterator[tuple[Place, Snapshot, Any]]:
    for step, x in pairs:
        if step.kind == "constant" and trace_of(x._data) is None:
            continue
        yield (step.id, "value"), _whole(step.value), x._data
        slope = slopes.get(step.id)
        if (slope is None) != (step.grad is None):
            raise Untraceable(say("moves_changes"))
        if slope is not None:
            yield (step.id, "grad"), _whole(step.grad), slope._data


def _whole(snapshot: Snapshot | None) -> Snapshot:
    if snapshot is None or not snapshot.is_whole:
        raise Untraceable(say("moves_too_large"))
    return snapshot


def _as_data(found: _TracedRun, recording: Recording, start: dict[Key, np.ndarray], walks: bool) -> dict[str, Any]:
    """The program for the page, with the labels of its boxes, and Python's own values for comparison."""
    work = sum([found.program.slots[step.out][0] for step in found.program.steps])
    pairs = zip(found.shown, found.values, strict=True)
    data = {
        "program": to_json(found.program),
        "keys": list(start),
        "start": [as_json(array.astype(float).reshape(-1)) for array in start.values()],
        "kinds": [array.dtype.name for array in start.values()],
        "shown": [[*place[:2], list(v.shape), v.dtype.name, *place[2:]] for (place, _), v in pairs],
        "walks": walks,
        "expected": [as_json(value.astype(float).reshape(-1)) for value in found.values],
        "results": {str(id): g.result.id for id, g in recording.outline.groups.items() if g.result},
        "spoken": _spoken(recording),
    }  # fmt: skip
    if work > MOST_WORK or len(json.dumps(data)) > MOST_CHARACTERS:
        raise (NoWalk if walks else Untraceable)(say("moves_too_large"))
    return data


def _spoken(recording: Recording) -> dict[str, list[str]]:
    """The words before and after the numbers of each box, as they are read aloud."""
    groups = recording.outline.groups
    told = {str(id): [group_heading(group), f". {group_sentence(group, recording)}"] for id, group in groups.items()}
    for step in recording.steps:
        kind = [step.kind] if step.kind in LEAVES else []
        end = "" if step.grad is not None else f". {grad_status.of_step(step)}"
        told[str(step.id)] = [", ".join([heading(step), *kind]), end]
    return told
