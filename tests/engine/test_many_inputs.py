"""Functions of many inputs or results, in every style: steps and memory grow as their number does, at every order."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import FunctionNode, Variable, grad, primitive
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction


class Joined(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs(tuple(range(len(inputs))))
        self.retain_outputs((0,))
        return (np.concatenate(inputs),)

    def backward(self, targets, grad_outputs):
        xs, (y,) = self.get_retained_inputs(), self.get_retained_outputs()
        each = F.split(grad_outputs[0] * y, sections=1)[0]
        return tuple([each[:1] * xs[i] for i in targets])


class JoinedOld(Function):
    def forward(self, inputs):
        return (np.concatenate(inputs),)

    def backward(self, inputs, grad_outputs):
        return tuple([grad_outputs[0][:1] * x for x in inputs])


class JoinedSimple(SimpleFunction):
    def forward(self, *xs):
        return np.concatenate(xs)

    def backward(self, g):
        first = g[:1]
        return tuple([first * x for x in self.inputs])


class JoinedContext(ContextFunction):
    @staticmethod
    def forward(ctx, *xs):
        ctx.save_for_backward(*xs)
        return np.concatenate([x.data for x in xs])

    @staticmethod
    def backward(ctx, g):
        first = g[:1]
        return tuple([first * x for x in ctx.saved_tensors])


class Copies(FunctionNode):
    def __init__(self, n):
        self.n = n

    def forward(self, inputs):
        return tuple([inputs[0] * 1.0 for _ in range(self.n)])

    def backward(self, targets, grad_outputs):
        return (F.sum(F.stack(*grad_outputs), axis=0),)


@primitive(xs=lambda g, xs, index: g[index : index + 1] * xs[index])
def joined(xp, *xs):
    return xp.concatenate(xs)


@primitive(xs=lambda g, xs, xs_shapes, first, index: g[index : index + 1] * first * xs[index] * len(xs_shapes[index]))
def joined_after_one(xp, first, *xs):
    return xp.concatenate(xs)


WAYS: dict[str, Callable[[list[Variable]], Any]] = {
    "concatenate": lambda xs: F.concatenate(*xs),
    "concatenate flat": lambda xs: F.concatenate(*xs, axis=None),
    "stack": lambda xs: F.stack(*xs, axis=1),
    "np.hstack": lambda xs: np.hstack(xs),
    "np.vstack": lambda xs: np.vstack(xs),
    "np.column_stack": lambda xs: np.column_stack(xs),
    "np.broadcast_arrays": lambda xs: sum(np.broadcast_arrays(*xs)),
    "sum": sum,
    "a rule that names the inputs": lambda xs: joined(*xs),
    "a rule that names everything": lambda xs: joined_after_one(*xs),
    "FunctionNode": lambda xs: Joined().apply(xs)[0],
    "Function": lambda xs: JoinedOld()(*xs),
    "SimpleFunction": lambda xs: JoinedSimple()(*xs),
    "ContextFunction": lambda xs: JoinedContext.apply(*xs),
    "many results": lambda xs: F.concatenate(Copies(len(xs)).apply(xs[:1])),
}


def _run(way: str, n: int, create_graph: bool) -> None:
    xs = [Variable(np.ones(1)) for _ in range(n)]
    y = F.sum(WAYS[way](xs))
    first = grad(y, xs, create_graph=create_graph)
    if create_graph and way != "Function":
        total = F.sum(F.concatenate([g for g in first if g is not None]))
        if total.requires_grad:
            grad(total, xs)


def _steps(run: Callable[[], None]) -> int:
    """How many lines of Python it takes, each round of a loop or of a comprehension by itself."""
    counter = count()
    previous = sys.gettrace()

    def local(frame: Any, event: str, argument: Any) -> Any:
        next(counter)
        return local

    sys.settrace(local)
    try:
        run()
    finally:
        sys.settrace(previous)
    return next(counter)


def _bytes(run: Callable[[], None]) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each("way", WAYS)
@each("create_graph", [False, True], ids=["once", "twice"])
def test_steps_and_memory_grow_as_the_number_of_inputs(way: str, create_graph: bool) -> None:
    _run(way, 4, create_graph)  # what is made at the first use
    for measured in (_steps, _bytes):
        small, large = [measured(lambda n=n: _run(way, n, create_graph)) for n in (60, 240)]
        assert large < 6 * small, measured.__name__


def test_growth_would_be_noticed() -> None:
    """Control: of all pairs there are sixteen times as many, not four."""

    def pairs(n: int) -> None:
        kept = [[(i, j) for j in range(n)] for i in range(n)]
        assert kept

    for measured in (_steps, _bytes):
        assert measured(lambda: pairs(240)) > 10 * measured(lambda: pairs(60))


@pytest.mark.full
def test_a_hundred_thousand_inputs() -> None:
    xs = [Variable(np.full(3, float(i))) for i in range(100_000)]
    for join in (F.concatenate, F.stack):
        y = join(*xs)
        found = grad(F.sum(y * y), xs)
        assert all((g.data == 2 * x.data).all() for g, x in zip(found, xs, strict=True))


def test_gradients_are_those_of_each_input() -> None:
    xs = [Variable(np.full((1, n), float(n))) for n in (1, 3, 2)]
    weights = np.arange(6.0)
    for y, expected in (
        (F.concatenate(*xs, axis=-1)[0], weights),
        (F.concatenate(*xs, xs[1], axis=None)[:6], weights),
        (F.concatenate(xs[0], np.zeros((1, 0)), *xs[1:], axis=1)[0], weights),  # a constant between them
    ):
        for create_graph in (False, True):
            found = grad(F.sum(y * y * weights), xs, create_graph=create_graph)
            parts = np.split(2 * y.data * expected, [1, 4])
            assert [g.data[0].tolist() for g in found] == [part.tolist() for part in parts]
    a, b = Variable(2.0), Variable(3.0)
    (c,) = grad(joined_after_one(Variable([5.0]), a.reshape(1), b.reshape(1))[1], (b,), create_graph=True)
    assert c.data == 15.0 and grad(c, b).data == 5.0


def test_the_damage_watch_and_recordings_name_each_of_many() -> None:
    with autolab.check_inplace():
        xs = [Variable([float(i)], name=f"x{i}") for i in range(5)]
        y = F.sum(joined(*xs))
    xs[3].data += 1
    with pytest.raises(autolab.DamagedValueError, match="input 'x3' of joined"):
        y.backward()
    recording = autolab.record(lambda a, b, c: F.concatenate(a, b, c), a=[1.0], b=[2.0], c=[3.0])
    assert [operand.parameter for operand in recording.steps[-1].operands] == ["xs[0]", "xs[1]", "xs[2]"]
