"""Readers of the book walk over graphs themselves: functions have inputs, outputs, a generation and a backward."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import autolab
from autolab.compat import chainer, dezero
from autolab.compat.dezero import Function, Variable, utils
from autolab.compat.dezero import functions as F
from autolab.compat.dezero._notes import _notes


class Cube(Function):
    def forward(self, x):
        return x**3

    def backward(self, gy):
        (x,) = self.inputs
        return 3 * x**2 * gy


class Halves(Function):
    def forward(self, x):
        return x / 2, x / 4

    def backward(self, g0, g1):
        return g0 / 2 + g1 / 4


ONE = [
    *(
        F.sin,
        F.exp,
        F.tanh,
        F.sigmoid,
        F.relu,
        F.softmax,
        F.log_softmax,
        F.sigmoid_simple,
        lambda x: -x,
        lambda x: x**2,
    ),
    *(
        lambda x: Cube()(x),
        lambda x: F.reshape(x, (3, 2)).reshape(2, 3),
        lambda x: F.transpose(x.T),
        lambda x: 2 / (x + 3),
    ),
    *(lambda x: F.broadcast_to(F.sum(x, axis=1, keepdims=True), (2, 3)), lambda x: F.clip(x, -0.9, 0.9)),
    *(lambda x: x[[1, 0]], lambda x: F.linear(x, np.eye(3), np.ones(3)), lambda x: 1 - F.leaky_relu(x)),
    *(lambda x: (lambda pair: pair[0] * pair[1])(Halves()(x)), lambda x: F.average(x) * x, lambda x: F.max(x) * x),
]
TWO = [
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: F.matmul(x, y.T) @ x,
    lambda x, y: x * x,
]


def drawn(rng: np.random.Generator) -> tuple[list[Variable], Variable]:
    """A random graph: its leaves and its output."""
    leaves = [Variable(rng.normal(size=(2, 3)) / 2, name=f"x{i}") for i in range(2)]
    values = [*leaves]
    for _ in range(rng.integers(2, 7)):
        if rng.random() < 0.6:
            values.append(ONE[rng.integers(len(ONE))](values[rng.integers(len(values))]))
        else:
            first, second = (values[i] for i in rng.integers(len(values), size=2))
            values.append(TWO[rng.integers(len(TWO))](first, second))
    return leaves, F.mean_squared_error(values[-1], values[rng.integers(len(values))]) + F.sum(values[-1])


def backward(y: Variable) -> dict[int, Variable]:
    """The book's own backward: by falling generation, each function once."""
    grads, funcs, seen = {id(y): Variable(np.ones_like(y.data))}, [], set()

    def add(f):
        if f not in seen:
            seen.add(f)
            funcs.append(f)
            funcs.sort(key=lambda f: f.generation)

    add(y.creator)
    while funcs:
        f = funcs.pop()
        gys = [grads.get(id(out()), Variable(np.zeros_like(out().data))) for out in f.outputs if out() is not None]
        gxs = f.backward(*gys)
        for x, gx in zip(f.inputs, gxs if isinstance(gxs, tuple) else (gxs,), strict=True):
            if gx is None:
                continue
            grads[id(x)] = grads[id(x)] + gx if id(x) in grads else gx
            if x.creator is not None:
                add(x.creator)
    return grads


def test_a_readers_own_backward_finds_what_backward_finds():
    rng = np.random.default_rng(3)
    for _ in range(60):
        leaves, y = drawn(rng)
        found = backward(y)
        y.backward()
        for x in leaves:
            mine, theirs = found.get(id(x)), x.grad
            assert (mine is None) == (theirs is None)
            if mine is not None:
                np.testing.assert_allclose(mine.data, theirs.data, rtol=1e-9, atol=1e-12)


