"""Which cells a call's result was made of: for every function of the table, what is found by changing numbers."""

from __future__ import annotations

import weakref
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
from helpers.cases import Case, naming
from helpers.function_table import ROWS
from helpers.garbage import collector_off

from autolab import Variable, record
from autolab import functions as F
from autolab.engine import Primitive
from autolab.engine.observe import observe
from autolab.recording.application import Application, application

MOST = 12  # elements of all inputs together
EACH = 2  # calls of a function
RNG = np.random.default_rng(8)
COMPARED = {"min", "max", "sort"}
FLAT = {"softmax", "log_softmax", "batch_norm", "var", "std", "slogdet"}  # of a single number
ZEROS = {"fft", "ifft", "irfft", "conv1d"}  # some of their factors are exactly 0, as those of padding
NO_GRADIENT = {"accuracy", "precision", "recall", "f1_score", "r2_score"}  # their cells are not traced


@cache
def small_calls() -> list[tuple[str, Application]]:
    """A few small calls of every function, by itself and inside others."""
    seen, found = Counter[tuple[str, int]](), list[tuple[str, Application]]()
    for row in ROWS:
        small = [case for case in row.cases if 1 < sum([np.size(x) for x in made(case)]) <= MOST]
        for case in dict.fromkeys([*small[:1], *small[-1:]]):
            events: list[Any] = []
            with observe(events.append):
                case.call(row.function, *[Variable(x, requires_grad=True) for x in made(case)])
            for event in events:
                if isinstance(event.function, Primitive):
                    inputs = [x.data if isinstance(x, Variable) else x for x in event.inputs]
                    for part, y in enumerate(event.outputs):
                        call = Application(event.function, event.attributes, inputs, y.data, part)
                        assert call.is_repeatable()
                        seen[event.function.name, part] += 1
                        if seen[event.function.name, part] <= EACH:
                            found.append((f"{row.name}, {case.label}: {event.function.name}", call))
    return found


def made(case: Case) -> tuple[np.ndarray, ...]:
    return case.make(np.random.default_rng(1), np.float64)


def is_changed(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    return ~np.isclose(after, before, rtol=1e-12, atol=1e-14, equal_nan=True).reshape(-1)


def put(arrays: list[Any], place: int, k: int, by: float) -> list[Any]:
    changed = arrays[place].copy()
    changed.flat[k] += by
    return [*arrays[:place], changed, *arrays[place + 1 :]]


def is_float(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f"


def numerically(call: Application, place: int, found: np.ndarray) -> np.ndarray:
    """Which cells of the result change with each cell of an operand, here or, if not all of ``found`` do, elsewhere."""
    given, changes = call.inputs[place], np.zeros_like(found)
    others = [x * RNG.uniform(0.5, 1.5, x.shape) if is_float(x) else x for x in call.inputs]
    for point in (call.inputs, others):
        before = call._run(point)
        for k in range(given.size) if (found & ~changes).any() else ():
            for by in (1e-3, -3.0):
                after = call._run(put(point, place, k, by))
                if before is not None and after is not None:
                    changes[:, k] |= is_changed(after, before)
    return changes


def test_a_cell_is_lit_exactly_if_the_result_follows_it() -> None:
    functions, dark = set(), set()
    for what, call in small_calls():
        for place, given in enumerate(call.inputs):
            if not is_float(given) or call.function.name in NO_GRADIENT:
                continue
            with naming(what):
                found = call.depends(place)
                assert found is not None
                changes = numerically(call, place, found)
                assert not (changes & ~found).any()
                functions.add(call.function.name)
                if (found & ~changes).any() and not call.function.elementwise:  # which may be flat
                    dark.add(call.function.name)
                for cell in range(call.result.size):  # a gradient comes back on the same ways
                    slopes = call.slopes(place, cell)
                    assert slopes is None or not ((slopes != 0) & ~found[cell]).any()
    assert len(functions) > 120
    assert dark <= COMPARED | FLAT | ZEROS


def test_a_gradient_is_multiplied_by_the_lit_numbers() -> None:
    kinds = set()
    for what, call in small_calls():
        arrays = [*call.inputs, call.result]
        for place, given in enumerate(call.inputs):
            if not is_float(given):
                continue
            for other, found in call.factors(place).items():
                with naming(what):
                    g = RNG.normal(size=call.result.shape)
                    before = call._pull(place, g, call.inputs, call.result)
                    where = len(arrays) - 1 if other == -1 else other
                    for k in range(found.shape[1]):
                        moved = put(arrays, where, k, 1e-3)
                        after = call._pull(place, g, moved[:-1], moved[-1])
                        if before is not None and after is not None and before.shape == given.shape:
                            assert not (is_changed(after, before) & ~found[:, k]).any()
                    kinds.add(call.function.name)
    assert len(kinds) > 40


def test_what_cannot_be_computed_again_is_not_traced() -> None:
    key = np.array([0, 1])

    def taken(x):
        return x[key] + F.dropout(x, 0.5, training=True)[:2]

    recording = record(taken, np.arange(3.0))
    calls = {step.function: step for step in recording.steps if step.kind == "call"}
    assert application(calls["dropout"], recording.by_id) is not None  # its mask is recorded
    key[:] = 2  # a user's array has changed since
    assert application(recording.steps[1], recording.by_id) is None
    large = record(lambda x, w: x @ w, np.ones((2, 2000)), np.ones((2000, 2)))
    found = application(large.steps[-1], large.by_id)
    assert found is not None and found.depends(0) is None


def test_what_it_keeps_dies_with_it() -> None:
    recording = record(lambda x, w: x @ w, np.ones((2, 3)), np.ones((3, 2)))
    found = application(recording.steps[-1], recording.by_id)
    assert found.depends(0) is found.depends(0) and found.slopes(0, 1) is not None and found.factors(1)
    left = weakref.ref(found)
    with collector_off():
        del found
        assert left() is None
