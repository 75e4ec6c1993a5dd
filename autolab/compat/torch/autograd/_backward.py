"""Backward passes with PyTorch's rules: where they start, when the graph is freed, whose gradients are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine import publish, using_config
from ....engine.grad import grad as _grad
from ....engine.store import exclusive, hooked
from ...table import signed
from .._passes import check_pass, note_walked
from .._tensor import Engine, Tensor, constant, dressed


def start(y: Any, gradient: Any, what: str) -> Any:
    """The upstream gradient of one result."""
    if y.node is None:
        raise RuntimeError(f"{what}: this tensor does not require a gradient and has no grad_fn")
    if gradient is None:
        if y._data.size != 1:
            raise RuntimeError(
                f"{what}: a gradient can be left out for a single element only; this tensor has shape "
                f"{tuple(y._data.shape)}: give gradient=, or take its sum first"
            )
        return constant(np.ones_like(y._data))
    given = gradient if isinstance(gradient, Engine) else constant(gradient)
    if given._data.shape != y._data.shape:
        raise RuntimeError(f"{what}: gradient has shape {given._data.shape}; expected {y._data.shape}")
    return given


def passed(y: Any, gradient: Any, retain_graph: bool, create_graph: bool, inputs: Any) -> None:
    """``tensor.backward(...)``"""
    if gradient is not None or y.node is None or y._data.size != 1:
        gradient = start(y, gradient, "backward")
    if inputs is not None:
        xs = [inputs] if isinstance(inputs, Engine) else list(inputs)
        found = gradients([y], [gradient], xs, retain_graph, create_graph)
        with exclusive():
            publish(
                [
                    (x.node, "grad", g if x._grad is None else x._grad + g)
                    for x, g in zip(xs, found, strict=True)
                    if g is not None
                ]
            )
        return
    check_pass(y.node)
    y._backward(False, bool(create_graph), gradient)
    if not retain_graph:
        note_walked(y.node)


@signed
def gradients(ys, starts, xs, retain_graph, create_graph):
    """The gradients with respect to some tensors; None for those that are not reached."""
    for y in ys:
        check_pass(y.node)
    with using_config("enable_backprop", True):
        found = _grad(list(ys), list(xs), list(starts), create_graph)
    if not retain_graph:
        for y in ys:
            note_walked(y.node)
    leaves = [None if g is None or x.node.order else x.node for x, g in zip(xs, found, strict=True)]
    return tuple([dressed(g if leaf is None else hooked(leaf, g)) for leaf, g in zip(leaves, found, strict=True)])


Tensor._pass = passed
