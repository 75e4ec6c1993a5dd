"""A Variable that a user's forward finds around it: its gradient is right, or an error says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, links, transforms
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, FunctionNode, SimpleFunction, custom_jvp, custom_vjp
from autolab.compat import dezero
from autolab.compat.torch import autograd

Read = Callable[[], Any]


def context(kind: Any, read: Read, x: Any) -> Any:
    class Scaled(kind):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * read()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * read().detach()

    return Scaled.apply(x)


def method(kind: Any, read: Read, x: Any) -> Any:
    class Scaled(kind):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x * read()

        def backward(self, g: Any) -> Any:
            return g * read()

    return Scaled()(x)


def node(read: Read, x: Any) -> Any:
    class Scaled(FunctionNode):
        def forward(self, inputs: Any) -> Any:
            return (inputs[0] * read(),)

        def backward(self, indexes: Any, gs: Any) -> Any:
            return (gs[0] * read(),)

    return Scaled().apply((x,))[0]


def arrays(read: Read, x: Any) -> Any:
    class Scaled(Function):
        def forward(self, inputs: Any) -> Any:
            return (inputs[0] * read(),)

        def backward(self, inputs: Any, gs: Any) -> Any:
            return (gs[0] * read().data,)

    return Scaled()(x)


def rule(read: Read, x: Any) -> Any:
    f = custom_vjp(lambda x: x * read())
    f.defvjp(lambda x: (x * read(), None), lambda residuals, g: (g * read().detach(),))
    return f(x)


def apart(read: Read, x: Any) -> Any:
    f = custom_vjp(lambda x, n: x * n, nondiff_argnums=(1,))
    f.defvjp(lambda x, n: (x * n, None), lambda n, residuals, g: (g * n,))
    return f(x, read())


def tangent(read: Read, x: Any) -> Any:
    f = custom_jvp(lambda x: x * read())
    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0] * read()))
    return f(x)


def primitive(read: Read, x: Any) -> Any:
    @autolab.primitive(x=lambda g: g * read())
    def scaled(xp: Any, x: Any) -> Any:
        return x * read()

    return scaled(x)


def elementwise(read: Read, x: Any) -> Any:
    @autolab.elementwise(x=lambda g: g * read())
    def scaled(xp: Any, x: Any) -> Any:
        return x * read()

    return scaled(x)


STYLES: dict[str, Callable[[Read, Any], Any]] = {
    "ContextFunction": partial(context, ContextFunction),
    "torch.autograd.Function": partial(context, autograd.Function),
    "SimpleFunction": partial(method, SimpleFunction),
    "dezero.Function": partial(method, dezero.Function),
    "FunctionNode": node,
    "Function": arrays,
    "custom_vjp": rule,
    "nondiff_argnums": apart,
    "custom_jvp": tangent,
    "primitive": primitive,
    "elementwise": elementwise,
    "checkpoint": lambda read, x: transforms.checkpoint(lambda x: x * read())(x),
    "compile": lambda read, x: autolab.compile(lambda x: x * read())(x),
    "fuse": lambda read, x: autolab.fuse(lambda x: x * read())(x),
    "vmap": lambda read, x: transforms.vmap(lambda x: x * read())(F.reshape(x, (1,)))[0],
}


def by_default(a: Variable) -> Read:
    def read(given: Any = a) -> Any:
        return given

    return read


def captures(a: Variable) -> Iterator[tuple[str, Read, Variable]]:
    """Ways to find a value around a function, and the value whose gradient is wanted."""
    yield "closure", lambda: a, a
    computed = a * 1.0
    yield "computed", lambda: computed, a
    world = SimpleNamespace(a=a, held={"a": [a]})
    yield "attribute", lambda: world.a, a
    yield "container", lambda: world.held["a"][0], a
    yield "default", by_default(a), a
    yield "partial", partial(lambda given: given, a), a
    parameter = Parameter(np.array(2.0))
    yield "parameter", lambda: parameter, parameter
    link = links.Scale(0, (), bias_term=False) if hasattr(links, "Scale") else None
    if link is not None:
        link.W.data = np.array(2.0)
        yield "link", lambda: link.W, link.W


def test_its_gradient_is_right_or_refused_by_name() -> None:
    wrong = []
    for style, apply in STYLES.items():
        for order in (1, 2):
            for how, read, a in captures(Variable(2.0)):
                x = Variable(3.0)
                try:
                    y = apply(read, x)
                    g = autolab.grad(y, a, create_graph=order == 2)
                    g = autolab.grad(g, x) if order == 2 else g
                except (ValueError, TypeError) as error:
                    if "argument" not in str(error) and "pass it as one" not in str(error):
                        wrong.append(f"{style}, {how}: {type(error).__name__}: {error}")
                    continue
                expected = 3.0 if order == 1 else 1.0
                if g is None or float(g.data) != expected:
                    wrong.append(f"{style}, {how}, order {order}: {g}")
    assert not wrong, "\n".join(wrong)


def test_what_needs_no_gradient_may_stand_around() -> None:
    constant, table, layer = Variable(2.0, requires_grad=False), np.array([1.0, 2.0]), links.Linear(1, 1, initialW=2.0)
    a = Variable(2.0)

    class Own(ContextFunction):
        @staticmethod
        def forward(ctx: Any, x: Any, others: Any) -> Any:
            one = Variable(1.0)
            ctx.k = others[0]
            return x * constant * table[0] * one * a.detach() * (x.data < a.data)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 4.0, None

    class Again(ContextFunction):  # as a checkpoint does
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return layer(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x = Variable(ctx.saved_tensors[0].data)
            with autolab.using_config("enable_backprop", True):
                y = layer(x)
            y.grad = g
            y.backward()
            return x.grad

    x = Variable(1.0)
    Own.apply(x, [a]).backward()
    assert float(x.grad) == 4.0
    x = Variable([[3.0]])
    Again.apply(x).backward()
    assert (float(x.grad), float(layer.W.grad)) == (2.0, 3.0)
    with autolab.no_grad():
        assert context(ContextFunction, lambda: a, Variable(3.0)).data == 6.0


@pytest.mark.parametrize("style", ["ContextFunction", "custom_vjp"])
def test_the_error_names_it(style: str) -> None:
    scale = Variable(2.0)
    with pytest.raises(ValueError, match=r"uses scale, .*pass it as an argument") as caught:
        STYLES[style](lambda: scale, Variable(3.0))
    assert len(str(caught.value)) <= 300
