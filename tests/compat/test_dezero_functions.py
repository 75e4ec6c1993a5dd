"""The statements about DeZero's functions, under DeZero's names."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.each import each

from autolab.compat import dezero
from autolab.compat.dezero import Variable, functions_conv, utils
from autolab.compat.dezero import functions as F


def variable(*shape: int, seed: int = 0) -> Variable:
    return Variable(np.random.default_rng(seed).normal(size=shape))


@pytest.mark.source("DZ-24")
def test_reshape_in_three_spellings():
    x = variable(2, 3)
    assert [y.shape for y in (x.reshape(3, 2), x.reshape((3, 2)), x.reshape([3, 2]), F.reshape(x, (6,)))] == [
        *[(3, 2)] * 3,
        (6,),
    ]
    assert x.reshape(2, 3) is x and F.reshape(x, (2, 3)) is x
    F.reshape(x, (6,)).backward()
    assert x.grad.shape == (2, 3)


@pytest.mark.source("DZ-25")
def test_transpose_in_all_spellings():
    x = variable(2, 3, 4)
    found = x.transpose(), x.transpose(1, 0, 2), x.transpose((1, 0, 2)), x.transpose([-2, 0, 2]), x.transpose(None)
    assert [y.shape for y in found] == [(4, 3, 2), (3, 2, 4), (3, 2, 4), (3, 2, 4), (4, 3, 2)]
    assert x.T.shape == F.transpose(x).shape == (4, 3, 2)
    y = F.transpose(x, (1, -1, 0))
    y.grad = Variable(np.arange(24.0).reshape(y.shape))
    y.backward()
    assert (x.grad.data == np.arange(24.0).reshape(3, 4, 2).transpose(2, 0, 1)).all()


@pytest.mark.source("DZ-26", "DZ-27")
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (-1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_over_axes(axis, keepdims):
    x = variable(2, 3, 4)
    y = x.sum(axis, keepdims)
    assert np.allclose(y.data, x.data.sum(axis=axis, keepdims=keepdims)) and y.shape == F.sum(x, axis, keepdims).shape
    y.backward()
    assert (x.grad.data == 1).all()
    assert utils.reshape_sum_backward(y, x.shape, axis, keepdims).shape == x.data.sum(
        axis=axis, keepdims=True
    ).shape or (axis is None)


@pytest.mark.source("DZ-27")
def test_broadcast_to_and_sum_to_are_each_others_gradient():
    x = variable(1, 3)
    y = F.broadcast_to(x, (2, 3))
    y.backward()
    assert x.grad.data.tolist() == [[2, 2, 2]] and F.broadcast_to(x, (1, 3)) is x
    z = variable(2, 3)
    F.sum_to(z, (1, 3)).backward()
    assert (z.grad.data == 1).all() and F.sum_to(z, (2, 3)) is z
    assert utils.sum_to(np.ones((4, 2, 3)), (2, 1)).tolist() == [[12], [12]]
    a, b = variable(2, 3), variable(3)
    F.sum(a / b).backward()
    assert b.grad.shape == (3,) and np.allclose(b.grad.data, (-a.data / b.data**2).sum(axis=0))


@pytest.mark.source("DZ-28")
def test_the_gradients_of_matmul():
    x, W = variable(2, 3), variable(3, 4, seed=1)
    for y in (F.matmul(x, W), x.dot(W), x.matmul(W), x @ W):
        x.cleargrad()
        W.cleargrad()
        y.backward()
        assert np.allclose(x.grad.data, np.ones((2, 4)) @ W.data.T)
        assert np.allclose(W.grad.data, x.data.T @ np.ones((2, 4)))


@pytest.mark.source("DZ-29", "X5")
def test_the_mean_squared_error_is_divided_by_the_number_of_rows():
    x, t = variable(4, 2), variable(4, 2, seed=1)
    for function in (F.mean_squared_error, F.mean_squared_error_simple):
        x.cleargrad()
        loss = function(x, t)
        loss.backward()
        diff = x.data - t.data
        assert float(loss.data) == pytest.approx((diff**2).sum() / 4) and np.allclose(x.grad.data, 2 * diff / 4)
    assert float(F.mean_squared_error(Variable(np.ones((1, 1))), np.zeros(1)).data) == 1
    assert float(F.mean_squared_error(np.array(3.0), np.array(1.0)).data) == 4
    with pytest.raises(ValueError, match=r"mean_squared_error: x has shape \(3,\), t has shape \(3, 1\)"):
        F.mean_squared_error(variable(3), variable(3, 1))


@pytest.mark.source("DZ-31", "X4")
def test_the_weight_of_linear_is_in_by_out_and_the_bias_optional():
    x, W, b = variable(5, 3), variable(3, 2, seed=1), variable(2, seed=2)
    y = F.linear(x, W, b)
    assert np.allclose(y.data, x.data @ W.data + b.data)
    assert np.allclose(F.linear(x, W).data, F.linear_simple(x, W).data)
    y.backward()
    assert (x.grad.shape, W.grad.shape, b.grad.data.tolist()) == ((5, 3), (3, 2), [5, 5])


@pytest.mark.source("DZ-32")
def test_sigmoid_does_not_overflow_and_relu_has_a_mask():
    with np.errstate(all="raise", under="ignore"):
        assert F.sigmoid(Variable(np.array([-1000.0, 0.0, 1000.0]))).data.tolist() == [0, 0.5, 1]
    x = Variable(np.array([-1.0, 0.0, 2.0]))
    F.relu(x).backward()
    assert x.grad.data.tolist() == [0, 0, 1] and np.allclose(F.sigmoid_simple(x).data, F.sigmoid(x).data)


@pytest.mark.source("DZ-40")
def test_indexing_adds_up_where_an_element_was_taken_twice():
    x = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    y = F.get_item(x, np.array([0, 0, 1]))
    y.backward(create_graph=True)
    assert x.grad.data.tolist() == [[2, 2, 2], [1, 1, 1]]
    assert x[1].data.tolist() == [4, 5, 6] and x[:, Variable(np.array([2, 0]))].shape == (2, 2)
    x.cleargrad()
    z = F.sum(x[np.array([0, 0])] ** 3)
    z.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    F.sum(gx).backward()
    assert x.grad.data[0].tolist() == [12, 24, 36]


@pytest.mark.source("DZ-41")
def test_softmax_is_shifted_and_its_cross_entropy_has_the_difference_to_the_labels():
    x = Variable(np.array([[1000.0, 0.0], [0.0, 0.0]], np.float32))
    assert F.softmax(x).data.tolist() == [[1, 0], [0.5, 0.5]]
    for t in (np.array([1, 0]), np.array([[1], [0]], np.int32), Variable(np.array([1, 0])), np.array([1, 0], np.uint8)):
        x.cleargrad()
        loss = F.softmax_cross_entropy(x, t)
        loss.backward()
        assert float(loss.data) == pytest.approx((1000 + np.log(2)) / 2)
        assert np.allclose(x.grad.data, [[0.5, -0.5], [-0.25, 0.25]]) and loss.dtype == np.float32
    assert utils.logsumexp(np.array([[1000.0, 1000.0]])).tolist() == [[1000 + np.log(2)]]
    assert np.allclose(F.softmax_simple(variable(2, 3)).data, F.softmax(variable(2, 3)).data)


@pytest.mark.source("DZ-45")
def test_accuracy_has_no_gradient():
    found = F.accuracy(Variable(np.array([[0.2, 0.8, 0], [0.1, 0.9, 0], [0.8, 0.1, 0.1]])), np.array([1, 2, 0]))
    assert float(found.data) == pytest.approx(2 / 3) and type(found) is Variable and found.creator is None


@pytest.mark.source("X7")
def test_integers_are_differentiated_and_stay_integers():
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
    for function in (F.sum, F.transpose, lambda x: F.reshape(x, (6,)), lambda x: x + x * 2 - 1, lambda x: x[0] ** 2):
        x.cleargrad()
        y = function(x)
        y.backward()
        assert y.dtype == y.data.dtype == x.grad.dtype == np.int64 and x.grad.shape == (2, 3)
    x.cleargrad()
    y = F.sin(x) / 2
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float64, np.float64) and np.allclose(x.grad.data, np.cos(x.data) / 2)
    x.cleargrad()
    y = x**2 * 3
    y.backward(create_graph=True)
    gx = x.grad
    assert repr(gx[0]) == "variable([ 6 12 18])" and gx.creator is not None
    x.cleargrad()
    F.sum(gx).backward()
    assert (x.grad.data == 6).all()
    with pytest.raises(ValueError, match="read-only"):
        x.data[0, 0] = 7
    x.data = np.array([7, 8])
    assert repr(x) == "variable([7 8])" and x.grad is None
    x.data = np.array([0.5])
    assert repr(x) == "variable([0.5])" and type(x) is Variable
    large = np.array([2**53 + 1, -(2**62)])
    assert (Variable(large).data == large).all() and not Variable(large).requires_grad
    assert dezero.as_variable(np.array([True])).creator is None and Variable(np.array([1], np.uint8)).dtype == np.uint8


def test_integers_in_a_function_of_ones_own():
    class Product(dezero.Function):
        def forward(self, x, w):
            assert x.dtype.kind == w.dtype.kind == "i"
            return x * w

        def backward(self, gy):
            x, w = self.inputs
            return gy * w, gy * x

    x, w = Variable(np.array([2, 3])), Variable(np.array([5, 7]))
    y = Product()(x, w)
    y.backward()
    assert [repr(v) for v in (y, x.grad, w.grad)] == ["variable([10 21])", "variable([5 7])", "variable([2 3])"]


SHAPES = [
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, 0),
    ((1, 2, 7, 7), (3, 2, 3, 3), (2, 1), (1, 2)),
    ((1, 1, 5, 5), (1, 1, 5, 5), 3, 1),
]


@pytest.mark.parametrize(("images", "kernels", "stride", "pad"), SHAPES)
def test_convolutions_agree_with_their_simple_forms(images, kernels, stride, pad):
    x, W, b = variable(*images), variable(*kernels, seed=1), variable(kernels[0], seed=2)
    y = F.conv2d(x, W, b, stride, pad)
    assert np.allclose(y.data, F.conv2d_simple(x, W, b, stride, pad).data)
    back = F.deconv2d(y, W, stride=stride, pad=pad, outsize=images[2:])
    y.backward()
    assert back.shape == x.shape == x.grad.shape and (b.grad.data == y.size / len(b)).all()
    ones = F.deconv2d(np.ones(y.shape), W, stride=stride, pad=pad, outsize=images[2:])
    assert np.allclose(ones.data, x.grad.data)
    along = zip(images[2:], kernels[2:], utils.pair(stride), utils.pair(pad), strict=True)
    assert [*y.shape[2:]] == [utils.get_conv_outsize(*sizes) for sizes in along]


def test_pooling_sees_zeros_around_the_image():
    x = Variable(-np.ones((1, 1, 3, 3)))
    assert F.pooling(x, 2, 2, 1).data.tolist() == F.pooling_simple(x, 2, 2, 1).data.tolist() == [[[[0, 0], [0, -1]]]]
    assert F.average_pooling(x, 2, 2, 1).data.tolist() == [[[[-0.25, -0.5], [-0.5, -1]]]]
    y = F.pooling(variable(1, 2, 5, 5), kernel_size=3, stride=2)
    assert y.shape == (1, 2, 2, 2)


@pytest.mark.parametrize("matrix", [True, False])
def test_what_windows_see_and_back(matrix):
    x = Variable(np.arange(32.0).reshape(1, 2, 4, 4))
    y = F.im2col(x, 3, 1, 0, matrix)
    assert y.shape == ((4, 18) if matrix else (1, 2, 3, 3, 2, 2))
    first = y.data[0, :9] if matrix else y.data[0, 0, :, :, 0, 0].ravel()
    assert first.tolist() == x.data[0, 0, :3, :3].ravel().tolist()
    y.backward()
    times = F.col2im(np.ones(y.shape), x.shape, 3, 1, 0, matrix)
    assert (x.grad.data == times.data).all() and times.data[0, 0, 1].tolist() == [2, 4, 4, 2]
    assert type(functions_conv.im2col_array(x, 3, 1, 0, matrix)) is np.ndarray


def test_the_classes_of_functions_are_called_again_and_again():
    x = variable(2, 3)
    for made, plain in [(F.ReLU(), F.relu), (F.LeakyReLU(0.1), lambda x: F.leaky_relu(x, 0.1)), (F.Exp(), F.exp)]:
        assert [made(x).data.tolist() for _ in range(2)] == [plain(x).data.tolist()] * 2
    assert F.Reshape((3, 2))(x).shape == (3, 2) and F.Max(axis=1, keepdims=True)(x).shape == (2, 1)
    assert functions_conv.Pooling(2, stride=2)(variable(1, 1, 4, 4)).shape == (1, 1, 2, 2)
    with pytest.raises(TypeError):
        F.ReLU(3)


def test_dropout_and_batch_norm_follow_the_mode_and_numpys_generator():
    x = variable(6, 4)
    np.random.seed(3)
    first = F.dropout(x, 0.25)
    np.random.seed(3)
    kept = np.random.rand(6, 4) >= 0.25
    assert np.allclose(first.data, x.data * kept / 0.75)
    mean, var = np.zeros(4), np.ones(4)
    y = F.batch_nrom(x, np.ones(4), np.zeros(4), mean, var)
    assert np.allclose(y.data.mean(axis=0), 0) and np.allclose(mean, 0.1 * x.data.mean(axis=0))
    assert np.allclose(var, 0.9 + 0.1 * x.data.var(axis=0, ddof=1))
    with dezero.test_mode():
        assert F.dropout(x) is x
        y = F.batch_nrom(x, np.ones(4), np.zeros(4), mean, var)
    assert np.allclose(y.data, (x.data - mean) / np.sqrt(var + 2e-5))


def test_losses_of_probabilities_are_divided_by_the_rows():
    x, t = variable(4, 1), np.array([0, 1, 1, 0])
    p = F.sigmoid(x)
    expected = -np.where(t[:, None], np.log(p.data), np.log(1 - p.data)).sum() / 4
    assert float(F.sigmoid_cross_entropy(x, t).data) == pytest.approx(expected)
    assert float(F.binary_cross_entropy(p, t).data) == pytest.approx(expected)
    assert np.isfinite(F.binary_cross_entropy(Variable(np.array([[1.0]])), np.array([[0.0]])).data)
    assert np.isfinite(F.sigmoid_cross_entropy(Variable(np.array([[1e4]])), np.array([[0]])).data)


@each("dtype", [np.float16, np.float32, np.float64])
@each("shape", [(), (0,), (1, 0), (3,)])
def test_functions_of_one_argument_keep_shapes_and_dtypes(dtype, shape):
    x = Variable(np.full(shape, 0.5, dtype))
    for function in (F.sin, F.cos, F.tanh, F.exp, F.log, F.sigmoid, F.relu, F.leaky_relu):
        x.cleargrad()
        y = function(x)
        y.backward()
        assert (y.shape, y.dtype, x.grad.dtype) == (shape, dtype, dtype) and type(y) is type(x.grad) is Variable
    with np.errstate(all="ignore"):
        assert np.isnan(F.sin(Variable(np.array([np.nan, np.inf]))).data).all()


def test_numpys_functions_and_all_methods_give_dezeros_variables():
    x = variable(3, 4)
    found = [np.exp(x), np.sum(x, axis=0), np.maximum(x, 0), x.mean(), x.exp(), abs(x), x @ x.T, x[0], x.clip(0, 1)]
    found += [x.max(axis=1), x.min(1), x.flatten(), x.swapaxes(0, 1), x.std(), next(iter(x)), np.float32(2) * x, x // 1]
    assert {type(y) for y in found} == {Variable}
    assert isinstance(x > 0, np.ndarray) and (x.mean() + 1).creator is not None
