"""FunctionNode, statement by statement (SOURCES.md section 2)."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F


class MulAdd(FunctionNode):
    def forward(self, inputs):
        x, y, z = inputs
        self.retain_inputs((0, 1))
        return (x * y + z,)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (gw,) = grad_outputs
        return gw * y, gw * x, gw


class MulAddGrad(FunctionNode):
    """The gradient of MulAdd as a function of its own, differentiable once."""

    def forward(self, inputs):
        x, y, _, gw = inputs
        return gw * y, gw * x, gw

    def backward(self, target_input_indexes, grad_outputs):
        raise NotImplementedError()


class Delegating(MulAdd):
    def forward(self, inputs):
        self.retain_inputs((0, 1, 2))
        return (inputs[0] * inputs[1] + inputs[2],)

    def backward(self, target_input_indexes, grad_outputs):
        return MulAddGrad().apply((*self.get_retained_inputs(), grad_outputs[0]))


class ExpAdd(FunctionNode):
    def forward_cpu(self, inputs):
        self.retain_inputs((0, 1))
        return (np.exp(inputs[0]) + np.exp(inputs[1]),)

    def backward(self, target_input_indexes, grad_outputs):
        return tuple([F.exp(x) * grad_outputs[0] for x in self.get_retained_inputs()])


class Outputs(FunctionNode):
    """exp(x) through its retained output, and 2x; remembers what backward was given."""

    def forward(self, inputs):
        self.retain_outputs((0,))
        return np.exp(inputs[0]), 2 * inputs[0]

    def backward(self, target_input_indexes, grad_outputs):
        self.given = grad_outputs
        (y,) = self.get_retained_outputs()
        terms = [g * factor for g, factor in zip(grad_outputs, (y, 2.0), strict=True) if g is not None]
        return (sum(terms[1:], start=terms[0]),)


def three(*shape: int) -> list[Variable]:
    rng = np.random.default_rng(0)
    return [Variable(rng.uniform(0.5, 2, shape)) for _ in range(3)]


@pytest.mark.source("CN-01", "CN-02", "CN-08", "CN-16")
@pytest.mark.parametrize("function", [MulAdd, Delegating])
def test_muladd(function: type[FunctionNode]) -> None:
    x, y, z = three(3, 2)
    outputs = function().apply((x, y, z))
    assert type(outputs) is tuple and len(outputs) == 1
    (w,) = outputs
    np.testing.assert_array_equal(w.data, x.data * y.data + z.data)
    w.grad = gw = np.arange(6.0).reshape(3, 2)
    w.backward()
    for v, expected in ((x, gw * y.data), (y, gw * x.data), (z, gw)):
        np.testing.assert_array_equal(v.grad.data, expected)
    assert isinstance(w.creator, function) and w.creator.name == function.__name__


@pytest.mark.source("CN-02", "CN-07", "CN-15")
def test_backward_gets_variables_and_the_sorted_targets() -> None:
    seen = []

    class Spy(MulAdd):
        def backward(self, target_input_indexes, grad_outputs):
            seen.append((target_input_indexes, [type(g) for g in grad_outputs]))
            gradients = super().backward(target_input_indexes, grad_outputs)
            return gradients if self.all else tuple([gradients[i] for i in target_input_indexes])

    for everything in (True, False):
        for wanted in ((0, 1, 2), (0, 2), (1,)):
            inputs = [Variable(v.data, requires_grad=i in wanted) for i, v in enumerate(three(2))]
            node = Spy()
            node.all = everything
            F.sum(node.apply(inputs)[0]).backward()
            assert seen.pop() == (wanted, [Variable])
            x, y, _ = inputs
            for i, (v, expected) in enumerate(zip(inputs, (y.data, x.data, np.ones(2)), strict=True)):
                if i in wanted:
                    np.testing.assert_array_equal(v.grad.data, expected)
                else:
                    assert v.grad is None


@pytest.mark.source("CN-03", "CN-01")
def test_forward_cpu_alone() -> None:
    x, y = Variable(0.5), Variable(1.5)
    (z,) = ExpAdd().apply((x, y))
    gx, gy = grad(z, (x, y), create_graph=True)
    for _ in range(3):
        np.testing.assert_allclose([gx.item(), gy.item()], np.exp([0.5, 1.5]), rtol=1e-15)
        gx, gy = grad(gx, x, create_graph=True), grad(gy, y, create_graph=True)
    assert not hasattr(FunctionNode, "backward_cpu")


@pytest.mark.source("CN-04", "CN-05")
@pytest.mark.parametrize("retained", [None, (), (1,), (2, 0), [0, 1, 2]])
def test_only_what_was_asked_for_is_retained_in_that_order(retained: object) -> None:
    class Keeper(MulAdd):
        def forward(self, inputs):
            if retained is not None:
                self.retain_inputs(retained)
            return (inputs[0] * inputs[1] + inputs[2],)

        def backward(self, target_input_indexes, grad_outputs):
            kept.append(self.get_retained_inputs())
            return (grad_outputs[0],) * 3

    kept: list[tuple[Variable, ...]] = []
    inputs = three()
    Keeper().apply(inputs)[0].backward()
    assert type(kept[0]) is tuple
    assert [v.item() for v in kept[0]] == [inputs[i].item() for i in (retained or ())]


@pytest.mark.source("CN-06")
def test_outputs_can_be_retained_and_dropped() -> None:
    x = Variable(0.5)
    exp, double = Outputs().apply((x,))
    del exp
    double.backward()
    assert x.grad.item() == 2.0
    exp = Outputs().apply((x,))[0]
    first = grad(exp, x, create_graph=True)
    second = grad(first, x, create_graph=True)
    np.testing.assert_allclose([first.item(), second.item(), grad(second, x).item()], np.exp(0.5), rtol=1e-15)


@pytest.mark.source("CN-06")
def test_an_only_output_can_be_retained_for_every_order() -> None:
    class Exp(FunctionNode):
        def forward(self, inputs):
            self.retain_outputs((0,))
            return (np.exp(inputs[0]),)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * self.get_retained_outputs()[0],)

    x = Variable(0.5)
    (y,) = Exp().apply((x,))
    for _ in range(4):
        y = grad(y, x, create_graph=True)
        np.testing.assert_allclose(y.item(), np.exp(0.5), rtol=1e-15)


@pytest.mark.source("CN-06", "CO-30", "X11")
def test_gradients_of_unused_outputs_are_none() -> None:
    x = Variable([0.5, 1.0])
    exp, double = Outputs().apply((x,))
    F.sum(double).backward()
    assert exp.creator.given[0] is None and type(exp.creator.given[1]) is Variable
    F.sum(exp * double).backward()
    assert all(type(g) is Variable for g in exp.creator.given)
    e = np.exp(x.data)
    np.testing.assert_allclose(x.grad.data, 2 + 2 * e + 2 * x.data * e, rtol=1e-15)


def test_gradients_flow_to_and_through_each_of_several_outputs() -> None:
    x = Variable(0.5)
    a, b = Outputs().apply((x,))
    z = a * a * b
    gx, ga, gb = grad(z, (x, a, b), create_graph=True)
    e = np.exp(0.5)
    np.testing.assert_allclose([gx.item(), ga.item(), gb.item()], [4 * e * e, 2 * e, e * e], rtol=1e-14)
    second, through = grad(gx, (x, a))
    np.testing.assert_allclose(second.item(), 12 * e * e, rtol=1e-14)
    assert through is not None
    z.backward(retain_grad=True)
    np.testing.assert_allclose([x.grad.item(), a.grad.item(), b.grad.item()], [4 * e * e, 2 * e, e * e], rtol=1e-14)


@pytest.mark.source("CN-12", "CN-11")
def test_create_graph_agrees_with_the_operators() -> None:
    def programs(x, y, z):
        yield F.tanh(MulAdd().apply((x, y, z))[0]) * x
        yield F.tanh(x * y + z) * x

    x, y, z = three(3)
    results = []
    for w in programs(x, y, z):
        first = grad(F.sum(w), (x, y, z), create_graph=True)
        second = grad([F.sum(g * g) for g in first], (x, y, z), create_graph=True)
        results.append([*first, *second, *grad([F.sum(g) for g in second], (x, y, z))])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12)


@pytest.mark.source("CN-13", "CN-14")
def test_a_delegated_gradient_may_be_differentiable_once() -> None:
    x, y, z = three()
    gx = grad(Delegating().apply((x, y, z))[0], x, create_graph=True)
    assert gx.item() == y.item()
    with pytest.raises(NotImplementedError) as caught:
        grad(gx, y)
    assert caught.value.args == () and x.grad is None


@pytest.mark.source("CN-17")
def test_arrays_and_numbers_are_constants() -> None:
    x = Variable([1.0, 2.0])
    (w,) = MulAdd().apply([x, np.array([3.0, 4.0]), 5.0])
    F.sum(w).backward()
    np.testing.assert_array_equal(x.grad.data, [3.0, 4.0])
    (constant,) = MulAdd().apply((1.0, 2.0, np.float64(3)))
    assert type(constant) is Variable and constant.creator is None and constant.item() == 5.0


@pytest.mark.source("DZ-13")
def test_nothing_is_kept_without_a_graph() -> None:
    with autolab.no_grad():
        (w,) = MulAdd().apply(three())
    assert w.creator is None and not w.requires_grad


def test_the_same_variable_twice() -> None:
    x = Variable(3.0)
    (w,) = MulAdd().apply((x, x, x))
    g = grad(w, x, create_graph=True)
    assert (g.item(), grad(g, x).item()) == (7.0, 2.0)


def test_integer_results_have_no_gradient() -> None:
    class WithIndex(FunctionNode):
        def forward(self, inputs):
            return inputs[0].max(), inputs[0].argmax()

        def backward(self, target_input_indexes, grad_outputs):
            assert grad_outputs[1] is None
            return (F.broadcast_to(grad_outputs[0], shape=(3,)) * np.array([0.0, 1.0, 0.0]),)

    x = Variable([1.0, 5.0, 2.0])
    top, where = WithIndex().apply((x,))
    assert where.item() == 1 and not where.requires_grad and type(top.data) is np.ndarray
    top.backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 1.0, 0.0])


@pytest.mark.source("CO-27")
def test_backward_may_run_again() -> None:
    x, y, z = three()
    (w,) = MulAdd().apply((x, y, z))
    w.backward()
    w.backward()
    assert x.grad.item() == 2 * y.item()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_are_cast_to_their_inputs_dtype(dtype: type, create_graph: bool) -> None:
    class Widening(MulAdd):
        def backward(self, target_input_indexes, grad_outputs):
            return (F.cast(grad_outputs[0], dtype=np.longdouble),) * 3

    inputs = [Variable(np.ones(2, dtype)) for _ in range(3)]
    (w,) = Widening().apply(inputs)
    for g in grad(w, inputs, np.ones(2), create_graph=create_graph):
        assert g.dtype == dtype
