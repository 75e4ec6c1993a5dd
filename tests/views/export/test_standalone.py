"""Functions as programs: closures, lambdas, defaults and decorators compute the same there, or are refused by name."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import FunctionNode, Variable
from autolab.engine.grad import grad
from autolab.recording import locate
from autolab.views.export.standalone import NotStandalone, standalone

K = 3
HOSTILE = "'''); raise SystemExit  # \\ \0 \n"


def around(k: float, w: Any) -> Callable[..., Any]:
    def helper(t):
        return t * k

    def inner(x):
        """A sentence
        of two lines."""
        return helper(x) * w + K

    return inner


def recursive() -> Callable[..., Any]:
    def power(x, n=3):
        return x if n == 0 else x * power(x, n - 1)

    return power


def with_a_default(K: float) -> Callable[..., Any]:
    return lambda x, k=K, *, m=K: x * k * m


def with_a_dict(held: dict[str, Any]) -> Callable[..., Any]:
    return lambda x: x * held["w"] + held["more"][1]


def with_text(text: str) -> Callable[..., Any]:
    return lambda x: x * len(text)


def named_like_builtins(len: float, x: float) -> Callable[..., Any]:
    return lambda autolab_: autolab_ * len * x


def doubled(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args) * 2

    return inner


@doubled
def decorated(x):
    return x * K


@autolab.primitive(x=lambda g, x: 2 * g * x)
def squared(xp, x):
    return x * x


def uses_a_primitive(x):
    return squared(x) + 1


first, second = lambda x: x * 2, lambda x: x * 5
over_lines = [
    1,
    (
        lambda x: (
            x.sum()  # a comment
            + 1
        )
    ),
][1]
renamed = uses_a_primitive


def uses_others(x):
    return renamed(x) + second(x)


class Scaled(FunctionNode):
    factor = 3.0

    def forward(self, inputs):
        return (inputs[0] * self.factor,)

    def backward(self, target_input_indexes, grad_outputs):
        return tuple([g * self.factor for g in grad_outputs])


class ScaledByMore(Scaled):
    factor = Scaled.factor + K

    def forward(self, inputs):
        return super().forward((np.asarray(inputs[0]),))


def applied(kind: type[FunctionNode]) -> Callable[..., Any]:
    def fn(x):
        (y,) = kind().apply((x,))
        return y

    fn.__name__ = "fn"
    return fn


def of_an_inner_class(factor: float) -> Callable[..., Any]:
    class Inner(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * factor,)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * factor,)

    return applied(Inner)


@each(
    "fn",
    [
        applied(Scaled),
        of_an_inner_class(1.5),
        with_a_dict({"w": np.array([2.0, -1.0]), "more": {1: 3.0}}),
        around(2.5, np.array([1.0, -2.0])),
        recursive(),
        with_a_default(7.0),
        with_text(HOSTILE),
        named_like_builtins(2.0, 5.0),
        decorated,
        uses_a_primitive,
        first,
        second,
        over_lines,
        uses_others,
        lambda x: x * K,
    ],
)
def test_values_and_gradients_are_the_same_in_a_program_of_its_own(fn: Any) -> None:
    names: dict[str, Any] = {}
    name = "fn" if fn.__name__ == "<lambda>" else fn.__name__
    exec(standalone(fn, name), names)
    assert computed(names[name]) == computed(fn)


def computed(fn: Callable[..., Any]) -> list[list[float]]:
    x = Variable(np.array([0.5, -3.0]))
    y = fn(x)
    (g,) = grad([y], [x], [np.ones(y.shape)])
    assert g is not None
    return [np.ravel(y.data).tolist(), g.data.tolist()]


def counts() -> Callable[..., Any]:
    n = 0

    def fn(x):
        nonlocal n
        n += 1
        return x * n

    return fn


def before_its_value() -> Callable[..., Any]:
    def fn(x):
        return x * later

    if K > 5:
        later = 2.0
    return fn


def with_text_of_two_lines() -> Callable[..., Any]:
    def fn(x):
        text = """a
            b"""
        return x * len(text)

    return fn


def with_a_decorator_around() -> Callable[..., Any]:
    own = doubled

    @own
    def fn(x):
        return x

    return fn


def two_of_one_name() -> Callable[..., Any]:
    def other():
        K = 4
        return lambda x: x + K

    f = other()

    def fn(x):
        return f(x) * K

    return fn


def sum_and_builtin() -> Callable[..., Any]:
    def sum(x):
        return x

    return lambda x: sum(x) + uses_the_builtin(x)


def uses_the_builtin(x):
    return sum([x, x])


def with_a_class_that_may_be_another() -> Callable[..., Any]:
    return applied(ScaledByMore)


def with_a_method_from_elsewhere() -> Callable[..., Any]:
    return applied(type("Typed", (Scaled,), {"forward": lambda self, inputs: inputs}))


def wrapped_without_a_decorator() -> Callable[..., Any]:
    return functools.wraps(first)(lambda x: 3 * x)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (counts, "changes a variable of the function around it"),
        (before_its_value, "later has no value yet"),
        (with_text_of_two_lines, "not the code that ran"),
        (with_a_decorator_around, "own was looked up in the function around fn"),
        (two_of_one_name, "K means two things"),
        (sum_and_builtin, "sum means two things"),
        (with_a_class_that_may_be_another, "K may have changed since ScaledByMore was defined"),
        (with_a_method_from_elsewhere, "kind is a type, whose source was not found"),
        (wrapped_without_a_decorator, "fn wraps another function"),
    ],
)
def test_what_would_be_another_program_is_refused(make: Callable[[], Any], why: str) -> None:
    with pytest.raises(NotStandalone, match=why):
        standalone(make(), "fn")


def test_a_source_that_has_changed_since_is_no_program(tmp_path: Path) -> None:
    path, names = tmp_path / "changing.py", {"__name__": "changing"}
    for text in ("def fn(x):\n    return x * 2\n", "def fn(x):\n    return x * 22\n"):
        path.write_text(text)
        linecache.clearcache()
        if not names.get("fn"):
            exec(compile(text, path, "exec"), names)
            assert "x * 2" in standalone(names["fn"], "fn")
    locate._read_once.cache_clear()
    with pytest.raises(NotStandalone, match="the source of fn was not found"):
        standalone(names["fn"], "fn")
