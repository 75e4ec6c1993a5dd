"""What changes after a compiled call: a gradient of higher order is still that of the call, or says why it cannot be; a
copy of an object runs its own methods."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits

import autolab
from autolab import Parameter, Variable
from autolab import functions as F
from autolab import links as L
from autolab.transforms.compiling import CompileWarning

A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.5]])
NUMBERS = {"k": 2.0}
FIXED = Variable(B, requires_grad=False)


def of_a_number(x: Variable) -> Variable:
    return F.sum(x**3 * NUMBERS["k"])


def of_what_is_fixed(x: Variable) -> Variable:
    return F.sum(x**3 * FIXED)


def of_a_mode(x: Variable) -> Variable:
    return F.sum(x**3 * (2.0 if autolab.config.train else 7.0))


def of_arguments(x: Variable, others: list[Any], by: dict[str, Any], t: Variable) -> Variable:
    return F.sum(x**3 * others[0] * by["k"] * t)


def slopes(y: Variable, x: Variable) -> Any:
    first = autolab.grad(y, x, create_graph=True)
    return bits([first, autolab.grad(F.sum(first * first), x)])


def test_what_was_given_and_the_mode_are_those_of_the_call() -> None:
    compiled = autolab.compile(of_arguments), autolab.compile(of_a_mode)
    for i in range(4):
        told = []
        for function, in_mode in (compiled, (of_arguments, of_a_mode)):
            x, others, by = Variable(A + i), [Variable(B)], {"k": 3.0}
            y, z = function(x, others, by, t=Variable(B, requires_grad=False)), in_mode(x)
            others[0], by["k"] = x, 5.0
            with autolab.using_config("train", False):
                told.append([slopes(y, x), slopes(z, x)])
        assert told[0] == told[1]
    assert all([one.programs and not one.refusals for one in compiled])


def other_number(t: Variable) -> None:
    NUMBERS["k"] += 1.0


def other_numbers(t: Variable) -> None:
    FIXED.data = FIXED.data + 1.0


def other_argument(t: Variable) -> None:
    t.data = B + 1.0


@pytest.mark.parametrize(
    ("function", "change", "named"),
    [
        (of_a_number, other_number, r"NUMBERS\['k'\] has changed"),
        (of_what_is_fixed, other_numbers, "a parameter has changed"),
        (lambda x, t: F.sum(x**3 * t), other_argument, "a parameter has changed"),
    ],
)
def test_what_has_changed_since_the_call_is_named(
    function: Callable[..., Any], change: Callable[[Variable], None], named: str
) -> None:
    compiled = autolab.compile(function)
    for _ in range(3):
        x, t = Variable(A), Variable(B, requires_grad=False)
        given = [x] if function in (of_a_number, of_what_is_fixed) else [x, t]
        plain, y = slopes(function(*given), x), compiled(*given)
        assert slopes(y, x) == plain
    first = bits(autolab.grad(y, x))
    change(t)
    with pytest.raises(RuntimeError, match=named):
        autolab.grad(y, x, create_graph=True)
    assert bits(autolab.grad(y, x)) == first


class Noted:
    note: Any = None


@pytest.mark.parametrize("form", ["text", "argument", "list"])
def test_what_a_call_writes_into_an_object_is_written_by_the_next(form: str) -> None:
    noted, made = Noted(), {"text": lambda x, word: "called", "argument": lambda x, word: word}
    make = made.get(form, lambda x, word: [x.data * 3])

    def step(x: Variable, word: str) -> Any:
        noted.note = make(x, word)
        return x.data * 2

    compiled = autolab.compile(step)
    for i, word in enumerate("aaaabbbbaabb"):
        if i % 3:
            noted.note = [None, "other"][i % 2]
        x = Variable(A + i)
        assert bits(compiled(x, word)) == bits(x.data * 2)
        assert bits(noted.note) == bits(make(x, word))


class Scaled(autolab.Link):
    def __init__(self) -> None:
        super().__init__()
        self.w, self.k = Parameter(A.copy()), 2.0

    @autolab.compile
    def loss(self, x: Variable) -> Variable:
        return F.sum(x * self.w * self.k)

    @staticmethod
    def plainly(one: Scaled, x: Variable) -> Variable:
        return F.sum(x * one.w * one.k)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, Scaled.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_runs_its_own_compiled_methods(copied: Callable[[Any], Any]) -> None:
    first = Scaled()
    for _ in range(3):
        first.loss(Variable(B))
    other = copied(first)
    other.k, other.w = 5.0, Parameter(B.copy())
    for one in (other, first, other, first):
        one.cleargrads()
        y = one.loss(Variable(A))
        y.backward()
        assert bits(y) == bits(Scaled.plainly(one, Variable(A))) and bits(one.w.grad.data) == bits(A * one.k)
    assert first.loss is first.loss and first.loss.programs and other.loss.programs


def test_a_copy_of_what_holds_a_compiled_method_calls_that_of_the_copy() -> None:
    one = Scaled()
    one.f = autolab.compile(one.__class__.plainly.__get__(one))
    one.f(Variable(A)), one.f(Variable(A))
    other = copy.deepcopy(one)
    other.k = 5.0
    assert bits(other.f(Variable(A))) == bits(Scaled.plainly(other, Variable(A)))


def test_what_was_given_and_comes_back_is_what_was_given() -> None:
    w = Parameter(A.copy())

    def step(x: Variable) -> Any:
        return {"y": F.sum(w * x * x), "w": w, "others": [x]}

    compiled, told = autolab.compile(step), []
    for function in (compiled, step):
        for i in range(4):
            w.cleargrad()
            x = Variable(B + i)
            found = function(x)
            assert found["w"] is w and found["others"][0] is x
            first = autolab.grad(F.sum(found["y"] * w + x), x, create_graph=True)
            F.sum(first * first).backward()
            told.append([*map(np.round, (found["y"].data, first.data, w.grad.data, x.grad.data))])
    assert bits(told[:4]) == bits(told[4:])
    assert compiled.programs and not compiled.refusals


def test_running_means_stay_those_of_the_last_call_when_an_earlier_one_is_differentiated_twice() -> None:
    told = []
    for wrap in (autolab.compile, lambda net: net):
        net = L.BatchNormalization(2)
        function = wrap(net)
        for i in range(4):
            x = Variable(A * A + i)
            y = F.sum(function(x) ** 3)
            function(Variable(B * i))
            before = bits(net.state_dict())
            first = autolab.grad(y, x, create_graph=True)
            second = autolab.grad(F.sum(first**2), x)
            assert bits(net.state_dict()) == before
            told.append([before, np.round(second.data, 3).tolist()])
        assert wrap is not autolab.compile or (function.programs and not function.refusals)
    assert told[:4] == told[4:]


def attending() -> tuple[Any, Any]:
    with autolab.using_config("rng", np.random.default_rng(0)):
        net = L.TransformerEncoderLayer(2, 1)
    return net, net.attention


def test_what_attention_leaves_for_whoever_looks_does_not_stop_a_compiled_network() -> None:
    told = []
    for wrap in (autolab.compile, lambda net: net):
        net, attention = attending()
        function = wrap(net)
        for i in range(4):
            x, later = Variable(A[None] * (i + 1)), Variable(B[None])
            y = F.sum(function(x) ** 3)
            seen = attention.weights.copy()
            function(later)
            of_later = attention.weights.copy()
            first = autolab.grad(y, x, create_graph=True)
            told.append(bits([y, seen, of_later, first]))
            second = autolab.grad(F.sum(first * first), x).data
            assert bits(attention.weights) == bits(of_later)  # though the call was repeated
        told.append(np.round(second, 6).tolist())
        assert wrap is not autolab.compile or (function.programs and not function.refusals)
    assert told[:5] == told[5:]


@pytest.mark.parametrize(
    "look", [lambda w: F.sum(w * w), lambda w: np.sum(w) * np.float64(2), lambda w: float(w.sum())]
)
def test_a_step_that_reads_the_attention_of_the_call_before_runs_as_it_is_written(look: Callable[[Any], Any]) -> None:
    told = []
    for wrap in (autolab.compile, lambda f: f):
        net, attention = attending()

        def step(x: Any, net: Any = net, attention: Any = attention) -> Any:
            before = attention.weights
            return net(x).data * (1.0 if before is None else look(before)) + attention.weights

        function = wrap(step)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CompileWarning)
            told.append([bits([function(A[None] * (i + 1)), attention.weights]) for i in range(4)])
        if wrap is autolab.compile:
            assert function.refusals
    assert told[0] == told[1]
