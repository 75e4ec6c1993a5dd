"""Declared functions with optional inputs, any number of inputs, and several outputs."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import mul

import numpy as np
import pytest

import autolab
from autolab import Variable, elementwise, grad, primitive, record
from autolab import functions as F
from autolab.engine import primitive as primitive_module
from autolab.engine.observe import observe


@primitive(
    x=lambda g, w: F.matmul(g, F.transpose(w)),
    w=lambda g, x: F.matmul(F.transpose(x), g),
    b=lambda g, b_shape: F.sum_to(g, shape=b_shape),
)
def linear(xp, x, w, b=None):
    """x @ w + b"""
    y = xp.matmul(x, w)
    return y if b is None else y + b


@elementwise(
    first=lambda g, rest: reduce(mul, rest, g), rest=lambda g, first, rest, index: g * others(first, rest, index)
)
def product(xp, first, *rest, scale=1.0):
    return reduce(mul, rest, first) * scale


def others(first, rest, index):
    return reduce(mul, [x for i, x in enumerate(rest) if i != index], first)


@primitive(outputs=("s", "c"), x=lambda g, s, c: g[0] * c - g[1] * s)
def sincos(xp, x):
    return xp.sin(x), xp.cos(x)


def rng_arrays(*shapes: tuple[int, ...]) -> list[Variable]:
    rng = np.random.default_rng(3)
    return [Variable(rng.uniform(0.5, 2, shape)) for shape in shapes]


def test_an_optional_input_may_be_left_out() -> None:
    x, w, b = rng_arrays((4, 3), (3, 2), (2,))
    for args, same in (
        ((x, w), x @ w),
        ((x, w, None), x @ w),
        ((x, w, b), x @ w + b),
        ((x, w, b.data), x @ w + b.data),
    ):
        y = linear(*args)
        np.testing.assert_array_equal(y.data, same.data)
        for mine, theirs in zip(grad(F.sum(y * y), (x, w, b)), grad(F.sum(same * same), (x, w, b)), strict=True):
            assert (mine is None) is (theirs is None)
            if mine is not None:
                np.testing.assert_allclose(mine.data, theirs.data, rtol=1e-14)
    gw = grad(F.sum(linear(x, w, b) ** 2), w, create_graph=True)
    expected = grad(F.sum((x @ w + b) ** 2), w, create_graph=True)
    for one, other in zip(grad(F.sum(gw**2), (x, b)), grad(F.sum(expected**2), (x, b)), strict=True):
        np.testing.assert_allclose(one.data, other.data, rtol=1e-13)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_any_number_of_inputs(count: int) -> None:
    xs = rng_arrays(*[(3,)] * count)
    y = product(*xs)
    by_hand = reduce(mul, xs)
    np.testing.assert_array_equal(y.data, by_hand.data)
    for create_graph in (False, True):
        mine, theirs = [grad(v, xs, np.ones(3), create_graph=create_graph) for v in (y, by_hand)]
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one.data, other.data, rtol=1e-14)
    if count == 3:
        second = grad(mine[1], xs, np.ones(3))
        assert second[1] is None or not second[1].data.any()
        np.testing.assert_allclose(second[0].data, xs[2].data, rtol=1e-14)
        np.testing.assert_allclose(second[2].data, xs[0].data, rtol=1e-14)


def test_many_inputs_broadcast_repeat_and_mix_with_numbers() -> None:
    a, b = Variable([[1.0], [2.0]]), Variable([3.0, 4.0, 5.0])
    y = product(a, 2.0, b, np.array([1.0, 1.0, 2.0]), b, scale=0.5)
    ga, gb = grad(F.sum(y), (a, b))
    weights = np.array([1.0, 1.0, 2.0])
    np.testing.assert_allclose(y.data, a.data * b.data**2 * weights)
    # the rules above leave out the scale: a wrong rule gives its wrong answer, and no other
    np.testing.assert_allclose(ga.data, np.full((2, 1), 2 * np.sum(b.data**2 * weights)))
    np.testing.assert_allclose(gb.data, 2 * 2 * a.data.sum() * b.data * weights)


def test_shapes_of_many_inputs() -> None:
    seen = []

    def rule(g, xs_shapes, index, y):
        seen.append((xs_shapes, index))
        start = sum(s[0] for s in xs_shapes[:index])
        return g * 1.0 if xs_shapes[index] == y.shape else pick(g, start=start, stop=start + xs_shapes[index][0])

    @primitive()
    def pick(xp, x, *, start, stop):
        return x[start:stop]

    @primitive(xs=rule)
    def joined(xp, *xs):
        return xp.concatenate(xs)

    a, b = Variable([1.0, 2.0]), Variable([3.0, 4.0, 5.0])
    ga, gb = grad(joined(a, b), (a, b), np.arange(5.0))
    assert (ga.data.tolist(), gb.data.tolist()) == ([0.0, 1.0], [2.0, 3.0, 4.0])
    assert sorted(seen) == [(((2,), (3,)), 0), (((2,), (3,)), 1)]


def test_several_outputs_to_order_three() -> None:
    x = Variable(np.linspace(-2, 2, 5))
    s, c = sincos(x)
    assert type(sincos(x)) is tuple and s.creator == c.creator and c.creator.function is sincos.function
    v, w = np.arange(1.0, 6.0), np.array([2.0, 0.0, 1.0, 3.0, 5.0])
    first = grad((s, c), x, (v, w), create_graph=True)
    np.testing.assert_allclose(first.data, v * np.cos(x.data) - w * np.sin(x.data), rtol=1e-14)
    second = grad(first, x, np.ones(5), create_graph=True)
    np.testing.assert_allclose(second.data, -v * np.sin(x.data) - w * np.cos(x.data), rtol=1e-14)
    np.testing.assert_allclose(grad(second, x, np.ones(5)).data, w * np.sin(x.data) - v * np.cos(x.data), rtol=1e-13)


@pytest.mark.parametrize("create_graph", [False, True])
def test_outputs_that_are_unused_or_dropped_count_as_zero(create_graph: bool) -> None:
    x = Variable(0.5)
    _, c = sincos(x)
    del _
    g = grad(c, x, create_graph=create_graph)
    assert g.item() == -np.sin(0.5)
    if create_graph:
        assert grad(g, x).item() == -np.cos(0.5)
    s, c = sincos(x)
    gx, gs, gc = grad(s * s * c, (x, s, c))
    np.testing.assert_allclose(
        [gx.item(), gs.item(), gc.item()], [2 * s.data * c.data**2 - s.data**3, 2 * s.data * c.data, s.data**2]
    )


def test_outputs_that_are_no_floats_and_arrays_alone() -> None:
    @primitive(outputs=("top", "where"), x=lambda g, x, where: g[0] * (np.arange(x.shape[0]) == where))
    def maximum(xp, x):
        return x.max(), x.argmax()

    x = Variable([1.0, 5.0, 2.0])
    top, where = maximum(x)
    assert where.item() == 1 and not where.requires_grad
    assert grad(top, x).data.tolist() == [0.0, 1.0, 0.0]
    s, c = sincos(np.zeros(2))
    assert type(s) is type(c) is np.ndarray


def test_several_outputs_are_observed_and_recorded() -> None:
    events = []
    x = Variable(0.5)
    with observe(events.append):
        s, c = sincos(x)
        (s * c).backward()
    assert events[0].outputs == (s, c)
    assert [e.node.function is sincos.function for e in events[2:]].count(True) == 1

    def program(x):
        s, c = sincos(x)
        return s * c

    r = record(program, 0.5)
    assert [(step.kind, step.name) for step in r.steps] == [
        ("input", "x"),
        ("call", None),
        ("part", "s"),
        ("part", "c"),
        ("call", None),
    ]
    np.testing.assert_allclose(r["x"].grad.values, np.cos(1.0), rtol=1e-15)
    assert r["s"].grad.values.item() == np.cos(0.5)


COUNTS = [
    (lambda: linear(), r"linear: got 0 positional arguments; expected 2 to 3 arrays \(x, w, b\)$"),
    (lambda: linear(1.0, 2.0, 3.0, 4.0), r"linear: got 4 positional arguments; expected 2 to 3 arrays \(x, w, b\)$"),
    (lambda: product(), r"product: got 0 positional arguments; expected 1 or more arrays? \(first, rest\), then scale"),
    (
        lambda: F.softmax([1.0], 0, 2.0),
        r"softmax: got 3 positional arguments; expected at most 2: \(x, axis\)$",
    ),
    (lambda: linear(Variable([[1.0]]), None), "linear: input 'w'.*None"),
    (lambda: product(Variable(1.0), "text"), r"product: input 'rest\[0\]': got str 'text'"),
]


@pytest.mark.parametrize(("call", "message"), COUNTS)
def test_wrong_inputs_are_named(call: object, message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_what_rules_may_ask_for() -> None:
    for declare, message in (
        (lambda: elementwise(x=lambda g, index: g)(lambda xp, x: x), "expected g.*x, x_shape, y"),
        (lambda: primitive(xs=lambda g, xs_shape: g)(lambda xp, *xs: xs), "expected g.*index, xs, xs_shapes, y"),
        (
            lambda: primitive(outputs=("s", "c"), x=lambda g, y: g)(lambda xp, x: (x, x)),
            "expected g.*c, s, x, x_shape",
        ),
    ):
        with pytest.raises(autolab.DeclarationError, match=message):
            declare()


def test_the_first_calls_may_come_from_many_threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are compiled on first use, and each position must get its own, whoever comes first."""
    compiled = primitive_module.compiled

    def slowly(*args: object) -> object:
        time.sleep(0.002)  # so that every thread is in the middle of it
        return compiled(*args)

    monkeypatch.setattr(primitive_module, "compiled", slowly)

    @primitive(a=lambda g, b: g * b, b=lambda g, a: g * a, c=lambda g: g)
    def fresh(xp, a, b, c):
        return a * b + c

    def work(number: int) -> list[float]:
        a, b, c = Variable(2.0), Variable(3.0), Variable(4.0)
        return [g.item() for g in grad(fresh(a, b, c), (a, b, c))]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [[3.0, 2.0, 1.0]] * 16


def test_an_edge_says_its_inputs_place_and_a_rule_its_formula() -> None:
    a, b, c = Variable([1.0]), 2.0, Variable([3.0])
    y = F.where(np.array([True]), a * b, b * c)
    assert [edge.place for edge in y.node.edges] == [1, 2]
    assert [[edge.place for edge in parent.edges] for parent in y.node.parents] == [[0], [1]]
    assert [edge.place for edge in F.stack([np.ones(1), a, c]).node.edges] == [1, 2]
    assert F.linear.function.formulas["x"] == "g @ w" and "a" not in F.mul.function.formulas
