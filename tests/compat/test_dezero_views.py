"""What AutoLab shows and checks of code that is written in DeZero's names."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab.compat.dezero import Function, Model, Variable, no_grad, optimizers
from autolab.compat.dezero import functions as F
from autolab.compat.dezero import layers as L

X = np.random.default_rng(0).normal(size=(2, 3))
W = np.random.default_rng(1).normal(size=(3, 2))


class Cube(Function):
    def forward(self, x):
        return x**3

    def backward(self, gy):
        (x,) = self.inputs
        return gy * 3 * x**2


class WrongSign(Function):
    def forward(self, x, w):
        return x * w

    def backward(self, gy):
        x, w = self.inputs
        return gy * w, -gy * x


class Net(Model):
    def __init__(self):
        super().__init__()
        self.l1 = L.Linear(4)
        self.l2 = L.Linear(1)

    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))


def loss_of(x, W):
    h = F.tanh(F.matmul(x, W))
    z = Cube()(h)
    return F.mean_squared_error(z, np.ones((2, 2)))


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_recording_has_the_names_of_the_code(wrapped):
    inputs = {"x": Variable(X), "W": Variable(W)} if wrapped else {"x": X, "W": W}
    steps = autolab.record(loss_of, **inputs).steps
    told = [step.source or step.name for step in steps if step.kind in ("input", "call")]
    assert told[:5] == ["x", "W", "F.matmul(x, W)", "F.tanh(F.matmul(x, W))", "Cube()(h)"]
    assert [step.name for step in steps if step.name] == ["x", "W", "h", "z"]
    assert [step.function for step in steps if step.kind == "call"] == [
        *("matmul", "tanh", "Cube", "mean_squared_error", "div")
    ]


def test_a_model_is_recorded_layer_by_layer_and_its_graph_found_again():
    model = Net()
    model(X)
    scopes = [scope.label for scope in autolab.record(model, X).scopes]
    assert scopes == ["Net", "l1(x)  # Linear", "l2(F.relu(l1(x)))  # Linear"]
    y = model(X)
    y.name = "y"
    told = [step.function for step in autolab.graph(y).steps if step.function]
    assert told == ["transpose", "linear", "relu", "transpose", "linear"]
    y.unchain_backward()
    assert len(autolab.graph(y).steps) == 4  # y and what it is computed from


def test_explore_saves_a_page_where_there_is_no_notebook(tmp_path, monkeypatch, capsys):
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    autolab.explore(loss_of, x=X, W=W)
    autolab.explore(Net(), X)
    assert capsys.readouterr().out.count("; open ") == 1  # of both pages, which lie in one folder
    assert "tanh" in (tmp_path / "autolab_pages" / "explore_loss_of.html").read_text("utf-8")


@pytest.mark.source("DZ-49")
def test_the_check_finds_what_is_wrong_and_where():
    assert autolab.check_gradients(loss_of, X, W).verdict == "right"
    report = autolab.check_gradients(lambda x, w: WrongSign()(x, w), X, X + 1)
    assert report.verdict == "wrong"
    assert "The gradient of w has the wrong sign" in str(report) and "WrongSign.backward" in str(report)


def test_derivatives_and_transforms_take_dezeros_functions():
    assert float(autolab.transforms.nth_derivative(F.sin, 3)(1.0)) == pytest.approx(-np.cos(1.0))
    found = autolab.transforms.jacobian(lambda x: F.softmax(x))(X)
    assert np.shape(found) == (2, 3, 2, 3)


def test_values_show_themselves():
    for shown in (Variable(X, name="x"), Variable(np.array([1, 2])), Net(), Net()(X)):
        bundle = shown._repr_mimebundle_()
        assert bundle["text/html"] and bundle["text/plain"]
    assert "1" in repr(Variable(np.array([1, 2])))


def test_steps_that_no_grad_hides_are_marked():
    def f(x):
        with no_grad():
            y = F.exp(x)
        return F.sum(x * y)

    assert any(exit.how == "no_grad" for exit in autolab.record(f, x=X).departures)


def test_an_optimizer_says_what_it_is():
    assert "SGD" in repr(optimizers.SGD().setup(Net()))
