"""R2: random programs against an independent engine; and engine faults that the programs must find."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.oracle import Weights, ours, reference, zeros_for_none
from helpers.programs import SHAPES, Program, draw

from autolab import Variable
from autolab.engine import backward, fast_path_binary, primitive, retention
from autolab.functions.arrays import shape
from autolab.functions.elementwise import powers, trig
from autolab.functions.linear_algebra import products
from autolab.functions.reductions import reduce

pytestmark = pytest.mark.goal(id="R2")

RTOL = 1e-10


@lru_cache(maxsize=1500)
def expected(seed: int) -> tuple[Program, list[tuple[np.ndarray, ...]]]:
    program = draw(seed)
    return program, reference(program.theirs, program.inputs, 2, Weights(seed))


def wrong(seed: int) -> str | None:
    """What AutoLab gets wrong about program ``seed``; None if nothing."""
    program, orders = expected(seed)
    xs = [Variable(a) for a in program.inputs]
    y = program.ours(*xs)
    if y.requires_grad:
        y.grad = Weights(seed).like(0, 0, y.shape)
        y.backward()
    results = [[x.grad for x in xs], *ours(program.ours, program.inputs, 2, Weights(seed))]
    for label, got, theirs in zip(("backward", "order 1", "order 2"), results, (orders[0], *orders), strict=True):
        arrays = zeros_for_none(got, [np.shape(e) for e in theirs])
        scale = max([1.0, *[float(np.abs(e).max(initial=0)) for e in theirs]])
        for g, e in zip(arrays, theirs, strict=True):
            if g.shape != e.shape or not np.allclose(g, e, rtol=RTOL, atol=RTOL * scale):
                return f"program {seed}, {label}: {g} instead of {e}\n{program}"
    return None


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_random_programs(start: int) -> None:
    assert [found for seed in range(start, start + 100) if (found := wrong(seed))] == []


@pytest.mark.full
@each("start", range(300, 20_000, 500))
def test_many_random_programs(start: int) -> None:
    assert [found for seed in range(start, min(start + 500, 20_000)) if (found := wrong(seed))] == []


def test_the_programs_use_everything() -> None:
    """Positive control: every operation and shape occurs, values are used again, and most gradients are not 0."""
    names: Counter[str] = Counter()
    shapes, reused, zero = set(), 0, 0
    for seed in range(300):
        program, orders = expected(seed)
        names.update([instruction.name for instruction in program.instructions])
        shapes |= {a.shape for a in program.inputs}
        uses = Counter([i for instruction in program.instructions for i in instruction.operands])
        reused += max(uses.values()) > 1
        zero += not any(np.any(g) for g in orders[1])
    assert min(names.values()) >= 30 and len(names) == 29
    assert shapes == set(SHAPES) and reused > 200 and zero < 75


# ---------------------------------------------------------------------- planted faults
def edited(module: ModuleType, owner: Any, name: str, old: str, new: str) -> Callable[[pytest.MonkeyPatch], None]:
    """A fault: in the source of function ``name``, ``old`` becomes ``new``."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        source = inspect.cleandoc("\n" + inspect.getsource(getattr(owner, name)))
        assert source.count(old) == 1, f"{name} has changed: plant the fault anew"
        space = dict(vars(module))
        exec(compile(source.replace(old, new), f"<planted in {name}>", "exec"), space)
        patch.setattr(owner, name, space[name])

    return plant


def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    """A fault: ``owner.name`` becomes ``make(owner.name)``."""
    return lambda patch: patch.setattr(owner, name, make(getattr(owner, name)))


FAULTS = {
    "a gradient that arrives again replaces the first": edited(
        backward, backward, "_sweep", "grads[parent] = grads[parent] + gradient", "pass"
    ),
    "gradients are added into a buffer of somebody else": edited(
        backward, backward, "_sweep", "elif parent in mine:", "elif parent in grads and gradient.shape:"
    ),
    "the heap forgets its order": edited(backward, backward, "_sweep", "heappop(heap)[1]", "heap.pop()[1]"),
    "a node at hand takes one gradient only": edited(
        backward, backward, "_sweep", "else upstream + gradient", "else gradient"
    ),
    "a shape that was broadcast is not summed": edited(
        backward,
        backward,
        "_sweep",
        "if edge.fit is not None and not (",
        "if edge.fit is not None and edge.fit[0] and not (",
    ),
    "create_graph drops what arrives again": edited(
        backward,
        backward,
        "_sweep",
        "else upstream + gradient",
        "else gradient if create_graph else upstream + gradient",
    ),
    "only the first input gets a gradient under create_graph": edited(
        backward, backward, "_sweep", "edge.parent, edge.more", "edge.parent, None if create_graph else edge.more"
    ),
    "the output is revived as a constant": edited(retention, retention, "_output", "else node)", "else None)"),
    "inputs are revived as constants": edited(
        retention, retention, "_input", "return wrap(value, edge.parent)", "return wrap(value, None)"
    ),
    "inputs are taken for each other": edited(
        retention, retention, "_input", "edge.place == place", "edge.place != place"
    ),
    "reduction forgets one of the axes": replaced(
        primitive.Primitive,
        "sum_to",
        lambda real: staticmethod(lambda g, shape: real(g, shape=shape) * (len(shape) != 1)),
    ),
    "numbers are rounded in the cache": replaced(
        fast_path_binary, "scalar", lambda real: lambda value, dtype: real(round(value), dtype)
    ),
    "the derivative of sin is off by a thousandth": replaced(trig, "cos", lambda real: lambda x: real(x) * 1.001),
    "log is wrong for negative powers": replaced(powers, "log", lambda real: lambda x: real(x) + (x.shape == ())),
    "matmul forgets to transpose square matrices": replaced(
        products, "_swapped", lambda real: lambda x: x if x.shape[-1] == x.shape[-2] else real(x)
    ),
    "the inverse of a permutation is the permutation": replaced(shape, "inverse", lambda real: lambda axes: axes),
    "a negative axis counts from one too few": replaced(
        reduce, "_kept", lambda real: lambda s, axis: real(s, axis and tuple([a + (a < -1) for a in axis]))
    ),
}


@each("fault", FAULTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        expected(seed)
    FAULTS[fault](monkeypatch)
    for seed in range(500):
        try:
            if wrong(seed):
                return
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            return  # the fault made the engine fall over, which is as loud as a wrong number
    pytest.fail(f"500 programs did not notice that {fault}")
