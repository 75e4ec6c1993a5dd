"""Models, optimizers and the four ways to write a function, on arrays that refuse to leave their device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.devices import Device

import autolab
from autolab import Variable, optimizers, to_gpu
from autolab import functions as F
from autolab import links as L
from autolab.authoring import ContextFunction, Function, SimpleFunction

RULES = [
    optimizers.SGD,
    optimizers.MomentumSGD,
    optimizers.NesterovAG,
    optimizers.AdaGrad,
    optimizers.RMSprop,
    optimizers.Adam,
    optimizers.AdamW,
]


class Model(autolab.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(None, 5)
            self.norm = L.BatchNormalization(5)
            self.out = L.Linear(5, 3)

    def forward(self, x: Any) -> Any:
        """The norm comes last: just before it a bias changes nothing, and Adam would follow mere rounding there."""
        return self.out(self.norm(F.relu(self.hidden(x))))


def _trained(rule: type[optimizers.Optimizer], move: Any, device: Device) -> Model:
    with autolab.using_config("rng", np.random.default_rng(0)):
        return _steps(rule, move, device)


def _steps(rule: type[optimizers.Optimizer], move: Any, device: Device) -> Model:
    rng = np.random.default_rng(1)
    x, t = move(rng.normal(size=(8, 4)).astype(np.float32)), move(np.arange(8) % 3)
    model = Model()
    if move is to_gpu:
        model.to_gpu()
    optimizer = rule().setup(model)
    for hook in (optimizers.WeightDecay(0.01), optimizers.Lasso(0.01)):
        optimizer.add_hook(hook)
    for _ in range(3):
        device.traffic.clear()
        loss = F.softmax_cross_entropy(model(Variable(x)), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
    return model


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.source("CI-28")
def test_a_step_of_training_stays_and_is_the_same(rule: Any, device: Device) -> None:
    there = _trained(rule, to_gpu, device)
    asked = [("bool", 1)] if device.counts else []
    assert device.traffic.down == asked, "are there such classes: all that is asked of the device"
    assert not device.traffic.up
    assert all(type(array) is device.array for array in there.state().values())
    here = _trained(rule, np.asarray, device).state()
    for name, array in there.to_cpu().state().items():
        np.testing.assert_allclose(array, here[name], rtol=1e-5 * device.loose, atol=1e-6 * device.loose, err_msg=name)


def test_what_has_no_size_yet_is_made_where_the_link_went(device: Device) -> None:
    model = Model().to_gpu()
    model(to_gpu(np.ones((2, 4), np.float32)))
    assert model.hidden.W.device == "cuda:0" and model.xp is device.module
    assert {p.device for p in model.copy("init").params()} == {"cuda:0"}
    assert {p.device for p in Model().to_gpu().to_cpu().params() if p.is_initialized} == {"cpu"}


def test_an_optimizer_moves_with_its_model(device: Device) -> None:
    model = _trained(optimizers.Adam, to_gpu, device)
    optimizer = optimizers.Adam().setup(model)
    optimizer.update()
    state = optimizer.to_cpu().state()
    assert all(not isinstance(value, device.array) for value in state.values())
    device.traffic.clear()
    optimizer.to_gpu().update()
    assert not device.traffic.down


def test_gradient_noise_draws_on_the_device(device: Device) -> None:
    model = _trained(optimizers.SGD, to_gpu, device)
    optimizer = optimizers.SGD().setup(model)
    optimizer.add_hook(optimizers.GradientNoise(0.1, np.random.default_rng(0)))
    device.traffic.clear()
    optimizer.update()
    assert not device.traffic.up and not device.traffic.down


class _Node(autolab.FunctionNode):
    def forward_gpu(self, inputs: Any) -> Any:
        self.retain_inputs((0, 1))
        x, y, z = inputs
        return (x * y + z,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        return g * y, g * x, g


class _OldStyle(Function):
    def forward_gpu(self, inputs: Any) -> Any:
        x, y, z = inputs
        return (x * y + z,)

    def backward_gpu(self, inputs: Any, grad_outputs: Any) -> Any:
        x, y, _ = inputs
        (g,) = grad_outputs
        return g * y, g * x, g


class _Simple(SimpleFunction):
    def forward(self, x: Any, y: Any, z: Any) -> Any:
        return x * y + z

    def backward(self, g: Any) -> Any:
        x, y, _ = self.inputs
        return g * y, g * x, g


class _Context(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any, y: Any, z: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * y + z

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y, g * x, g


@pytest.mark.parametrize(
    "muladd",
    [lambda *xs: _Node().apply(xs)[0], lambda *xs: _OldStyle()(*xs), lambda *xs: _Simple()(*xs), _Context.apply],
    ids=["FunctionNode", "Function", "SimpleFunction", "ContextFunction"],
)
@pytest.mark.source("CO-06", "CO-07")
def test_the_four_styles(muladd: Any, device: Device) -> None:
    xs = [Variable(to_gpu(np.full((2, 3), value))) for value in (2.0, 3.0, 4.0)]
    device.traffic.clear()
    gradients = autolab.grad(muladd(*xs), xs, to_gpu(np.ones((2, 3))))
    assert not device.traffic.down and all(type(g.data) is device.array for g in gradients)
    assert [float(g.data[0, 0]) for g in gradients] == [3.0, 2.0, 1.0]
