"""Recordings, displays and checks of arrays that refuse to leave their device: they copy what they show, reduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.devices import Device

import autolab
from autolab import Variable, gradcheck, to_gpu
from autolab import functions as F
from autolab.recording.arrays import CELLS

MILLION = np.random.default_rng(0).normal(size=(1000, 1000))


def _small() -> tuple[Variable, Variable]:
    x = Variable(to_gpu(np.linspace(0.5, 2, 6).reshape(2, 3)), name="x")
    return x, Variable(to_gpu(np.linspace(-1, 2, 12).reshape(3, 4)), name="w")


def loss(x: Variable, w: Variable) -> Variable:
    return F.sum(F.tanh(x @ w))


@pytest.mark.parametrize("order", [1, 2])
def test_a_recording_is_the_same_as_on_the_cpu(order: int, device: Device) -> None:
    x, w = _small()
    there = autolab.record(loss, x, w, options={"order": order})
    here = autolab.record(loss, x.data.get(), w.data.get(), options={"order": order})
    assert [step.function for step in there.steps] == [step.function for step in here.steps]
    for a, b in zip(there.steps, here.steps, strict=True):
        assert a.value.device == "cuda:0" and b.value.device == "cpu"
        np.testing.assert_allclose(a.value.values, b.value.values, rtol=1e-12)
        assert (a.grad is None) == (b.grad is None)
        assert b.grad is None or np.allclose(a.grad.values, b.grad.values, rtol=1e-12)


def test_a_recording_copies_cells_and_no_arrays(device: Device) -> None:
    x = Variable(to_gpu(MILLION))
    device.traffic.clear()
    recording = autolab.record(lambda x: F.sum(F.exp(x * 0.1)), x)
    assert device.traffic.largest_down <= CELLS * 8 < MILLION.nbytes / 8
    copies = [nbytes for how, nbytes in device.traffic.down if how == "get"]
    assert sum(copies) <= 16 * CELLS * 8  # values and gradients of five steps, and what explains them
    assert recording.steps[0].value.block != (1, 1)
    device.traffic.clear()
    assert "text/html" in recording._repr_mimebundle_()
    assert not device.traffic.down, "a recording is plain data: showing it asks the device for nothing"


def _with_gradient() -> Variable:
    x = Variable(to_gpu(MILLION))
    F.sum(x * x).backward()
    return x


@pytest.mark.parametrize(
    "show",
    [
        lambda: Variable(to_gpu(MILLION))._repr_mimebundle_(),
        lambda: _with_gradient()._repr_mimebundle_(),
        lambda: autolab.graph(F.sum(Variable(to_gpu(MILLION)) * 2.0))._repr_mimebundle_(),
    ],
    ids=["variable", "with a gradient", "graph"],
)
def test_displays_reduce_before_they_copy(show: Callable[[], Any], device: Device) -> None:
    assert "text/html" in show()
    assert device.traffic.bytes_down or not device.counts
    assert device.traffic.bytes_down < MILLION.nbytes / 4
    assert device.traffic.largest_down <= CELLS * 8


def test_a_check_finds_what_is_right_and_what_is_wrong(device: Device) -> None:
    x, w = _small()
    assert autolab.check_gradients(loss, x, w).verdict == "right"

    class Wrong(autolab.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * self.get_retained_inputs()[0],)  # 2 is missing

    assert autolab.check_gradients(lambda x: Wrong().apply((x,))[0], x).verdict == "wrong"


@pytest.mark.parametrize(
    "check",
    [
        lambda x, ones: gradcheck.gradcheck(F.tanh, (x,)),
        lambda x, ones: gradcheck.gradgradcheck(F.tanh, (x,)),
        lambda x, ones: gradcheck.check_backward(F.tanh, x.data, ones),
        lambda x, ones: gradcheck.check_double_backward(F.tanh, x.data, ones, ones),
        lambda x, ones: gradcheck.taylor_test(F.tanh, x),
        lambda x, ones: gradcheck.step_sweep(F.tanh, x),
    ],
    ids=["gradcheck", "gradgradcheck", "check_backward", "check_double_backward", "taylor_test", "step_sweep"],
)
def test_the_other_checks_run_there(check: Callable[[Variable, Any], Any], device: Device) -> None:
    x, _ = _small()
    check(x, to_gpu(np.ones((2, 3))))


@pytest.mark.source("CK-03")
def test_upstream_gradients_live_where_the_output_does(device: Device) -> None:
    x, w = _small()
    y = F.tanh(x @ w)
    for give in (lambda g: autolab.grad(y, x, g), lambda g: setattr(y, "grad", g)):
        with pytest.raises(TypeError, match="got an array on cpu for a Variable on cuda:0: expected both on"):
            give(np.ones((2, 4)))
    assert autolab.grad(y, x, to_gpu(np.ones((2, 4)))).device == "cuda:0"
