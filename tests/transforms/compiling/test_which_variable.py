"""What tells one Variable or array from another: its name, its identity, its memory, whether it requires a gradient."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms.compiling import CompileWarning

Make = Callable[[], tuple[Callable[..., Any], list[Callable[[Callable[..., Any]], Any]]]]
A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.5]])


def name_of_a_result() -> Any:
    def f(x: Variable) -> Variable:
        y = x * 2
        y.name = "doubled"
        return y

    return f, [lambda f: f(Variable(A)).name]


def name_that_is_given_to_an_argument() -> Any:
    def f(x: Variable) -> Variable:
        x.name = "mine"
        return x * 2

    def call(f: Any) -> Any:
        x = Variable(A)
        return f(x), x.name

    return f, [call]


def name_of_an_argument() -> Any:
    def f(x: Variable) -> Variable:
        return x * 2 if x.name == "a" else x * 3

    return f, [lambda f: f(Variable(A, name="a")), lambda f: f(Variable(A, name="b"))]


def name_of_a_parameter() -> Any:
    w = Variable(A, name="a")

    def f(x: Variable) -> Variable:
        return x * w if w.name == "a" else x + w

    def rename(f: Any) -> None:
        w.name = "b"

    return f, [lambda f: f(Variable(B)), rename, lambda f: f(Variable(B))]


def what_made_an_argument() -> Any:
    def f(x: Variable) -> Variable:
        return x * 2 if x.creator is not None and x.creator.name == "exp" else x * 3

    return f, [lambda f: f(F.exp(Variable(A))), lambda f: f(F.tanh(Variable(A)))]


def new_leaf() -> Any:
    def f(x: Variable) -> Variable:
        return Variable(x.data * 2)

    def call(f: Any) -> Any:
        y = f(Variable(A))
        F.sum(y * y).backward()
        return y.grad

    return f, [call]


def gradient_that_is_not_required_any_more() -> Any:
    def f(x: Variable) -> Variable:
        x.requires_grad = False
        return x * 2

    def call(f: Any) -> Any:
        x = Variable(A)
        return f(x).requires_grad, x.requires_grad

    return f, [call]


def same_array() -> Any:
    def f(a: np.ndarray, b: np.ndarray) -> Any:
        return a * 2 if a is b else a * 3

    a, b = A.copy(), A.copy()
    return f, [lambda f: f(a, b), lambda f: f(a, a), lambda f: f(a, a[:])]


def one_of_many_arrays() -> Any:
    def f(*arrays: np.ndarray) -> Any:
        return arrays[0] * len({id(one) for one in arrays}) if arrays[0] is arrays[3] else arrays[1] * 3

    arrays = [A + i for i in range(4)]
    return f, [lambda f: f(*arrays), lambda f: f(*arrays[:3], arrays[0])]


def identity() -> Any:
    seen: dict[int, float] = {}
    xs = [Variable(A), Variable(B)]
    for i, x in enumerate(xs):
        seen[id(x)] = i + 1.0

    def f(x: Variable) -> Variable:
        return x * seen[id(x)]

    return f, [lambda f: f(xs[0]), lambda f: f(xs[1])]


def argument_that_is_reached_too() -> Any:
    w = Variable(A)

    def f(x: Variable) -> Variable:
        F.sum(x * w).backward()
        return F.sum(x) if x is w else F.sum(x * 2)

    def call(x: Variable) -> Any:
        def run(f: Any) -> Any:
            w.cleargrad()
            return f(x).data, w.grad

        return run

    return f, [call(Variable(B)), call(w), call(Variable(A))]


def argument_that_was_computed() -> Any:
    """Its function at the later calls is another one, and so is the leaf."""
    xs = [Variable(A), Variable(B)]
    w = Variable(A + 1)

    def f(h: Variable, x: Variable) -> Any:
        w.cleargrad()
        F.sum(h * w).backward()
        return w.grad.data, autolab.grad(F.sum(h * h), x)

    def call(number: int, factor: float) -> Any:
        def run(f: Any) -> Any:
            for x in xs:
                x.cleargrad()
            return *f(xs[number] * factor, xs[number]), xs[number].grad

        return run

    return f, [call(0, 3.0), call(0, 5.0), call(1, 3.0)]


def loss_of_a_computed_argument() -> Any:
    xs = [Variable(A), Variable(B)]

    def call(given: int, under: int, factor: float) -> Any:
        def run(f: Any) -> Any:
            for x in xs:
                x.cleargrad()
            f(xs[given], F.tanh(xs[under] * factor)).backward()
            return [x.grad for x in xs]

        return run

    return lambda x, h: F.sum(x * h), [call(0, 0, 3.0), call(0, 0, 5.0), call(0, 1, 5.0), call(1, 0, 1.0)]


def gradient_in_a_graph() -> Any:
    x = Variable(A)

    def call(power: int) -> Any:
        def run(f: Any) -> Any:
            x.cleargrad()
            F.sum(x**power).backward(create_graph=True)
            return autolab.grad(f(Variable(B)), x)

        return run

    return lambda a: F.sum(a * x.grad), [call(2), call(3)]


def who_may_write() -> Any:
    fixed = A.copy()
    fixed.flags.writeable = False
    return lambda a: a * 2 if a.flags.writeable else a * 3, [lambda f: f(A), lambda f: f(fixed)]


def whose_memory() -> Any:
    return lambda a: a * 2 if a.base is None else a * 3, [lambda f: f(A), lambda f: f(A[:])]


def memory_that_is_shared() -> Any:
    def f(a: np.ndarray, b: np.ndarray) -> Any:
        return a * 2 if np.may_share_memory(a, b) else a * 3

    return f, [lambda f: f(A, B), lambda f: f(A, A[:])]


def kind_of_a_key() -> Any:
    calls = [lambda f, key=key: f({key: A, "b": B}) for key in (1, 1.0, True)]
    return lambda given: given["b"] * (2 if type(next(iter(given))) is int else 3), calls


def sign_of_a_zero() -> Any:
    return lambda a, zero: a * np.copysign(2, zero), [lambda f, z=z: f(A, np.float32(z)) for z in (0.0, -0.0)]


def array_that_is_reached_too() -> Any:
    held = A.copy()

    def f(x: np.ndarray) -> Any:
        return x * 2 if x is held else x * held

    return f, [lambda f: f(B), lambda f: f(held), lambda f: f(A)]


def parameters_that_come_to_share_memory() -> Any:
    w, v = Variable(A.copy()), Variable(B.copy())

    def f(x: Variable) -> Variable:
        w.data -= 0.5
        return x @ v

    def share(part: Callable[[Any], Any]) -> Any:
        def run(f: Any) -> None:
            v.data = part(w.data)

        return run

    def call(f: Any) -> Any:
        return f(Variable(A)), w.data.copy()

    return f, [call, share(lambda a: a), call, share(lambda a: a[:]), call, share(lambda a: a.T), call]


@each(
    "make",
    [
        name_of_a_result,
        name_that_is_given_to_an_argument,
        name_of_an_argument,
        name_of_a_parameter,
        what_made_an_argument,
        new_leaf,
        gradient_that_is_not_required_any_more,
        same_array,
        one_of_many_arrays,
        identity,
        argument_that_is_reached_too,
        argument_that_was_computed,
        loss_of_a_computed_argument,
        gradient_in_a_graph,
        who_may_write,
        whose_memory,
        memory_that_is_shared,
        kind_of_a_key,
        sign_of_a_zero,
        array_that_is_reached_too,
        parameters_that_come_to_share_memory,
    ],
)
def test_it_does_what_the_function_does(make: Make) -> None:
    found = []
    for wrap in (autolab.compile, lambda f: f):
        function, calls = make()
        run = wrap(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CompileWarning)
            found.append([repr_of(call(run)) for call in calls for _ in range(4)])
    assert found[0] == found[1]


def repr_of(found: Any) -> Any:
    return [repr_of(one) for one in found] if isinstance(found, tuple | list) else bits(found)


def test_an_array_beside_a_loss_is_compiled() -> None:
    compiled = autolab.compile(lambda x: (F.sum(F.tanh(x)), x.data * 2))
    for i in range(4):
        x = Variable(A + i)
        loss, doubled = compiled(x)
        loss.backward()
        assert bits(doubled) == bits(x.data * 2) and bits(x.grad.data) == bits(autolab.grad(F.sum(F.tanh(x)), x).data)
    assert compiled.programs and not compiled.refusals


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_that_a_step_stores_may_be_returned(create_graph: bool) -> None:
    w = Variable(A)

    def step(x: Variable) -> Any:
        w.cleargrad()
        F.sum(w * w * w * x).backward(create_graph=create_graph)
        return w.grad, [w.grad, w.grad * 2]

    compiled = autolab.compile(step)
    for x in (A, B, A):
        (plain, others), (g, (same, doubled)) = step(Variable(x)), compiled(Variable(x))
        assert g is same is w.grad and plain is others[0] is not g
        assert bits(g.data) == bits(plain.data) and bits(doubled.data) == bits(others[1].data)
        assert g.requires_grad == plain.requires_grad == create_graph
    assert compiled.programs and not compiled.refusals
    if create_graph:
        with pytest.raises(RuntimeError, match="comes out of a compiled step, which keeps no graph"):
            autolab.grad(F.sum(g), w)


def test_a_gradient_from_before_the_call_is_refused_by_what_it_is() -> None:
    w = Variable(A)
    F.sum(w * w).backward()
    compiled = autolab.compile(lambda: w.grad)
    with pytest.warns(CompileWarning, match="returns a gradient that was there before the call"):
        assert compiled() is w.grad
