"""Functions for the tests, and a check of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autolab.authoring import ContextFunction, Function


def shown(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "Mine" in str(caught.value) and len(str(caught.value)) <= 300


class MulAdd(Function):
    def forward_cpu(self, inputs):
        x, y, z = inputs
        return (x * y + z,)

    def backward_cpu(self, inputs, grad_outputs):
        x, y, _ = inputs
        (gw,) = grad_outputs
        return gw * y, gw * x, gw


def muladd(x, y, z):
    return MulAdd()(x, y, z)


def old_style(forward: Callable[..., Any] | None = None, backward: Callable[..., Any] | None = None) -> Function:
    """A new Function of two inputs called Mine."""
    body = {
        "forward": forward or (lambda self, inputs: (inputs[0] * inputs[1],)),
        "backward": backward or (lambda self, inputs, gs: (gs[0] * inputs[1], gs[0] * inputs[0])),
    }
    return type("Mine", (Function,), body)()


def ctx_style(
    forward: Callable[..., Any] | None = None, backward: Callable[..., Any] | None = None
) -> type[ContextFunction]:
    """A ContextFunction called Mine; by default the product of its two arguments."""

    def product(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    def gradients(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x

    body = {"forward": staticmethod(forward or product), "backward": staticmethod(backward or gradients)}
    return type("Mine", (ContextFunction,), body)
