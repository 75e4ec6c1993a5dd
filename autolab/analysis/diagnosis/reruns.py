"""Reruns with one thing changed, and the differences in their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...recording.model import Recording, Step
from .evidence import Evidence
from .program_graph import RESHAPES
from .report import shape_of, whole

_SAME = 1e-5
"""Numbers that differ by less than this fraction of the largest in their array count as equal."""


def with_other(array: np.ndarray, axis: int, place: int | slice) -> np.ndarray:
    """The array with other numbers at one index, or a slice, of an axis."""
    changed, at = array.copy(), (slice(None),) * axis + (place,)
    changed[at] = _other_numbers(array[at], array)
    return changed


def _other_numbers(part: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Other numbers for part of an array, each of them plausible for it."""
    if array.dtype.kind in "iub":
        values = np.unique(array)
        return values[(np.searchsorted(values, part) + 1) % len(values)].astype(array.dtype)
    return (part * array.dtype.type(-0.7) + array.dtype.type(0.5 * (array.std() or 1.0))).astype(array.dtype)


@dataclass(frozen=True, eq=False)
class Fed:
    """An array of the data, and the step with which it enters the graph; ``rerun`` runs the program with other numbers
    in it. If the program was not given the array itself but a loader, a tuple or something else that it is taken from,
    it is not ``given``."""

    name: str
    array: np.ndarray
    step: Step
    rerun: Callable[[np.ndarray], Recording | None]
    is_given: bool = True


def fed(e: Evidence) -> Iterator[Fed]:
    """The arrays of the program that are in its graph, then those that enter it in any other way and have an axis of
    the length of the targets: others, such as masks and positions, are no data."""
    named = [(name, array, step) for name, array in e.data.items() if (step := input_named(e, name)) is not None]
    yield from [Fed(name, array, step, partial(e.rerun, name)) for name, array, step in named]
    held = [array for array in e.bench.held_arrays(e.watch.program.named) if array.size > 1]
    lengths = {shape_of(s)[0] for o in e.objectives[:1] for s in uncut(e, o.target) if shape_of(s)}
    ends = {i.id for s in e.trained for i in e.operands(s)} - e.learned - e.learning
    for step in [e.steps[i] for i in sorted(ends)]:
        values, behind = None if step.value is None or not step.value.is_whole else step.value.values, e.behind([step])
        if values is None or values.ndim < 2 or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
            continue
        if not set(values.shape[:2]) & lengths or (values.shape[0] == values.shape[1] and len(np.unique(values)) < 4):
            continue  # such as a mask
        whole_ones = [array for _, array, of in named if of.id in behind and len(array) == len(values)]
        if not whole_ones and not any([e.is_array(step, array) for array in held]):
            yield Fed(step.name or "the batch", values, step, partial(e.refed, step), is_given=False)


def uncut(e: Evidence, target: Step) -> Iterator[Step]:
    """A target, before it was cut and reshaped."""
    yield target
    while target.function in RESHAPES and e.operands(target):
        target = e.operands(target)[0]
        yield target


def two_runs(e: Evidence, given: Fed, changed: np.ndarray) -> tuple[Recording, Recording] | None:
    """Runs of the program without and with the change; None if their steps are not those of the recording."""
    before = e.plain_run
    after = None if before is None else given.rerun(changed)
    if before is None or after is None:
        return None
    return (before, after) if e.has_same_steps(before) and e.has_same_steps(after) else None


def difference(before: Recording, after: Recording, step: int) -> np.ndarray | None:
    """Which numbers of a step's value differ."""
    a, b = whole(before.steps[step].value), whole(after.steps[step].value)
    if a is None or b is None or a.shape != b.shape:
        return None
    with np.errstate(all="ignore"):
        scale = max(np.abs(a[np.isfinite(a)]).max(initial=0.0), 1e-30)
        return np.asarray(~((np.abs(a - b) <= _SAME * scale) | (a == b)))


def changed_rows(before: Recording, after: Recording, step: int, axis: int = 0) -> list[int] | None:
    """The indices along an axis at which the value differs."""
    found = difference(before, after, step)
    if found is None or found.ndim <= axis:
        return None
    flat = np.moveaxis(found, axis, 0).reshape(found.shape[axis], -1).any(axis=1)
    return [int(i) for i in np.flatnonzero(flat)]


def is_clean(before: Recording, after: Recording, step: int, n: int, k: int) -> bool:
    """Whether only the entries of example ``k`` differ, along some axis."""
    found = difference(before, after, step)
    if found is None or not found.any():
        return True
    for axis in [axis for axis, size in enumerate(found.shape) if size % n == 0]:
        rows, per = changed_rows(before, after, step, axis) or [], found.shape[axis] // n
        if {i // per for i in rows} == {k} or (per > 1 and {i % n for i in rows} == {k}):
            return True
    return False


def first_bad(e: Evidence, before: Recording, end: Step, is_good: Callable[[int], bool]) -> Step | None:
    """Search back from a bad step for one that is bad although none of its operands is."""
    step = before.steps[end.id]
    while True:
        sources = [o.step for o in step.operands if o.step is not None]
        if step.kind == "part":
            sources = [o.step for i in sources for o in before.steps[i].operands if o.step is not None]
        bad = [i for i in sources if not is_good(i)]
        if not bad:
            return e.steps.get(step.id)
        step = before.steps[bad[0]]


def input_named(e: Evidence, name: str) -> Step | None:
    """The step of an array of the program; if it was converted before, a step with the same numbers."""
    given = [s for s in e.steps.values() if s.kind in ("input", "constant", "leaf") and s.id not in e.learned]
    found = [s for s in given if s.name == name and s.kind != "leaf"]
    found += [s for s in given if s.name is None and e.is_array(s, e.data.get(name))]
    return max(found, key=lambda s: s.id in e.users, default=None)
