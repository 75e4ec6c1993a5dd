"""@elementwise and @primitive: the signature is the schema, a rule's parameters are its retention list."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, elementwise, grad, primitive
from autolab import functions as F
from autolab.engine.observe import observe
from autolab.engine.primitive import Primitive


def test_every_kind_of_parameter_a_rule_may_have() -> None:
    seen = {}

    def rule(g, b, y, a_shape, b_shape, power):
        seen.update(b=b, y=y, a_shape=a_shape, b_shape=b_shape, power=power)
        return g * b * power

    @elementwise(a=rule, b=lambda g, a, power: g * a * power)
    def scaled(xp, a, b, *, power=2.0):
        return a * b * power

    a, b = Variable([[1.0, 2.0]]), Variable([3.0, 4.0])
    y = scaled(a, b, power=10.0)
    gradients = grad(y, (a, b), np.ones((1, 2)))
    assert (seen["a_shape"], seen["b_shape"], seen["power"]) == ((1, 2), (2,), 10.0)
    assert seen["b"].base is b.data and seen["y"].base is y.data  # no copies
    np.testing.assert_array_equal(gradients[0].data, [[30.0, 40.0]])
    np.testing.assert_array_equal(gradients[1].data, [10.0, 20.0])
    second = grad(grad(y, a, np.ones((1, 2)), create_graph=True), b, np.ones((1, 2)))
    np.testing.assert_array_equal(second.data, [10.0, 10.0])


DECLARATIONS = [
    (lambda: elementwise(z=lambda g: g)(lambda xp, x: x), "a rule for 'z', but the inputs are x"),
    (lambda: elementwise(x=lambda g, q: g)(lambda xp, x: x), r"the rule for 'x' takes \(g, q\); expected g"),
    (lambda: elementwise(x=lambda y, g: g)(lambda xp, x: x), r"takes \(y, g\)"),
    (lambda: primitive(x=lambda g, z_shape: g)(lambda xp, x: x), "expected g.*x, x_shape, y"),
    (lambda: F.exp.vjp("z")(lambda g: g), "exp: got a rule for 'z'"),
    (lambda: elementwise(x=lambda g, keep: g)(lambda xp, x, *, kept=True: x), "kept"),
]


@pytest.mark.parametrize(("declare", "message"), DECLARATIONS)
def test_wrong_declarations_are_refused_at_once(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(autolab.DeclarationError, match=message) as caught:
        declare()
    assert len(str(caught.value)) <= 300


def test_a_primitives_rule_must_give_its_inputs_shape() -> None:
    @primitive(x=lambda g: g)
    def total(xp, x):
        return x.sum()

    x = Variable(np.ones((2, 3)))
    for create_graph in (False, True):
        with pytest.raises(
            autolab.GradientShapeError, match=r"total: gradient for input 'x' has shape \(\), .*\(2, 3\)"
        ):
            grad(total(x), x, create_graph=create_graph)

    @primitive(x=lambda g, y: F.broadcast_to(g, shape=(4, 2, 3)))
    def doubled(xp, x):
        return x.sum()

    with pytest.raises(autolab.GradientShapeError, match=r"Sum over the broadcast axes: sum_to\(g, shape=\(2, 3\)\)"):
        grad(doubled(x), x)


def test_the_face_of_a_declared_function() -> None:
    @elementwise(x=lambda g, x: g * 2 * x, domain=(-3, 3))
    def squared(xp, x, *, scale=1.0):
        """The square."""
        return x * x * scale

    assert squared.__name__ == "squared" and squared.__doc__ == "The square."
    assert str(inspect.signature(squared)) == "(x, scale=1.0)"
    assert squared.function.domain == (-3, 3) and squared.function.inputs == ("x",)
    assert repr(squared.function) == "<function squared(x, scale=1.0)>"
    for function in [getattr(F, name) for name in F.__all__]:
        assert function.__doc__ and ">>>" in function.__doc__


def test_a_function_may_be_called_otherwise_than_its_forward() -> None:
    @elementwise(x=lambda g: 2 * g, name="twice")
    def forward(xp, x):
        return 2 * x

    @primitive(x=lambda g: g, name="whole")
    def whole_forward(xp, x):
        raise ValueError("no")

    x = Variable(1.0)
    assert forward(x).creator.name == "twice"
    with pytest.raises(ValueError, match=r"^whole: "):
        whole_forward(x)


def test_an_attribute_without_a_default_must_be_given() -> None:
    @primitive(x=lambda g, factor: g * factor)
    def times(xp, x, *, factor, shift=0.0):
        return x * factor + shift

    x = Variable(1.0)
    for missing in (lambda: times(x), lambda: times(x, shift=1.0), lambda: times(x.data, shift=1.0)):
        with pytest.raises(TypeError, match="times: factor must be given: times\\(x, factor\\)"):
            missing()
    assert times(x, factor=2.0).item() == 2.0


def test_inputs_without_a_rule_are_constants() -> None:
    @elementwise(x=lambda g, mask: g * mask)
    def masked(xp, x, mask):
        return x * mask

    x, mask = Variable([1.0, 2.0]), Variable([1.0, 0.0])
    y = masked(x, mask)
    gx, gm = grad(y, (x, mask), np.ones(2))
    assert gx.data.tolist() == [1.0, 0.0] and gm is None


def test_an_input_may_be_called_like_the_output() -> None:
    @elementwise(y=lambda g, y: g * 2 * y)
    def squared(xp, y):
        return y * y

    @elementwise(x=lambda g, y: g * y, y=lambda g, x: g * x)
    def product(xp, x, y):
        return x * y

    x, y = Variable(3.0), Variable(5.0)
    assert grad(squared(x), x).data == 6.0
    for function in (product, lambda x, y: product.function.apply((x, y), {})):
        assert [float(g.data) for g in grad(function(x, y), (x, y))] == [5.0, 3.0]
    with pytest.raises(autolab.DeclarationError, match=r"expected g, and after it any of x, x_shape, y, y_shape$"):
        elementwise(x=lambda g, z: g)(product.__wrapped__)


def test_a_rule_on_several_lines() -> None:
    @primitive()
    def flipped(xp, x):
        return x[::-1]

    @flipped.vjp("x")
    def _(g):
        return flipped(g)

    x = Variable([1.0, 2.0, 3.0])
    assert grad(flipped(x) * np.array([1.0, 2.0, 3.0]), x, np.ones(3)).data.tolist() == [3.0, 2.0, 1.0]


def test_arrays_in_array_out() -> None:
    for function in (F.tanh, F.exp):
        assert type(function(np.ones(2))) is np.ndarray
    assert type(F.mul(np.ones(2), 2.0)) is np.ndarray
    assert F.sum([1.0, 2.0]) == 3.0 and F.mul(2.0, 3.5) == 7.0 and F.add(1, 2) == 3 and F.pow(2, 3) == 8
    assert F.matmul(np.ones((2, 2)), [1.0, 2.0]).tolist() == [3.0, 3.0]


BASE = np.linspace(0.5, 2, 6).reshape(2, 3)
OPERANDS = [
    *(Variable(BASE), Variable(BASE[:1].astype(np.float32)), Variable(2.0), Variable(np.array([[1, 2, 3]]))),
    *(Variable(BASE, requires_grad=False), BASE, BASE[0], 2.0, 3, np.float32(2), [1.0, 2.0, 3.0]),
]


def described(y: Variable) -> list[object]:
    """All of a step: its value and, edge by edge, parent, rule, what is kept and what must be fitted."""
    edges = [] if y.node is None else list(y.node.edges)
    saved = [edge.saved if isinstance(edge.saved, tuple) else (edge.saved,) for edge in edges]
    fits = [edge.fit or (y.shape, y.dtype) for edge in edges]
    values = [(a.tolist(), a.dtype) for a in [y.data, *[np.asarray(a) for kept in saved for a in kept]]]
    return [values, [edge.parent for edge in edges], [(edge.place, edge.rule) for edge in edges], fits]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "neg", "exp", "log", "sin", "cos", "tanh"])
def test_fast_paths_are_equal_to_apply(name: str) -> None:
    function = getattr(F, name)
    assert function.__code__.co_name == "call"  # there is a fast path
    arity = len(function.function.inputs)
    compared = 0
    for args in product(OPERANDS, repeat=arity):
        if any(isinstance(a, Variable) for a in args):
            compared += 1
            assert described(function(*args)) == described(function.function.apply(args, {})), args
            with autolab.no_grad():
                assert described(function(*args)) == described(function.function.apply(args, {}))
    assert compared == (5 if arity == 1 else 85)


RETENTIONS = [names for n in range(4) for names in combinations(("a", "b", "y"), n)]


@each("of_a", RETENTIONS, ids="".join)
@each("of_b", RETENTIONS, ids="".join)
def test_fast_paths_keep_what_apply_keeps(of_a: tuple[str, ...], of_b: tuple[str, ...]) -> None:
    def rule(names: tuple[str, ...]) -> Callable[..., object]:
        return eval(f"lambda {', '.join(['g', *names])}: {' * '.join(['g', *names])}")

    @elementwise(a=rule(of_a), b=rule(of_b))
    def made(xp, a, b):
        return xp.multiply(a, b)

    a, b = Variable([2.0, 3.0]), Variable([5.0, 7.0])
    values = {"a": a.data, "b": b.data, "y": a.data * b.data}
    assert described(made(a, b)) == described(made.function.apply((a, b), {}))
    for create_graph in (False, True):
        for g, names in zip(grad(made(a, b), (a, b), np.ones(2), create_graph=create_graph), (of_a, of_b), strict=True):
            np.testing.assert_array_equal(g.data, np.prod([np.ones(2), *[values[name] for name in names]], axis=0))


@elementwise(x=lambda g, x_shape, y, x: g * len(x_shape) * y * x)
def _one_that_keeps_a_shape(xp, x):
    return xp.exp(x)


@elementwise(a=lambda g, b_shape: g * b_shape[0], b=lambda g, y, a_shape, a: g * a_shape[0] * y * a)
def _two_that_keep_shapes(xp, a, b):
    return xp.multiply(a, b)


@pytest.mark.parametrize("function", [_one_that_keeps_a_shape, _two_that_keep_shapes, F.matmul])
def test_fast_paths_keep_shapes_as_apply_does(function: Any) -> None:
    args = [Variable([[2.0, 3.0], [4.0, 5.0]]), Variable([[7.0, 1.0], [3.0, 8.0]])][: len(function.function.inputs)]
    assert described(function(*args)) == described(function.function.apply(tuple(args), {}))


def test_only_the_gradient_of_what_was_broadcast_is_looked_at() -> None:
    x, row = Variable(np.ones((3, 2))), Variable(np.ones(2))
    for y, fits in ((x * row, [None, ((2,), row.dtype)]), (row - x, [((2,), row.dtype), None]), (x * 2.0, [None])):
        assert [edge.fit for edge in y.node.edges] == fits
    wide = x * row.astype(np.float32)  # of another dtype: both are looked at
    assert None not in [edge.fit for edge in wide.node.edges]


def goes_the_long_way(call: Callable[[], object]) -> bool:
    """Whether ``call`` runs through `Primitive.apply`."""
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(frame.f_code))
    try:
        call()
    finally:
        sys.setprofile(None)
    return Primitive.apply.__code__ in seen


CALLS: dict[str, Callable[[Variable, np.ndarray], object]] = {
    "one input": lambda x, array: F.tanh(x),
    "a sign": lambda x, array: -x,
    "two inputs": lambda x, array: x * x,
    "broadcast": lambda x, array: x + F.sum(x),
    "a number on the right": lambda x, array: x * 2.0,
    "a number on the left": lambda x, array: 3 - x,
    "an array on the right": lambda x, array: x * array,
    "an array on the left": lambda x, array: array * x,
    "two arrays": lambda x, array: F.add(array, array),
    "rules declared later": lambda x, array: F.relu(x),
    "rules that keep several values": lambda x, array: x**2,
    "rules that keep shapes": lambda x, array: x @ x,
    "a rule for one input only": lambda x, array: F.embedding(np.array([0]), x.reshape(2, 1)),
    "attributes": lambda x, array: F.sum(x, axis=0, keepdims=True),
    "an attribute that must be given": lambda x, array: F.reshape(x, shape=(2, 1)),
    "attributes beside arrays": lambda x, array: F.sum_to(array, shape=(1,)),
    "three inputs": lambda x, array: F.muladd(x, array, x),
    "inputs left out": lambda x, array: F.linear(x.reshape(1, 2), x.reshape(1, 2)),
}


@each("call", CALLS.values(), ids=CALLS)
def test_fast_paths_are_taken(call: Callable[[Variable, np.ndarray], object]) -> None:
    """They are half of the engine's speed; a step that falls back to `apply` is as right, and slower."""
    x, array = Variable([1.0, 2.0]), np.array([1.0, 2.0])
    short = call(x, array)
    assert not goes_the_long_way(lambda: call(x, array))
    if isinstance(short, Variable):
        with observe(lambda event: None):
            assert goes_the_long_way(lambda: call(x, array))
            long = call(x, array)
        assert described(short)[:1] + described(short)[2:] == described(long)[:1] + described(long)[2:]


def test_results_that_are_no_floats_have_no_gradient() -> None:
    @elementwise(x=lambda g: g)
    def rounded(xp, x):
        return x.astype(int)

    x = Variable([1.5, 2.5])
    for y in (rounded(x), rounded.function.apply((x,), {})):
        assert y.dtype == np.int64 and not y.requires_grad


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_a_gradient_larger_than_the_result_is_no_broadcast_axis(shape: tuple[int, ...]) -> None:
    @autolab.elementwise(x=lambda g, x: g * np.ones((2, 3)))
    def wrong(xp, x):
        return x * 1.0

    x = autolab.Variable(np.ones(shape))
    y = wrong(x).sum()
    with pytest.raises(autolab.GradientShapeError, match=r"wrong: gradient for input 'x' has shape \(2, 3\)"):
        y.backward()
    assert x.grad is None
