"""Function, Chainer's old style, statement by statement (SOURCES.md section 1)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from written import MulAdd, muladd, old_style

from autolab import Variable, grad
from autolab import functions as F
from autolab.authoring import Function
from autolab.engine import backend


class Linear(Function):
    def forward(self, inputs):
        x, W, b = inputs
        return (x.dot(W.T) + b,)

    def backward(self, inputs, grad_outputs):
        x, W, _ = inputs
        (gy,) = grad_outputs
        return gy.dot(W), gy.T.dot(x), gy.sum(axis=0)


class ExpAndDouble(Function):
    """Two results; keeps the first, and remembers what backward was given."""

    def forward(self, inputs):
        self.retain_inputs(())
        self.retain_outputs((0,))
        return np.exp(inputs[0]), 2 * inputs[0]

    def backward(self, inputs, grad_outputs):
        self.given = inputs, grad_outputs, self.output_data
        terms = [g * d for g, d in zip(grad_outputs, (self.output_data[0], 2.0), strict=True) if g is not None]
        return (sum(terms),)


def three(*shape: int) -> list[Variable]:
    rng = np.random.default_rng(0)
    return [Variable(rng.uniform(0.5, 2, shape)) for _ in range(3)]


@pytest.mark.source("CO-01", "CO-02", "CO-04", "CO-08", "CO-10")
def test_muladd() -> None:
    x, y, z = three(3, 2)
    w = muladd(x, y, z)
    assert type(w) is Variable and isinstance(w.creator, MulAdd) and w.creator.name == "MulAdd"
    np.testing.assert_array_equal(w.data, x.data * y.data + z.data)
    w.grad = gw = np.arange(6.0).reshape(3, 2)
    w.backward()
    for v, expected in ((x, gw * y.data), (y, gw * x.data), (z, gw)):
        np.testing.assert_array_equal(v.grad.data, expected)


@pytest.mark.source("CO-01", "CO-02")
def test_everything_is_a_tuple_of_arrays() -> None:
    seen: list[tuple[Any, ...]] = []

    def forward(self, inputs):
        seen.append(inputs)
        return (inputs[0] * inputs[1],)

    def backward(self, inputs, grad_outputs):
        seen.extend((inputs, grad_outputs))
        return grad_outputs[0], grad_outputs[0]

    for create_graph in (False, True):
        y = old_style(forward, backward)(Variable(2.0), 3.0) * 4.0
        y.backward(create_graph=create_graph)
    assert all(type(values) is tuple for values in seen)
    assert {type(a) for values in seen for a in values} == {np.ndarray}


@pytest.mark.source("CO-24", "CO-05", "CO-07")
def test_linear() -> None:
    x, W, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.ones((4, 3)) * 0.5), Variable(np.ones(4))
    y = Linear()(x, W, b)
    g = np.arange(8.0).reshape(2, 4)
    gx, gW, gb = grad(y, (x, W, b), g)
    np.testing.assert_allclose(gx.data, g @ W.data)
    np.testing.assert_allclose(gW.data, g.T @ x.data)
    np.testing.assert_allclose(gb.data, g.sum(0))


@pytest.mark.source("CO-08", "CO-30", "X11")
def test_several_results_and_an_unused_one() -> None:
    x = Variable([0.5, 1.0])
    results = ExpAndDouble()(x)
    assert type(results) is tuple
    exp, double = results
    F.sum(double).backward()
    inputs, grad_outputs, outputs = exp.creator.given
    assert grad_outputs[0] is None and type(grad_outputs[1]) is np.ndarray
    assert inputs == (None,) and outputs[0] is exp.data and outputs[1] is None
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])
    x.cleargrad()
    F.sum(exp * double).backward()
    e = np.exp(x.data)
    np.testing.assert_allclose(x.grad.data, 2 * e + 2 * x.data * e, rtol=1e-15)


def test_inputs_are_retained_unless_they_are_dropped() -> None:
    """T-001-8: retain_inputs(()) drops them here, where all are kept by default."""
    for retained, kept in ((None, (0, 1)), ((), ()), ((1,), (1,))):

        def forward(self, inputs, retained=retained):
            if retained is not None:
                self.retain_inputs(retained)
            return (inputs[0] + inputs[1],)

        def backward(self, inputs, grad_outputs, kept=kept):
            assert [i for i, a in enumerate(inputs) if a is not None] == list(kept) and len(inputs) == 2
            return grad_outputs * 2

        x, y = Variable(2.0), Variable(3.0)
        assert [g.item() for g in grad(old_style(forward, backward)(x, y), (x, y))] == [1.0, 1.0]


@pytest.mark.source("CO-06", "CO-07")
def test_the_arrays_type_chooses_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(np.ndarray):
        """An array type of another module."""

    module = ModuleType("other")
    vars(module).update(vars(np), cuda=None)  # what tells a GPU's module from others
    monkeypatch.setitem(backend.modules, Other, module)

    class Both(MulAdd):
        def forward_gpu(self, inputs):
            return (2 * super().forward_cpu(inputs)[0],)

        def backward_gpu(self, inputs, grad_outputs):
            return tuple([2 * g for g in super().backward_cpu(inputs, grad_outputs)])

    for kind, factor in ((np.ndarray, 1.0), (Other, 2.0)):
        x, y, z = [Variable(np.array([v]).view(kind)) for v in (2.0, 3.0, 4.0)]
        w = Both()(x, y, z)
        w.backward()
        assert [v.item() for v in (w, x.grad, y.grad, z.grad)] == [10 * factor, 3 * factor, 2 * factor, factor]


@pytest.mark.source("CO-26")
def test_attributes_live_until_backward() -> None:
    class Exp(Function):
        def forward(self, inputs):
            self.retain_inputs(())
            self.result = np.exp(inputs[0])
            return (self.result,)

        def backward(self, inputs, grad_outputs):
            return (self.result * grad_outputs[0],)

    x = Variable([0.5, 1.0])
    y = Exp()(x)
    np.testing.assert_array_equal(y.creator.result, y.data)
    np.testing.assert_array_equal(grad(y, x, np.ones(2)).data, np.exp(x.data))


@pytest.mark.source("CO-27")
def test_backward_may_run_again() -> None:
    x, y, z = three(2)
    w = F.sum(muladd(x, y, z))
    w.backward()
    w.backward()
    np.testing.assert_array_equal(x.grad.data, 2 * y.data)


def test_none_means_no_dependence_and_gradients_get_their_inputs_dtype() -> None:
    x, y = Variable(np.ones(2, np.float32)), Variable(np.ones(2))
    for create_graph in (False, True):
        z = old_style(backward=lambda s, xs, g: (g[0].astype(np.float64), None))(x, y)
        gx, gy = grad(z, (x, y), np.ones(2), create_graph=create_graph)
        assert gx.dtype == np.float32 and gy is None
