"""R4: what a function of any style keeps for backward is watched in the checked mode, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import DamagedValueError, FunctionNode, Variable, check_inplace, elementwise, grad, primitive
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction

Apply = Callable[[Variable, Variable], Variable]


@primitive(x=lambda g, y, c: g * y * c, c=lambda g, x: g * F.exp(x))
def declared(xp, x, c):
    """exp(x) * c, with too much kept on purpose."""
    return xp.exp(x) * c


@elementwise(x=lambda g, x, scale: g * scale * F.cos(x))
def scaled_sine(xp, x, *, scale):
    """sin(x) * scale"""
    return xp.sin(x) * scale


class New(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        self.retain_outputs((1,))
        return inputs[0] * 2 + inputs[1], np.exp(inputs[0])

    def backward(self, target_input_indexes, grad_outputs):
        (x,), (e,) = self.get_retained_inputs(), self.get_retained_outputs()
        one, two = [g if g is not None else 0 * x for g in grad_outputs]
        return one * 2 + two * e, one


class Old(Function):
    def forward(self, inputs):
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return (np.exp(inputs[0]) + inputs[1],)

    def backward(self, inputs, grad_outputs):
        return np.exp(inputs[0]) * grad_outputs[0], grad_outputs[0]


class Simple(SimpleFunction):
    def forward(self, x, c):
        return np.exp(x) + c

    def backward(self, gy):
        return gy * F.exp(self.inputs[0]), gy


class Context(ContextFunction):
    @staticmethod
    def forward(ctx, x, c):
        e = F.exp(x)
        y = e + c
        ctx.save_for_backward(x, y, e)
        ctx.middle = e.data
        return y

    @staticmethod
    def backward(ctx, g):
        _, _, e = ctx.saved_tensors
        return g * e, g


def new(x: Variable, c: Variable) -> tuple[Variable, ...]:
    return New().apply((x, c))


STYLES: dict[str, Callable[..., Any]] = {
    "declared": declared,
    "FunctionNode": new,
    "Function": lambda x, c: Old()(x, c),
    "SimpleFunction": lambda x, c: Simple()(x, c),
    "ContextFunction": Context.apply,
}
DAMAGES = [
    ("declared", "x", "input 'x' of declared"),
    ("declared", "c", "input 'c' of declared"),
    ("declared", "y", "result 'y' of declared"),
    ("FunctionNode", "x", r"input 'inputs\[0\]' of New"),
    ("FunctionNode", "c", None),
    ("FunctionNode", "y", None),  # the first result is not retained
    ("FunctionNode", "second", "result '1' of New"),
    ("Function", "x", r"input 'inputs\[0\]' of Old"),
    ("Function", "c", None),
    ("Function", "y", "result '0' of Old"),
    ("SimpleFunction", "x", "input 'x' of Simple"),
    ("SimpleFunction", "c", "input 'c' of Simple"),
    ("SimpleFunction", "y", "result '0' of Simple"),
    ("ContextFunction", "x", "input 'x' of Context"),
    ("ContextFunction", "c", None),
    ("ContextFunction", "y", "result '0' of Context"),
    ("ContextFunction", "middle", "saved value '2' of Context"),
]


@each(("style", "damaged", "expected"), DAMAGES)
@each("create_graph", [False, True])
def test_damage(style: str, damaged: str, expected: str | None, create_graph: bool) -> None:
    x, c = Variable(np.array([0.5, 1.0])), Variable(np.array([2.0, 3.0]))
    with check_inplace():
        made = STYLES[style](x, c)
    results = made if isinstance(made, tuple) else (made,)
    values = {"x": x.data, "c": c.data, "y": results[0].data, "second": results[-1].data}
    if damaged == "middle":
        values["middle"] = results[0].creator.middle
    values[damaged] += 1
    total = F.sum(results[0] + results[-1])
    if expected is None:
        grad(total, x, create_graph=create_graph)
        return
    with pytest.raises(DamagedValueError, match=rf"^{expected} \(test_damaged_styles\.py, line \d+\) was changed"):
        grad(total, x, create_graph=create_graph)


def test_an_array_given_as_an_attribute() -> None:
    x, scale = Variable(np.ones(2)), np.array([1.0, 2.0])
    with check_inplace():
        y = scaled_sine(x, scale=scale)
    scale *= 2
    with pytest.raises(DamagedValueError, match="attribute 'scale' of scaled_sine"):
        grad(F.sum(y), x)


def test_a_backward_that_damages_what_it_was_given_is_found_at_once() -> None:
    class Consuming(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            x.data[...] *= 2
            return (grad_outputs[0] * x,)

    x = Variable(np.ones(2), name="x")
    with check_inplace():
        (y,) = Consuming().apply((x,))
        with pytest.raises(DamagedValueError, match="input 'x' of Consuming was changed in place by its backward"):
            grad(F.sum(y), x)


def test_a_value_that_a_function_changes_as_announced_is_no_damage() -> None:
    class AddOne(ContextFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.data[...] += 1
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    x = Variable(np.ones(2))
    with check_inplace():
        h = x * x
        y = F.tanh(h)
        h = AddOne.apply(h)
        assert grad(F.sum(y + h * h), x) is not None
