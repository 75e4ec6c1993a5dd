"""What changes after a compiled call: a gradient of higher order is still that of the call, or says why it cannot be; a
copy of an object runs its own methods."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits

import autolab
from autolab import Parameter, Variable
from autolab import functions as F

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
