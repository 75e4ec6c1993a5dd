"""What a forward keeps as an attribute: a second derivative is right, or an error says that it would not be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.authoring import ContextFunction, FunctionNode, SimpleFunction

SCALE = np.array([2.0, 3.0])


class SquaresOnContext(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.squares = x.data * x.data
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3 * ctx.squares


class ItselfOnContext(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = x
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2 * ctx.x


class InList(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        kept = []
        for _ in range(1):
            double = 2 * x.data
            kept = [double]
        ctx.kept = {"all": kept}
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.kept["all"][0]


class Exponential(SimpleFunction):
    def forward(self, x: Any) -> Any:
        self.y = np.exp(x)
        return self.y

    def backward(self, g: Any) -> Any:
        return g * self.y


class Length(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        self.length = float(np.sqrt((x * x).sum()))
        self.retain_inputs((0,))
        return (np.asarray(self.length),)

    def backward(self, indexes: Any, gs: Any) -> Any:
        return (gs[0] * self.get_retained_inputs()[0] / self.length,)


class Rectifier(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        self.mask, self.shape, self.n = (x > 1).astype(x.dtype), x.shape, len(x)
        self.slope = np.where(x > 1, 1.0, 0.5)
        return (x * self.mask * self.slope,)

    def backward(self, indexes: Any, gs: Any) -> Any:
        return (gs[0] * self.mask * self.slope * (self.n / self.shape[0]),)


class Dropout(SimpleFunction):
    def __init__(self) -> None:
        self.keep = 0.5

    def forward(self, x: Any) -> Any:
        self.mask = (autolab.config.rng.random(x.shape) < self.keep).astype(x.dtype) / self.keep
        self.scale = SCALE * self.keep
        return x * self.mask * self.scale

    def backward(self, g: Any) -> Any:
        return g * self.mask * self.scale


class Places(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any, k: float) -> Any:
        ctx.order, ctx.k, ctx.zeros = np.argsort(x.data), k, np.zeros_like(x.data)
        ctx.save_for_backward(x)
        return x**2 * k

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 * x * ctx.k + ctx.zeros[ctx.order], None


def applied(function: Any, x: Variable) -> Any:
    if issubclass(function, ContextFunction):
        return function.apply(x, 3.0) if function is Places else function.apply(x)
    return function().apply((x,))[0] if issubclass(function, FunctionNode) else function()(x)


@pytest.mark.parametrize("function", [SquaresOnContext, ItselfOnContext, InList, Exponential, Length])
def test_what_depends_on_the_inputs_is_refused(function: Any) -> None:
    x = Variable([1.0, 2.0])
    first = autolab.grad(F.sum(applied(function, x)), x, create_graph=True)
    with pytest.raises(RuntimeError, match=r"forward computes the attribute .* second derivative") as caught:
        autolab.grad(F.sum(first), x)
    assert len(str(caught.value)) <= 300
    F.sum(applied(function, x)).backward()  # of the first order it is right
    assert np.allclose(x.grad.data, first.data)


@pytest.mark.parametrize("function", [Rectifier, Dropout, Places])
def test_constants_may_be_kept(function: Any) -> None:
    x = Variable([1.0, 2.0])
    first = autolab.grad(F.sum(applied(function, x) * x), x, create_graph=True)
    found = autolab.grad(F.sum(first), x)
    assert np.allclose(found.data, 18.0 * x.data if function is Places else first.data / x.data)
