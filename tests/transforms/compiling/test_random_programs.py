"""Random programs, compiled: what they give, what they write to, and gradients of any order are the plain call's."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import array_programs, programs, programs_with_parts
from helpers.bits import bits
from helpers.each import each
from helpers.programs_with_escapes import LOSSES

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms.compiling import executable


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def small_blocks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every other seed arrays of a few elements are large enough for blocks."""
    if seed % 2:
        monkeypatch.setattr(executable, "_BLOCK_BYTES", 64)


def some(first: int, whole: int) -> Any:
    """The first few in every run, all of them in the full one."""
    return each("seed", [pytest.param(i, marks=[] if i < first else pytest.mark.full) for i in range(whole)])


def outcome(function: Callable[..., Any], args: list[Any]) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def arrays_in(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return [array for item in values for array in arrays_in(item)]


@some(40, 3000)
def test_functions_of_arrays(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(seed, monkeypatch)
    made = array_programs.draw(seed)
    compiled = autolab.compile(made.function)
    kept = []
    for i in range(4):
        given, own = made.arguments(i), made.arguments(i)
        found, expected = outcome(compiled, given), outcome(made.function, own)
        assert bits(found) == bits(expected), (i, made.text)
        assert bits(given) == bits(own), (i, made.text)
        ours, theirs = [*arrays_in(found), *arrays_in(given)], [*arrays_in(expected), *arrays_in(own)]
        assert [np.shares_memory(a, b) for a in ours for b in ours] == [
            np.shares_memory(a, b) for a in theirs for b in theirs
        ], made.text
        kept.append((found, bits(found)))
        assert all([bits(result) == before for result, before in kept]), made.text
        if i == 2:  # what was given away is the caller's
            for array in [array for array in arrays_in(found) if array.flags.writeable]:
                array[...] = 1
            kept[-1] = found, bits(found)


def orders(program: programs.Program) -> Callable[..., Any]:
    def function(*arrays: Any) -> Any:
        xs = [Variable(a) for a in arrays]
        y = program.ours(*xs)
        first = autolab.grad(y, xs, create_graph=True)
        ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
        second = autolab.grad(ready, xs) if ready else []
        return y.data, [None if g is None else g.data for g in (*first, *second)]

    return function


def fresh(program: programs.Program, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng([seed, 99])
    return [rng.uniform(-2, 2, np.shape(x)) for x in program.inputs]


@some(8, 1000)
def test_values_gradients_and_second_order_within(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(seed, monkeypatch)
    program = programs.draw(seed)
    function = orders(program)
    compiled = autolab.compile(function)
    for i in range(4):
        arrays = fresh(program, i)
        assert bits(compiled(*arrays)) == bits(function(*arrays))
    assert not compiled.refusals


@some(8, 1000)
@each("are_leaves", [True, False])
def test_values_gradients_and_second_order_from_outside(
    seed: int, are_leaves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of arguments that were computed themselves, in another way for each call."""
    small_blocks(seed, monkeypatch)
    program = programs.draw(seed)
    compiled = autolab.compile(program.ours)
    for i in range(5):
        told = []
        for function in (compiled, program.ours):
            xs = [Variable(a) for a in fresh(program, i)]
            y = function(*[x if are_leaves else F.sin(x) * (i + 1) for x in xs])
            if i == 4:
                first = autolab.grad(y, xs, create_graph=True)
                ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
                second = autolab.grad(ready, xs) if ready else []
                told.append([bits(one) for one in (y, *first, *second)])
            else:
                y.backward()
                told.append([bits(one) for one in (y, *[x.grad for x in xs])])
        assert told[0] == told[1]
    assert not compiled.refusals


@some(40, 1000)
def test_results_of_many_parts_from_outside(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With upstream gradients of some of them, in any memory layout; of leaves, computed arguments and parameters."""
    small_blocks(seed, monkeypatch)
    function, parameters = programs_with_parts.draw(seed)
    compiled, choice = autolab.compile(function), random.Random(seed)
    for i in range(6):
        kind, lay, left_out = choice.randrange(4), choice.choice(programs_with_parts.LAYOUTS), choice.randrange(3)
        told = []
        for called in (compiled, function):
            rng = np.random.default_rng([seed, i])
            xs = [Variable(a) for a in rng.normal(size=(2, programs_with_parts.SIZE, programs_with_parts.SIZE))]
            args = [[*xs], [F.sin(x) * (i + 1) for x in xs], [xs[0], xs[0]], [xs[0], xs[1].detach()]][kind]
            parts = list(programs_with_parts.parts_of(called(*args)))
            given = [*args, *parameters]
            shared = [[j for j, one in enumerate(given) if one is part] for part in parts]
            ys = [y for y in parts if isinstance(y, Variable) and y.requires_grad]
            ys, wanted = ys[left_out:] or ys, [*xs, *parameters]
            if i % 2:
                first = autolab.grad([F.sum(y**3) for y in ys], wanted, create_graph=True)
                ready = [F.sum(g * g) for g in first if g is not None and g.requires_grad]
                slopes = [*first, *(autolab.grad(ready, wanted) if ready else [])]
            else:
                upstream = [lay(rng.normal(size=y.shape)) if y.ndim else rng.normal() for y in ys]
                slopes = [*autolab.grad(ys, wanted, upstream)]
            numbers = [getattr(part, "data", part) for part in (*parts, *slopes) if part is not None]
            told.append((shared, [g is None for g in slopes], numbers))
        assert told[0][:2] == told[1][:2]
        for found, expected in zip(told[0][2], told[1][2], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert not compiled.refusals or "and changes or returns others" in compiled.refusals[0]  # one without a gradient


@each("number", range(len(LOSSES)))
def test_functions_that_go_another_way(number: int) -> None:
    loss = LOSSES[number]
    compiled = autolab.compile(loss)
    rng = np.random.default_rng(number)
    points = [*rng.normal(size=(4, 2)), *rng.uniform(-3, 300, (3, 2)), np.array([0.5, -0.5]), np.array([0.0, -0.0])]
    for point in points:
        told = []
        for function in (compiled, loss):
            x = Variable(copy.copy(point))
            y = outcome(function, [x])
            told.append((bits(y), bits(autolab.grad(y, x)) if isinstance(y, Variable) else None))
        assert told[0] == told[1]