def test_graphs_are_connected_named_and_freed():
    rng, before = np.random.default_rng(4), len(_notes)
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(40):
            _, y = drawn(rng)
            boxes, arrows, todo, seen = {id(y)}, [], [y.creator], set()
            while todo:
                f = todo.pop()
                if f in seen:
                    continue
                seen.add(f)
                boxes |= {id(f), *map(id, f.inputs)}
                assert y.creator is not f or any(out() is y for out in f.outputs)
                assert f.generation == max([x.generation for x in f.inputs])
                arrows += [(id(x), id(f)) for x in f.inputs] + [
                    (id(f), id(out())) for out in f.outputs if out() is not None
                ]
                todo += [x.creator for x in f.inputs if x.creator is not None]
            assert all({*arrow} <= boxes for arrow in arrows)
            text = utils.get_dot_graph(y, verbose=False)
            assert text.count("lightblue") == len(seen)
            assert ('label="x0"' in text) == any(x.name == "x0" for f in seen for x in f.inputs)
            node = weakref.ref(y.node)
            del y, f, seen, todo
            assert node() is None
    finally:
        if enabled:
            gc.enable()
    assert len(_notes) <= before + 8  # what the last round still holds


def test_the_functions_drawn_are_those_of_dezero():
    x, W = Variable(np.ones((2, 3)), name="x"), Variable(np.ones((3, 2)), name="W")
    y = F.softmax_cross_entropy(F.relu(F.linear(x, W, Variable(np.zeros(2)))), np.array([0, 1]))
    names = [type(f).__name__ for f in dezero._notes.functions_below(y)]
    assert names == ["SoftmaxCrossEntropy", "ReLU", "Linear"] and isinstance(y.creator, F.SoftmaxCrossEntropy)
    exp = F.Exp()
    assert exp(x).creator is not None and exp.inputs == (x,) and exp.generation == 0
    y = F.average(x)
    assert [type(f).__name__ for f in dezero._notes.functions_below(y)] == ["Mul", "Sum"]


def test_gradients_set_beforehand_count_as_in_dezero():
    x = Variable(np.array(3.0))
    y = x * x
    y.grad = Variable(np.array(5.0))
    y.backward()
    assert float(x.grad.data) == 30 and y.grad is None
    x.cleargrad()
    y.backward()
    assert float(x.grad.data) == 6
    for retain in (False, True):
        x.cleargrad()
        h = x * x
        z = h * 2
        h.grad = Variable(np.array(1.0))
        z.backward(retain_grad=retain)
        assert float(x.grad.data) == 18 and (float(h.grad.data) == 3 if retain else h.grad is None)
        x.cleargrad()
        z.grad = None
        h.grad = None
        z.backward()
        assert float(x.grad.data) == 12


def test_set_creator_is_shown_and_backward_does_not_pass_over_it_silently():
    square = Cube()
    y = square(Variable(np.array(2.0)))
    v = Variable(np.array(1.0))
    v.set_creator(square)
    assert v.creator is square and v.generation == 1 and y.generation == 1
    with pytest.raises(RuntimeError, match="set_creator"):
        (v * 2).backward()


def test_a_chain_of_many_functions_is_freed_without_recursion():
    y = x = Variable(np.array(1.0))
    for _ in range(20_000):
        y = y + 1
    assert y.generation == 20_000
    before = len(_notes)
    del y
    assert before - len(_notes) == 20_000 and x.creator is None


def test_names_outlive_their_variables():
    def f(kind: Any, **settings: Any) -> Any:
        x = kind(np.array(2.0), name="first", **settings)
        h = x * x
        h.name = "second"
        return h * 3.0

    for kind in (autolab.Variable, chainer.Variable, Variable):
        y = f(kind)
        names = {step.name for step in autolab.graph(y).steps}
        assert {"first", "second"} <= names
        assert y.creator.inputs[0].name == "second" and y.creator.inputs[0].creator.inputs[0].name == "first"
    text = chainer.computational_graph.build_computational_graph([f(chainer.Variable)]).dump()
    assert '"first: () float64"' in text and '"second: () float64"' in text


def test_a_result_may_go_after_the_names_of_the_package() -> None:
    """So it happens as the interpreter ends; Python prints what a callback raises, and goes on."""
    program = "import sys\nimport numpy\nfrom autolab import Variable\nfrom autolab.compat import dezero\n"
    program += "from autolab.compat.dezero._notes import _notes\nfrom autolab.engine.store import gradient_hooks\n"
    program += "x = dezero.Variable(numpy.array(2.0))\n"
    program += "y = (x * x + x) * (x + 1)\nw = Variable(2.0)\nw.register_hook(print)\n"
    program += "for name, module in list(sys.modules.items()):\n    if name.startswith('autolab'):\n"
    program += "        for key in list(vars(module)):\n            vars(module)[key] = None\ndel x, y, w\n"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
