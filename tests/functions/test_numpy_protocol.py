"""NumPy's own functions on Variables, and arrays on the left of an operator."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F

A = np.arange(1.0, 7.0).reshape(2, 3)

SAME = [
    (lambda x: np.add(x, A), lambda x: F.add(x, A)),
    (lambda x: np.subtract(A, x), lambda x: F.sub(A, x)),
    (lambda x: np.multiply(x, x), lambda x: F.mul(x, x)),
    (lambda x: np.divide(1.0, x), lambda x: F.div(1.0, x)),
    (lambda x: np.true_divide(x, 2), lambda x: F.div(x, 2)),
    (lambda x: np.power(x, 3), lambda x: F.pow(x, 3)),
    (np.negative, F.neg),
    (np.exp, F.exp),
    (np.log, F.log),
    (np.sin, F.sin),
    (np.cos, F.cos),
    (np.tanh, F.tanh),
    (np.sum, F.sum),
    (lambda x: np.sum(x, 0), lambda x: F.sum(x, axis=0)),
    (lambda x: np.sum(x, -1), lambda x: F.sum(x, axis=-1)),
    (lambda x: np.sum(x, (0, 1)), lambda x: F.sum(x, axis=(0, 1))),
    (lambda x: np.sum(x, axis=1, keepdims=True), lambda x: F.sum(x, axis=1, keepdims=True)),
    (lambda x: np.sum(x, 1, None, None, True), lambda x: F.sum(x, axis=1, keepdims=True)),
    (lambda x: np.sum(a=x, axis=0), lambda x: F.sum(x, axis=0)),
    (lambda x: np.reshape(x, (3, 2)), lambda x: F.reshape(x, shape=(3, 2))),
    (lambda x: np.reshape(x, -1), lambda x: F.reshape(x, shape=-1)),
    (lambda x: np.transpose(x), lambda x: F.transpose(x)),
    (lambda x: np.transpose(x, (1, 0)), lambda x: F.transpose(x, axes=(1, 0))),
    (lambda x: np.mean(x, 0), lambda x: F.mean(x, axis=0)),
    (lambda x: x.mean(0), lambda x: F.mean(x, axis=0)),
    (lambda x: np.var(x, ddof=1), lambda x: F.var(x, ddof=1)),
    (lambda x: np.std(x, axis=1, keepdims=True), lambda x: F.std(x, axis=1, keepdims=True)),
    (lambda x: np.prod(x, -1), lambda x: F.prod(x, axis=-1)),
    (lambda x: np.max(x, axis=0), lambda x: F.max(x, axis=0)),
    (lambda x: np.amin(x), lambda x: F.min(x)),
    (lambda x: x.max(0, keepdims=True), lambda x: F.max(x, axis=0, keepdims=True)),
    (lambda x: np.cumsum(x, 0), lambda x: F.cumsum(x, axis=0)),
    (lambda x: x.cumprod(1), lambda x: F.cumprod(x, axis=1)),
    (lambda x: np.sort(x, axis=None), lambda x: F.sort(x, axis=None)),
    (lambda x: np.linalg.norm(x), lambda x: F.norm(x)),
    (lambda x: np.linalg.norm(x, 1, 0), lambda x: F.norm(x, ord=1, axis=0)),
    (lambda x: np.ravel(x), lambda x: F.reshape(x, shape=-1)),
    (lambda x: x.ravel(), lambda x: F.reshape(x, shape=-1)),
    (lambda x: np.swapaxes(x, 0, 1), lambda x: F.swapaxes(x, axis1=0, axis2=1)),
    (lambda x: x.swapaxes(0, axis2=1), lambda x: F.swapaxes(x, axis1=0, axis2=1)),
    (lambda x: np.moveaxis(x, 0, 1), lambda x: F.moveaxis(x, source=0, destination=1)),
    (lambda x: np.expand_dims(x, (0, 2)), lambda x: F.expand_dims(x, axis=(0, 2))),
    (lambda x: np.squeeze(x[:1]), lambda x: F.squeeze(x[:1])),
    (lambda x: x[:1].squeeze(0), lambda x: F.squeeze(x[:1], axis=0)),
    (lambda x: np.concatenate([x, A], axis=1), lambda x: F.concatenate(x, A, axis=1)),
    (lambda x: np.concatenate((A, x), 1), lambda x: F.concatenate(A, x, axis=1)),
    (lambda x: np.stack([x, A], -1), lambda x: F.stack(x, A, axis=-1)),
    (lambda x: np.split(x, 3, 1)[1], lambda x: F.split(x, sections=3, axis=1)[1]),
    (lambda x: np.repeat(x, 2, 0), lambda x: F.repeat(x, repeats=2, axis=0)),
    (lambda x: x.repeat([1, 2], 0), lambda x: F.repeat(x, repeats=[1, 2], axis=0)),
    (lambda x: np.tile(x, (2, 1)), lambda x: F.tile(x, reps=(2, 1))),
    (lambda x: np.pad(x, 1), lambda x: F.pad(x, pad_width=1)),
    (lambda x: np.pad(x, 1, "edge"), lambda x: F.pad(x, pad_width=1, mode="edge")),
    (lambda x: np.pad(x, 1, constant_values=2), lambda x: F.pad(x, pad_width=1, constant_values=2)),
    (lambda x: np.roll(x, 1, 0), lambda x: F.roll(x, shift=1, axis=0)),
    (lambda x: np.flip(x, 0), lambda x: F.flip(x, axis=0)),
    (
        lambda x: np.take_along_axis(x, A.astype(int) % 2, 0),
        lambda x: F.take_along_axis(x, indices=A.astype(int) % 2, axis=0),
    ),
    (lambda x: np.diagonal(x, 1), lambda x: F.diagonal(x, offset=1)),
    (lambda x: np.trace(x), lambda x: F.trace(x)),
    (lambda x: x.trace(1), lambda x: F.trace(x, offset=1)),
    (lambda x: np.tril(x, -1), lambda x: F.tril(x, k=-1)),
    (lambda x: np.triu(x), lambda x: F.triu(x)),
    (lambda x: np.broadcast_to(x, (4, 2, 3)), lambda x: F.broadcast_to(x, shape=(4, 2, 3))),
    (lambda x: np.matmul(A.T, x), lambda x: F.matmul(A.T, x)),
    (lambda x: A + x, lambda x: F.add(A, x)),
    (lambda x: A - x, lambda x: F.sub(A, x)),
    (lambda x: A * x, lambda x: F.mul(A, x)),
    (lambda x: A / x, lambda x: F.div(A, x)),
    (lambda x: A**x, lambda x: F.pow(A, x)),
    (lambda x: A.T @ x, lambda x: F.matmul(A.T, x)),
    (lambda x: np.float64(2) * x, lambda x: F.mul(np.float64(2), x)),
    (lambda x: [1.0, 2.0, 3.0] * x, lambda x: F.mul([1.0, 2.0, 3.0], x)),
]


@pytest.mark.source("DZ-15", "CO-20")
@each(("numpys", "ours"), SAME)
def test_numpy_functions_reach_the_declared_ones(numpys: object, ours: object) -> None:
    x = Variable(A / 2)
    y, expected = numpys(x), ours(x)
    assert type(y) is Variable and y.creator.function is expected.creator.function
    np.testing.assert_array_equal(y.data, expected.data)
    g, h = [autolab.grad(F.sum(value), x) for value in (y, expected)]
    np.testing.assert_array_equal(g.data, h.data)


NO_GRADIENT = [
    (lambda x: np.unwrap(x), r"numpy\.unwrap has no gradient"),
    (lambda x: np.spacing(x), r"numpy\.spacing has no gradient"),
    (lambda x: np.linalg.eig(x), r"numpy\..*eig has no gradient"),
    (lambda x: np.unique(x), r"numpy\.unique has no gradient"),
    (lambda x: np.hstack([x, x], dtype=np.float32), r"numpy\.hstack on a Variable .*'dtype'"),
    (lambda x: np.add.accumulate(x), r"numpy\.add\.accumulate has no gradient"),
    (lambda x: np.logaddexp.reduce(x), r"numpy\.logaddexp\.reduce has no gradient"),
    (lambda x: np.add.at(A.copy(), (0, 0), x), r"numpy\.add\.at has no gradient"),
    (lambda x: np.exp(x, dtype=np.float32), r"numpy\.exp .* 'dtype'"),
    (lambda x: np.exp(x, where=A > 2), r"numpy\.exp .* 'where'"),
    (lambda x: np.sum(x, initial=1.0), r"numpy\.sum .* 'initial'"),
    (lambda x: np.reshape(x, (3, 2), order="F"), r"numpy\.reshape .* 'order'"),
]


@each("kind", ["f2", "f4", "f8", "i2", "?"])
@each("values", [7.5, 3, np.float32([2.5]), np.arange(2.0), True])
def test_insert_keeps_the_dtype_of_the_array(kind: str, values: object) -> None:
    a, places = np.array([1, 0, 1]).astype(kind), [1] * np.size(values)
    y = np.insert(Variable(a), places, values)
    expected = np.insert(a, places, values)
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y.data, expected)


def test_values_that_would_lose_their_gradient_are_not_inserted() -> None:
    with pytest.raises(TypeError, match=r"^insert: arr holds int64, in which values lose their gradient"):
        np.insert(np.arange(3), 1, Variable(7.5))


@each(("call", "message"), NO_GRADIENT)
def test_functions_without_gradient_are_named(call: object, message: str) -> None:
    with pytest.raises(autolab.NoGradientError, match=message) as caught:
        call(Variable(A))
    assert len(str(caught.value)) <= 300


DETACHES = [
    (lambda x, a: np.exp(a, out=x), "out= cannot be a Variable"),
    (lambda x, a: np.any(a, out=x), r"numpy\.any: out= cannot be a Variable"),
    (lambda x, a: np.argmax(a, None, x), r"numpy\.argmax: out= cannot be a Variable"),
    (lambda x, a: np.nancumsum(a, out=x.detach()), r"numpy\.nancumsum: out= cannot be a Variable"),
    (lambda x, a: np.exp(x, out=a), "would drop the gradient"),
    (lambda x, a: np.add(a, x, out=(a,)), "would drop the gradient"),
    (lambda x, a: a.__iadd__(x), "would drop the gradient"),
    (lambda x, a: np.add.at(a, 0, x), "no gradient"),
    (lambda x, a: np.asarray(x), r"numpy\.asarray.*\.data"),
    (lambda x, a: np.array([x, x]), r"\.data"),
    (lambda x, a: np.sum([x, x]), r"\.data"),
    (lambda x, a: x.__setitem__(0, 1.0), r"x\.data\[\.\.\.\]"),
]


@each(("call", "message"), DETACHES)
def test_nothing_is_detached_silently(call: object, message: str) -> None:
    x, a = Variable(A), A.copy()
    with pytest.raises(TypeError, match=message):
        call(x, a)
    np.testing.assert_array_equal(a, A)
    np.testing.assert_array_equal(x.data, A)


def test_an_array_may_be_updated_by_a_constant() -> None:
    a, constant = A.copy(), Variable(A, requires_grad=False)
    alias = a
    a -= 0.5 * constant
    assert a is alias and type(a) is np.ndarray
    np.testing.assert_array_equal(a, A / 2)
    assert np.asarray(constant) is not constant
    np.testing.assert_array_equal(np.asarray(constant), A)
    assert np.asarray(constant, dtype=np.float32).dtype == np.float32


PLAIN = [np.argmax, np.isnan, np.isfinite, np.any, np.shape, np.ndim, np.size, np.zeros_like, np.argsort, np.signbit]


@pytest.mark.parametrize("function", PLAIN, ids=lambda f: f.__name__)
def test_questions_about_a_variable_give_plain_answers(function: object) -> None:
    answer, expected = function(Variable(A)), function(A)
    assert isinstance(answer, type(expected)) and not hasattr(answer, "requires_grad")
    np.testing.assert_array_equal(answer, expected)


def test_comparisons_by_ufunc_give_arrays() -> None:
    x = Variable(A)
    for function in (np.greater, np.less_equal, np.equal, np.not_equal, np.isclose, np.logical_and):
        np.testing.assert_array_equal(function(x, 3.0), function(A, 3.0))
        np.testing.assert_array_equal(function(3.0, x), function(3.0, A))
