"""Devices in one call, and what a device's memory holds, whatever the style of the function."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.devices import Device

import autolab
from autolab import FunctionNode, Variable, to_gpu
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction


class Node(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * inputs[1],)


class Twofold(FunctionNode):
    def forward_cpu(self, inputs):
        return (inputs[0] * inputs[1],)

    forward_gpu = forward_cpu


class OldStyle(Function):
    def forward(self, inputs):
        return (inputs[0] * inputs[1],)


class Simple(SimpleFunction):
    def forward(self, x, y):
        return x * y


class Context(ContextFunction):
    @staticmethod
    def forward(ctx, x, y):
        return x * y


@autolab.fuse
def fused(x, y):
    return x * y


CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "declared": (F.mul, r"mul: a is on cpu, b is on cuda:0"),
    "fused": (fused, r"fused: x is on cpu, y is on cuda:0"),
    "FunctionNode": (lambda *xs: Node().apply(xs), r"Node: inputs\[0\] is on cpu, inputs\[1\] is on cuda:0"),
    "forward_gpu": (lambda *xs: Twofold().apply(xs), r"Twofold: inputs\[0\] is on cpu, inputs\[1\] is on cuda:0"),
    "Function": (lambda *xs: OldStyle()(*xs), r"OldStyle: inputs\[0\] is on cpu, inputs\[1\] is on cuda:0"),
    "SimpleFunction": (lambda *xs: Simple()(*xs), r"Simple: \S+ is on cpu, \S+ is on cuda:0"),
    "ContextFunction": (Context.apply, r"\w+: \w+ is on cpu, \w+ is on cuda:0"),
}


@pytest.mark.parametrize(("call", "places"), list(CALLS.values()), ids=list(CALLS))
def test_mixed_devices_are_named_in_every_style(call: Any, places: str, device: Device) -> None:
    here, there = Variable(np.ones(2)), Variable(to_gpu(np.ones(2)))
    with pytest.raises(TypeError, match=f"{places}: expected all on one device; move them with to_gpu or to_cpu"):
        call(here, there)


def _step(ws: list[Variable], x: Variable) -> Any:
    y = x
    for w in ws:
        y = F.tanh(y @ w) * 0.5
    return autolab.grad(F.sum(y * y), ws)


def _peak(move: Callable[[np.ndarray], Any]) -> int:
    """Bytes in use at most during a step, beyond what was there before."""
    rng = np.random.default_rng(0)
    ws = [Variable(move(rng.normal(size=(256, 256)))) for _ in range(4)]
    x = Variable(move(rng.normal(size=(256, 256))), requires_grad=False)
    _step(ws, x)
    tracemalloc.start()
    _step(ws, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_step_takes_no_more_memory_there_than_here(device: Device) -> None:
    """The stand-in's arrays are in main memory, so that they can be counted; a GPU's pool counts for itself."""
    here = _peak(np.asarray)
    if device.counts:
        assert _peak(to_gpu) <= 1.05 * here
        return
    pool = device.module.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    _peak(to_gpu)
    assert pool.total_bytes() - before <= 1.5 * here + (8 << 20)


NUMBERS: list[Callable[[Any], Any]] = [
    lambda x: x * 2.0,
    lambda x: 3 / x,
    lambda x: x**2,
    lambda x: 2.0 - x,
]


@pytest.mark.parametrize("fn", NUMBERS)
def test_a_number_beside_a_variable_is_no_detour(fn: Callable[[Any], Any], device: Device) -> None:
    """The goal for small operations there: not much more than the array library's own time."""
    x = Variable(to_gpu(np.array([1, 2, 4], np.float32)))
    here = Variable(np.array([1, 2, 4], np.float32))
    fn(x)  # the first call looks up the functions
    calls, home = 0, str(Path(autolab.__file__).parent)

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(home)

    sys.setprofile(count)
    try:
        y = fn(x)
    finally:
        sys.setprofile(None)
    assert calls < 20
    assert type(y.data) is device.array
    assert y.dtype == np.float32
    (got,), (expected,) = autolab.grad([F.sum(y)], [x]), autolab.grad([F.sum(fn(here))], [here])
    np.testing.assert_allclose(got.data.get(), expected.data, rtol=1e-6)
    assert [edge.parent for edge in y.node.edges] == [x.node]
