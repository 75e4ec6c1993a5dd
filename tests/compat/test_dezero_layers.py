"""The statements about DeZero's layers and optimizers, under DeZero's names."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

import autolab
from autolab.compat import dezero
from autolab.compat.dezero import (
    Layer,
    Model,
    Parameter,
    Variable,
    models,
    optimizers,
)
from autolab.compat.dezero import functions as F
from autolab.compat.dezero import layers as L


class TwoLayerNet(Model):
    def __init__(self, hidden_size, out_size):
        super().__init__()
        self.l1 = L.Linear(hidden_size)
        self.l2 = L.Linear(out_size)

    def forward(self, x):
        return self.l2(F.sigmoid(self.l1(x)))


# ---------------------------------------------------------------------- layers
@pytest.mark.source("DZ-34")
def test_a_layer_registers_what_is_assigned_to_it():
    layer = Layer()
    layer.p1, layer.p3, layer.inner = Parameter(np.array(1.0)), Variable(np.array(3.0)), L.Linear(2, in_size=3)
    assert [p.name for p in layer.params()] == ["p1", "W", "b"] and isinstance(layer, autolab.Link)
    F.sum(layer.inner(np.ones((4, 3), np.float32))).backward()
    layer.cleargrads()
    assert [p.grad for p in layer.params()] == [None] * 3
    with pytest.raises(NotImplementedError):
        layer(np.ones(3))


@pytest.mark.source("DZ-34")
def test_a_layer_is_copied_and_pickled_and_holds_nothing_of_its_last_call():
    model, x = TwoLayerNet(3, 1), Variable(np.ones((4, 2)))
    y = model(x)
    assert models.Sequential(F.exp)(1.0).shape == ()  # a number is passed on
    twin = pickle.loads(pickle.dumps(model))
    assert (copy.deepcopy(model)(x).data == y.data).all() and (twin(x).data == y.data).all()
    array = weakref.ref(y.data)
    del y
    assert array() is None

    class Pair(Layer):
        def forward(self, x):
            return (x,)

    assert Pair()(x) is x


@pytest.mark.source("DZ-35", "X4")
def test_linear_takes_its_input_size_from_the_first_input():
    np.random.seed(0)
    drawn = np.random.randn(3, 2).astype(np.float32) * np.float32(np.sqrt(1 / 3))
    np.random.seed(0)
    layer = L.Linear(2)
    assert layer.W.data is None and layer.b.data.tolist() == [0, 0]
    layer(np.ones((4, 3)))
    assert (layer.W.data == drawn).all() and layer.W.dtype == np.float32 and layer.in_size == 3
    assert L.Linear(2, nobias=True, dtype=np.float64, in_size=3).W.dtype == np.float64
    assert L.Linear(2, nobias=True).b is None


@pytest.mark.source("DZ-37")
def test_an_mlp_has_no_activation_after_the_last_layer():
    model = models.MLP((10, 1), activation=F.relu)
    x = np.ones((5, 2), np.float32)
    assert np.allclose(model(x).data, model.l1(F.relu(model.l0(x))).data) and len(model.layers) == 2


@pytest.mark.parametrize("layer", [L.RNN(4), L.LSTM(4), L.RNN(4, in_size=3), L.LSTM(4, in_size=3)])
def test_recurrent_layers_remember_until_they_are_reset(layer):
    x = np.ones((2, 3), np.float32)
    first, second = layer(x), layer(x)
    assert first.shape == (2, 4) and not np.allclose(first.data, second.data)
    F.sum(second).backward()
    assert all(p.grad is not None for p in layer.params())
    layer.reset_state()
    assert np.allclose(layer(x).data, first.data)


def test_the_other_layers():
    images = np.random.rand(2, 3, 8, 8).astype(np.float32)
    assert L.Conv2d(4, 3, stride=2, pad=1)(images).shape == (2, 4, 4, 4)
    assert L.Deconv2d(4, kernel_size=2, stride=2, nobias=True)(images).shape == (2, 4, 16, 16)
    bn = L.BatchNorm()
    assert np.allclose(bn(images).data.mean(axis=(0, 2, 3)), 0, atol=1e-5)
    assert [p.name for p in bn.params()] == ["avg_mean", "avg_var", "gamma", "beta"] and bn.avg_mean.data.any()
    assert L.EmbedID(10, 4)(np.array([1, 1, 2])).shape == (3, 4)


def test_weights_are_saved_and_loaded(tmp_path):
    x = np.ones((2, 3), np.float32)
    saved, loaded = TwoLayerNet(4, 1), TwoLayerNet(4, 1)
    y = saved(x)
    saved.save_weights(tmp_path / "my_mlp")
    assert set(np.load(tmp_path / "my_mlp.npz")) == {"l1/W", "l1/b", "l2/W", "l2/b"}
    loaded.load_weights(tmp_path / "my_mlp.npz")
    assert (loaded(x).data == y.data).all()
    np.savez(tmp_path / "other.npz", x=1.0)
    with pytest.raises(ValueError, match="what it is loaded into lacks x; nothing was loaded"):
        loaded.load_weights(tmp_path / "other.npz")


def test_the_large_models_have_their_shapes():
    with dezero.no_grad(), dezero.test_mode():
        x = np.zeros((1, 3, 32, 32), np.float32)
        vgg = models.VGG16()
        assert vgg(x).shape == (1, 1000)
    layers = dict(vgg.namedlinks())
    assert len(layers) == 17 and layers["/conv5_3"].out_channels == 512
    picture = pytest.importorskip("PIL.Image").new("L", (10, 20), 255)
    assert models.VGG16.preprocess(picture).shape == (3, 224, 224)


# ---------------------------------------------------------------------- optimizers
@pytest.mark.source("DZ-38")
def test_an_optimizer_updates_what_has_a_gradient_and_asks_its_hooks_before():
    layer = Layer()
    layer.a, layer.b = Parameter(np.array(1.0)), Parameter(np.array(2.0))

    class Step(optimizers.Optimizer):
        def update_one(self, param):
            param.data -= param.grad.data

    optimizer = Step()
    assert optimizer.setup(layer) is optimizer
    seen = []
    optimizer.add_hook(lambda params: seen.append([p.name for p in params]))
    (layer.a * 3).backward()
    optimizer.update()
    assert seen == [["a"]] and (float(layer.a.data), float(layer.b.data)) == (-2, 2)
    optimizer.add_hook(optimizers.FreezeParam(layer))
    optimizer.update()
    assert float(layer.a.data) == -2 and layer.a.grad is None
    with pytest.raises(NotImplementedError):
        optimizers.Optimizer().update_one(layer.a)


def adam(w, g, s):
    s["t"] = s.get("t", 0) + 1
    s["m"] = s.get("m", 0) + 0.1 * (g - s.get("m", 0))
    s["v"] = s.get("v", 0) + 0.001 * (g * g - s.get("v", 0))
    lr = 0.001 * np.sqrt(1 - 0.999 ** s["t"]) / (1 - 0.9 ** s["t"])
    return w - lr * s["m"] / (np.sqrt(s["v"]) + 1e-8)


def momentum(w, g, s):
    s["v"] = 0.9 * s.get("v", 0) - 0.01 * g
    return w + s["v"]


def adagrad(w, g, s):
    s["h"] = s.get("h", 0) + g * g
    return w - 0.001 * g / (np.sqrt(s["h"]) + 1e-8)


def adadelta(w, g, s):
    s["h"] = 0.95 * s.get("h", 0) + 0.05 * g * g
    dx = np.sqrt((s.get("d", 0) + 1e-6) / (s["h"] + 1e-6)) * g
    s["d"] = 0.95 * s.get("d", 0) + 0.05 * dx * dx
    return w - dx


RULES = {
    optimizers.SGD: lambda w, g, s: w - 0.01 * g,
    optimizers.MomentumSGD: momentum,
    optimizers.AdaGrad: adagrad,
    optimizers.AdaDelta: adadelta,
    optimizers.Adam: adam,
}


@pytest.mark.source("DZ-39")
@pytest.mark.parametrize("kind", RULES)
def test_the_rules_are_dezeros(kind):
    layer, state = Layer(), {}
    layer.w = Parameter(np.array([1.0, -2.0, 3.0]))
    expected, optimizer = layer.w.data.copy(), kind().setup(layer)
    for _ in range(5):
        layer.cleargrads()
        F.sum(layer.w**3).backward()
        expected = RULES[kind](expected, layer.w.grad.data, state)
        optimizer.update()
    assert np.allclose(layer.w.data, expected, rtol=1e-6)


def test_settings_of_optimizers_can_be_changed():
    sgd, adam = optimizers.SGD(lr=1.0), optimizers.Adam(alpha=0.5)
    sgd.lr *= 0.1
    adam.alpha = 0.25
    layer = Layer()
    layer.w = Parameter(np.array([1.0]))
    for optimizer in (sgd, adam):
        layer.cleargrads()
        F.sum(layer.w).backward()
        optimizer.setup(layer).update()
    assert layer.w.data == pytest.approx(1 - 0.1 - 0.25) and adam.t == 1
    with pytest.raises(AttributeError, match="no attribute 'momentum'"):
        sgd.momentum  # noqa: B018


def test_hooks_change_gradients():
    layer = Layer()
    layer.w = Parameter(np.array([3.0, 4.0]))
    F.sum(layer.w * np.array([3.0, 4.0])).backward()
    optimizers.ClipGrad(1.0)([layer.w])
    assert np.allclose(layer.w.grad.data, [0.6, 0.8])
    optimizers.WeightDecay(0.5)([layer.w])
    assert np.allclose(layer.w.grad.data, [2.1, 2.8])


@pytest.mark.source("DZ-30")
def test_linear_regression_by_hand():
    np.random.seed(0)
    x = np.random.rand(100, 1)
    x, y = Variable(x), Variable(5 + 2 * x + np.random.rand(100, 1))
    W, b = Variable(np.zeros((1, 1))), Variable(np.zeros(1))
    for _ in range(100):
        loss = F.mean_squared_error(F.matmul(x, W) + b, y)
        W.cleargrad()
        b.cleargrad()
        loss.backward()
        W.data -= 0.1 * W.grad.data
        b.data -= 0.1 * b.grad.data
    assert (W.data.item(), b.data.item()) == pytest.approx((2.11807369, 5.46608905), abs=1e-8)
    assert float(loss.data) == pytest.approx(0.079086, abs=1e-6)


def test_a_layer_names_what_was_assigned_to_it():
    layer = Layer()
    layer.p1, layer.p2, layer.p3, layer.p4 = Parameter(np.array(1)), Parameter(None), Variable(np.array(3)), "test"
    layer.l1 = Layer()
    assert layer._params == {"p1", "p2", "l1"}
    assert {name: layer.__dict__[name] for name in layer._params}["p1"] is layer.p1
