"""What every unit of a net makes of the plane of its features: as the net itself computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autolab import functions as F
from autolab import links as L
from autolab import optimizers
from autolab.training import Monitor
from autolab.training.boundary import SIDE, DecisionBoundary
from autolab.training.extensions import LiveMonitor

X = np.array([[0.0, -1.0], [2.0, 3.0], [1.0, 1.0]], np.float32)
T = np.array([0, 1, 1])


def trained(net: L.Link, x: Any = X, t: Any = T) -> tuple[Any, DecisionBoundary, Monitor]:
    model = L.Classifier(net)
    optimizer, monitor = optimizers.SGD(0.1).setup(model), Monitor(model)
    monitor.update(loss=optimizer.update(model, x, t))
    return model, DecisionBoundary(model, x, t), monitor


def test_the_first_row_is_the_highest_place_and_the_ends_are_the_plane():
    _, found, monitor = trained(L.MLP((3, 2)))
    across, up = found.at(monitor.states[-1])[0].pictures
    assert np.allclose([across[0, 0], across[0, -1]], [found.low[0], found.high[0]])
    assert np.allclose([up[0, 0], up[-1, 0]], [found.high[1], found.low[1]])
    assert (found.low < X.min(axis=0)).all() and (found.high > X.max(axis=0)).all()


@pytest.mark.parametrize("nobias", [False, True])
def test_each_unit_is_what_the_net_computes(nobias: bool):
    net = L.Sequential(L.Linear(2, 4, nobias=nobias), F.tanh, L.Linear(4, 1))
    model = L.Classifier(net, lossfun=lambda y, t: F.mean((y[:, 0] - t) ** 2), accfun=None)
    optimizer, monitor = optimizers.SGD(0.1).setup(model), Monitor(model)
    monitor.update(loss=optimizer.update(model, X, T.astype(np.float32)))
    first, hidden, output = DecisionBoundary(model, X, T).at(monitor.states[-1])
    plane = first.pictures.reshape(2, -1).T.astype(np.float32)
    expected = F.tanh(net[0](plane))
    assert np.array_equal(hidden.pictures.reshape(4, -1).T, expected.data)
    assert np.allclose(output.pictures.reshape(1, -1).T, net(plane).data, rtol=1e-6)
    assert np.array_equal(hidden.weight_gradients, net[0].W.grad.data)
    assert (hidden.bias == 0).all() if nobias else np.array_equal(hidden.bias_gradients, net[0].b.grad.data)


def test_a_past_state_is_drawn_and_the_model_is_left_alone():
    model, found, monitor = trained(L.MLP((3, 2)))
    before = found.at(monitor.states[-1])[-1].pictures.copy()
    state = monitor.states[-1]
    kept = {path: p.data.copy() for path, p in model.namedparams()}
    for p in model.params():
        p.data = p.data + 1
    assert np.array_equal(found.at(state)[-1].pictures, before)
    assert all(np.array_equal(p.data, kept[path] + 1) for path, p in model.namedparams())


def test_a_net_that_was_changed_is_drawn_as_it_is_now():
    model, found, monitor = trained(L.MLP((3, 2), activation=F.tanh))
    before = found.at(monitor.states[-1])[-1].pictures
    model.predictor.activation = F.relu
    expected = DecisionBoundary(model, X, T).at(monitor.states[-1])[-1].pictures
    assert np.array_equal(found.at(monitor.states[-1])[-1].pictures, expected) and not np.array_equal(before, expected)
    model.predictor.l2 = L.Linear(2, 2)
    with pytest.raises(ValueError, match="/predictor/l2/W"):
        found.at(monitor.states[-1])
    monitor.update(optimizers.SGD(0.1).setup(model).update(model, X, T))
    monitor.keep()
    assert [units.name for units in found.at(monitor.states[-1])] == ["", "l0", "l1", "l2"]
    del model.predictor.l2
    with pytest.raises(ValueError, match="the model no longer has /predictor/l2/W, which it had then"):
        found.at(monitor.states[-1])


@pytest.mark.parametrize(
    ("x", "t", "words"),
    [
        (np.zeros((3, 3)), T, "shape (3, 3); expected finite examples of shape (n, 2)"),
        (np.array([[np.nan, 1.0]]), [0], "finite"),
        (np.zeros((0, 2)), [], "shape (0, 2)"),
        (X, [0, 1], "t has shape (2,)"),
        (X, [0.0, 1.0, 1.0], "float64; expected 3 integers"),
    ],
)
def test_examples_that_do_not_fit_are_refused(x: Any, t: Any, words: str):
    with pytest.raises(ValueError) as error:
        LiveMonitor(L.Classifier(L.MLP((3, 2))), boundary=(x, t))
    assert words in str(error.value)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(TypeError, match="expected a pair of examples and classes"):
        LiveMonitor(L.Classifier(L.MLP((3, 2))), boundary=X)
    with pytest.raises(ValueError, match="has the buffer"):
        DecisionBoundary(L.Sequential(L.Linear(2, 3), L.BatchNormalization(3)), X, T)
    _, found, monitor = trained(L.MLP((9000, 2)))
    with pytest.raises(ValueError, match="too large"):
        found.at(monitor.states[-1])


def test_equal_features_and_a_single_example_have_a_plane():
    _, found, monitor = trained(L.MLP((3, 2)), X[:1], T[:1])
    assert found.at(monitor.states[-1])[-1].pictures.shape == (2, SIDE, SIDE)
    assert (found.high > found.low).all()


def test_the_static_form_shows_the_result():
    model = L.Classifier(L.MLP((3, 2)))
    optimizer, monitor = optimizers.SGD(0.1).setup(model), LiveMonitor(model, boundary=(X, T))
    monitor.update(loss=optimizer.update(model, X, T))
    assert "the result over the plane" in monitor._repr_mimebundle_()["text/html"]
