"""The statements of the source documents on Chainer's functions, old style (CO) and new style (CN), by their names."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import autolab.compat.chainer as chainer
import autolab.compat.chainer.functions as F
from autolab import ReuseError
from autolab.compat.chainer import cuda
from autolab.compat.chainer.utils import type_check

f32 = np.float32


class OldMulAdd(chainer.Function):
    def forward_cpu(self, inputs):
        assert all([type(x) is np.ndarray for x in inputs]) and type(inputs) is tuple
        x, y, z = inputs
        return (x * y + z,)

    def backward_cpu(self, inputs, grad_outputs):
        assert all([type(x) is np.ndarray for x in (*inputs, *grad_outputs)])
        x, y, _ = inputs
        (gw,) = grad_outputs
        return gw * y, gw * x, gw


class NewMulAdd(chainer.FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, y, z = inputs
        return (x * y + z,)

    def backward(self, target_input_indexes, grad_outputs):
        assert target_input_indexes == tuple(sorted(target_input_indexes))
        x, y = self.get_retained_inputs()
        (gw,) = grad_outputs
        assert all([type(v) is chainer.Variable for v in (x, y, gw)])
        return gw * y, gw * x, gw


def old_muladd(x, y, z):
    return OldMulAdd()(x, y, z)


def new_muladd(x, y, z):
    (w,) = NewMulAdd().apply((x, y, z))
    return w


def variables(*shape: int, count: int = 3) -> list[chainer.Variable]:
    rng = np.random.default_rng(0)
    return [chainer.Variable(rng.uniform(-1, 1, shape).astype(f32)) for _ in range(count)]


@pytest.mark.source("CO-01", "CO-02", "CO-04", "CO-05", "CO-08", "CO-10", "CN-01", "CN-02", "CN-08", "CN-16", "X3")
@pytest.mark.parametrize("muladd", [old_muladd, new_muladd])
@pytest.mark.parametrize("shape", [(3, 2), (), (0, 2)])
def test_both_styles_give_the_value_and_the_gradients(muladd, shape):
    x, y, z = variables(*shape)
    w = muladd(x, y, z)
    assert type(w) is chainer.Variable and w.data.dtype == f32
    np.testing.assert_array_equal(w.data, x.data * y.data + z.data)
    w.grad = np.full(shape, 2, f32)
    w.backward()
    for variable, expected in ((x, 2 * y.data), (y, 2 * x.data), (z, w.grad)):
        assert type(variable.grad) is np.ndarray and variable.grad.dtype == f32
        np.testing.assert_array_equal(variable.grad, expected)
    assert type(x.grad_var) is chainer.Variable
    with pytest.raises(ReuseError, match="MulAdd: this object was applied before"):
        node = NewMulAdd() if muladd is new_muladd else OldMulAdd()
        for _ in range(2):
            node.apply((x, y, z)) if muladd is new_muladd else node(x, y, z)


@pytest.mark.source("CO-03", "X11")
def test_a_result_is_a_tuple_and_several_come_back_as_one():
    class Bare(chainer.Function):
        def forward(self, inputs):
            return inputs[0]

    with pytest.raises(TypeError, match="expected a tuple"):
        Bare()(np.ones(2))

    class Both(chainer.Function):
        def forward(self, inputs):
            return inputs[0] + 1, inputs[0] * 2

        def backward(self, inputs, grad_outputs):
            self.seen = grad_outputs
            return (grad_outputs[1] * 2,)

    x = chainer.Variable(np.ones(2, f32))
    both = Both()
    pair = both(x)
    assert type(pair) is tuple and [type(y) for y in pair] == [chainer.Variable] * 2
    F.sum(pair[1]).backward()
    assert both.seen[0] is None  # CO-30
    np.testing.assert_array_equal(x.grad, [2, 2])


@pytest.mark.source("CO-05", "CO-30", "CN-18", "X12")
def test_wrong_gradients_are_refused():
    class Wrong(NewMulAdd):
        def backward(self, indexes, grad_outputs):
            return self.wrong(grad_outputs[0])

    for wrong, said in ((lambda g: (g,), "1"), (lambda g: (g[:1], g, g), "shape")):
        Wrong.wrong = staticmethod(wrong)
        (w,) = Wrong().apply(variables(3))
        w.grad = np.ones(3, f32)
        with pytest.raises(ValueError, match=f"Wrong.*{said}"):
            w.backward()


@pytest.mark.source("CO-06", "CO-07", "CO-12", "CO-13")
def test_cuda_is_named_without_being_there():
    class OnGpu(OldMulAdd):
        def forward_gpu(self, inputs):
            return (cuda.cupy.exp(inputs[0]),)

    OnGpu()(*variables(2))  # takes forward_cpu
    assert cuda.get_array_module(np.ones(1), np.ones(2)) is np
    assert chainer.backend.get_array_module() is np
    if not cuda.available:
        with pytest.raises(RuntimeError, match="CuPy"):
            cuda.cupy.exp(1)
        with pytest.raises(RuntimeError, match="CuPy"):
            cuda.check_cuda_available()
    assert cuda.available or "cupy" not in sys.modules


@pytest.mark.source("CO-14", "CO-15", "CO-16", "CO-17")
def test_a_kernel_is_made_once_for_its_arguments():
    made = cuda.elementwise("T x, T y", "T z", "z = x * y", "multiply")
    assert made is cuda.elementwise("T x, T y", "T z", "z = x * y", "multiply")
    assert made is not cuda.elementwise("float32 x", "float32 z", "z = x", "copied")
    if not cuda.available:
        with pytest.raises(RuntimeError, match=r"multiply: .*CuPy"):
            made(np.ones(2), np.ones(2))


@pytest.mark.source("CO-18", "X10", "CN-19")
def test_the_configuration_is_that_of_the_thread():
    assert chainer.config.train is True and chainer.config.enable_backprop is True
    seen = []
    with chainer.using_config("train", False), chainer.using_config("mine", 3), chainer.no_backprop_mode():
        assert chainer.config.train is False and chainer.config.mine == 3
        thread = threading.Thread(target=lambda: seen.extend([chainer.config.train, hasattr(chainer.config, "mine")]))
        thread.start()
        thread.join()
        x = chainer.Variable(np.ones(2))
        assert (x * 2).creator is None
        with chainer.force_backprop_mode():
            assert (x * 2).creator is not None
    assert seen == [True, False] and not hasattr(chainer.config, "mine")
    with pytest.raises(ZeroDivisionError), chainer.using_config("mine", 3):
        raise ZeroDivisionError
    assert not hasattr(chainer.config, "mine")
    with pytest.raises(TypeError, match="expected a bool"):
        chainer.config.train = 1


@pytest.mark.source("CO-18")
def test_the_global_configuration_is_what_all_threads_begin_with():
    chainer.global_config.mine = 1
    try:
        assert chainer.config.mine == 1
        with chainer.using_config("mine", 2):
            assert chainer.config.mine == 2 and chainer.global_config.mine == 1
        with chainer.using_config("train", False, chainer.global_config):
            assert chainer.config.train is False
        assert chainer.config.train is True
    finally:
        del chainer.global_config.mine


@pytest.mark.source("CO-19", "CO-20", "CO-21")
def test_dropout_as_a_plain_function_and_the_official_one():
    def dropout(x):
        xp = chainer.backend.get_array_module(x.data)
        if not chainer.config.train:
            return x
        mask = 2 * (xp.random.rand(*x.shape) > 0.5).astype(x.dtype)
        return x * mask

    x = chainer.Variable(np.ones((20, 20), f32))
    for function in (dropout, F.dropout):
        y = function(x)
        assert set(np.unique(y.data)) == {0, 2} and y.dtype == f32
        with chainer.using_config("train", False):
            np.testing.assert_array_equal(function(x).data, x.data)
    np.random.seed(3)
    first = F.dropout(x).data
    np.random.seed(3)
    np.testing.assert_array_equal(F.dropout(x).data, first)
    y, mask = F.dropout(x, return_mask=True)
    np.testing.assert_array_equal(F.dropout(x, mask=mask).data, y.data)
    assert type(np.ones((20, 20), f32) * x) is type(x * np.ones((20, 20), f32)) is chainer.Variable


@pytest.mark.source("CO-22", "CO-23", "CO-24", "CO-25", "X4")
def test_links_of_the_documents():
    class EltwiseParamProduct(chainer.Link):
        def __init__(self, shape):
            super().__init__()
            with self.init_scope():
                self.W = chainer.Parameter(chainer.initializers.Normal(scale=1.0), shape)

        def __call__(self, x):
            return self.W * x

    class LinearFunction(chainer.Function):
        def forward(self, inputs):
            x, W, b = inputs
            return (x.dot(W.T) + b,)

        def backward(self, inputs, grad_outputs):
            x, W, _ = inputs
            (gy,) = grad_outputs
            return gy.dot(W), gy.T.dot(x), gy.sum(axis=0)

    product = EltwiseParamProduct((2, 3))
    x = chainer.Variable(np.ones((4, 2, 3), f32))
    product(x).sum().backward()
    np.testing.assert_allclose(product.W.grad, np.full((2, 3), 4))
    assert product.W.dtype == f32 and not chainer.Parameter(0, (2,)).data.any()

    layer = chainer.links.Linear(4000, 5)
    assert layer.W.shape == (5, 4000) and not layer.b.data.any()
    assert abs(layer.W.data.std() * np.sqrt(4000) - 1) < 0.05
    x = chainer.Variable(np.random.default_rng(1).normal(size=(3, 4000)).astype(f32))
    y = LinearFunction()(x, layer.W, layer.b)
    np.testing.assert_allclose(y.data, layer(x).data, atol=1e-5)
    y.grad = np.ones((3, 5), f32)
    y.backward()
    np.testing.assert_allclose(layer.b.grad, [3] * 5)


@pytest.mark.source("CO-09", "CN-09", "CN-10", "X9")
def test_an_instance_serves_once_and_a_node_is_not_called():
    x = variables(2, count=1)[0]
    with pytest.raises(TypeError, match=r"NewMulAdd.*apply"):
        NewMulAdd()(x, x, x)


@pytest.mark.source("CO-11", "CO-26", "CO-27", "CO-28", "CO-29", "X8")
def test_backward_twice_and_the_order_that_old_functions_end():
    class Exp(chainer.Function):
        def forward(self, inputs):
            self.y = np.exp(inputs[0])
            return (self.y,)

        def backward(self, inputs, grad_outputs):
            return (self.y * grad_outputs[0],)

    x = chainer.Variable(np.array([0.5]))
    y = new_muladd(Exp()(x), x, x)
    y.backward()
    once = x.grad.copy()
    y.backward()
    np.testing.assert_allclose(x.grad, 2 * once)
    (gx,) = chainer.grad([Exp()(x)], [x], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='twice-differentiate an old style Function "Exp"'):
        chainer.grad([gx], [x])


@pytest.mark.source("CN-04", "CN-05", "CN-06", "CN-07", "CN-15", "CN-17")
def test_what_a_node_retains_and_which_gradients_it_is_asked_for():
    class Node(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs(())
            self.retain_outputs((0,))
            return (np.exp(inputs[0]) + 0 * inputs[1],)

        def backward(self, indexes, grad_outputs):
            assert self.get_retained_inputs() == () and indexes == (0,)
            (y,) = self.get_retained_outputs()
            return (y * grad_outputs[0],)

    x = chainer.Variable(np.array([0.5]))
    constant = chainer.Variable(np.array([1.0]), requires_grad=False)
    for second in (constant, np.array([1.0])):
        x.cleargrad()
        Node().apply((x, second))[0].backward()
        np.testing.assert_allclose(x.grad, np.exp([0.5]))


@pytest.mark.source("CN-11", "CN-12", "CN-13", "CN-14")
def test_orders_and_a_node_that_has_one_only():
    class ExpAdd(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (np.exp(inputs[0]) + np.exp(inputs[1]),)

        def backward(self, indexes, grad_outputs):
            x, y = self.get_retained_inputs()
            return grad_outputs[0] * F.exp(x), grad_outputs[0] * F.exp(y)

    class Once(ExpAdd):
        def backward(self, indexes, grad_outputs):
            return OnceGrad().apply((*self.get_retained_inputs(), grad_outputs[0]))

    class OnceGrad(chainer.FunctionNode):
        def forward(self, inputs):
            x, y, g = inputs
            return g * np.exp(x), g * np.exp(y)

        def backward(self, indexes, grad_outputs):
            raise NotImplementedError

    x, y = chainer.Variable(np.array([0.5])), chainer.Variable(np.array([1.0]))
    gx = x
    (gx,) = chainer.grad(ExpAdd().apply((x, y)), [x], enable_double_backprop=True)
    for _ in range(3):
        np.testing.assert_allclose(gx.data, np.exp(x.data))
        (gx,) = chainer.grad([gx], [x], enable_double_backprop=True)
    (gx,) = chainer.grad(Once().apply((x, y)), [x], enable_double_backprop=True)
    np.testing.assert_allclose(gx.data, np.exp(x.data))
    with pytest.raises(NotImplementedError):
        chainer.grad([gx], [x])
    x.cleargrad()
    (w,) = Once().apply((x, x))
    w.backward(enable_double_backprop=True)
    np.testing.assert_allclose(x.grad, 2 * np.exp(x.data))
    assert x.grad_var.creator is not None


@pytest.mark.source("CN-19")
def test_grad_returns_a_list_and_stores_on_request():
    x, y = chainer.Variable(np.array([3.0])), chainer.Variable(np.array([1.0]))
    found = chainer.grad([x * x], [x, y], grad_inputs=[chainer.Variable(np.array([1.0])), None], set_grad=True)
    assert type(found) is list and found[1] is None
    np.testing.assert_array_equal(found[0].data, [7])
    np.testing.assert_array_equal(x.grad, [7])
    with pytest.raises(TypeError, match="sequences"):
        chainer.grad(x * x, x)
    with pytest.raises(NotImplementedError, match="grad: loss_scale"):
        chainer.grad([x], [x], loss_scale=2.0)


def test_the_types_of_inputs_are_checked_as_they_were_written():
    class Picky(NewMulAdd):
        def check_type_forward(self, in_types):
            type_check.expect(in_types.size() == 3)
            x, y, _ = in_types
            type_check.expect(x.dtype.kind == "f", x.shape == y.shape, x.ndim < 3, type_check.prod(x.shape) > 0)

    x, y, z = variables(2, 3)
    Picky().apply((x, y, z))
    with pytest.raises(
        type_check.InvalidType, match=r"Expect: x\.shape == y\.shape\nActual: x is \(2, 3\) f.*, y is \(1, 3\) f"
    ):
        Picky().apply((x, y[:1], z))
    with pytest.raises(type_check.InvalidType, match=r'kind == "f"'):
        Picky().apply((np.ones((2, 3), int), y, z))
    with pytest.raises(type_check.InvalidType, match=r"in_types\.size\(\) == 3\nActual: in_types is \(\(2, 3\) f"):
        Picky().apply((x,))
    with chainer.using_config("type_check", False), pytest.raises(ValueError, match="unpack"):
        Picky().apply((x,))
    with pytest.raises(type_check.InvalidType, match="condition 2 of 2"):
        type_check.expect(*[True, type_check.make_variable(1, "n") == 2])
    with pytest.raises(type_check.InvalidType, match="Expect: 2 inputs: x, W\nActual: 1"):
        type_check._argname(type_check.get_types([None], "in_types", True), ("x", "W"))
    with pytest.raises(type_check.InvalidType, match=r"Actual: \(2, 3\), \(2,\)"):
        type_check.expect_broadcast_shapes((2, 3), (2,))


@pytest.mark.parametrize(
    ("function", "shape", "weights"),
    [
        (F.convolution_1d, (1, 2, 5), (3, 2, 2)),
        (F.convolution_2d, (1, 2, 5, 5), (3, 2, 2, 2)),
        (F.deconvolution_2d, (1, 2, 5, 5), (2, 3, 2, 2)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_convolutions_keep_the_dtype_of_their_input(function, shape, weights):
    y = function(np.ones(shape, np.float32), np.ones(weights))
    assert y.dtype == np.float32
