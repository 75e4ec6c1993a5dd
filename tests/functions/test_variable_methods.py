"""Methods of Variable that people type unasked: those of NumPy's arrays, and the commonest of other libraries."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, grad, no_grad
from autolab import functions as F

X = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, 0.25]])


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "abs", "sin", "cos", "tanh", "sigmoid", "relu", "softmax"])
def test_functions_as_methods(name: str) -> None:
    x = Variable(X)
    y = getattr(x, name)()
    np.testing.assert_array_equal(y.data, getattr(F, name)(X))
    assert grad(F.sum(y * X), x) is not None and y.creator is not None


def test_softmax_takes_its_axis() -> None:
    x = Variable(X)
    for y in (x.softmax(0), x.softmax(axis=0)):
        np.testing.assert_array_equal(y.data, F.softmax(X, axis=0))


PLAIN: list[Callable[[Any], Any]] = [
    lambda x: x.argmax(),
    lambda x: x.argmax(1),
    lambda x: x.argmin(axis=0, keepdims=True),
    lambda x: x.argsort(),
    lambda x: x.argsort(axis=0),
    lambda x: x.argpartition(1, axis=1)[:, :1],
    lambda x: x.any(),
    lambda x: x.all(axis=1),
    lambda x: x.nonzero(),
    lambda x: x[0].searchsorted(1.5, side="right"),
    lambda x: (x.nbytes, x.itemsize, *x.strides),
]


@pytest.mark.parametrize("call", PLAIN)
def test_what_has_no_gradient_is_plain(call: Callable[[Any], Any]) -> None:
    found, expected = call(Variable(X)), call(X)
    assert not isinstance(found, Variable)
    np.testing.assert_array_equal(found, expected)


def test_arrays_methods_that_are_differentiable() -> None:
    x = Variable(X)
    for y, expected in ((x.copy(), X), (x.mT, X.T), (x.astype("float32"), X.astype("f4")), (x.flatten(), X.ravel())):
        np.testing.assert_array_equal(y.data, expected)
        assert y.requires_grad and y is not x
    assert x.copy().data is not x.data
    assert x.astype(float, copy=False) is x


def test_detach_and_numpy_are_the_values_without_the_graph() -> None:
    x = Variable(X)
    y = x * x
    assert not y.detach().requires_grad and y.detach().data is y.data
    assert type(y.numpy()) is np.ndarray and y.numpy() is y.data
    assert y.tolist() == (X * X).tolist() and Variable(2.0).tolist() == 2.0
    z = F.sum(y * y.detach())
    np.testing.assert_array_equal(grad(z, x).data, 2 * X * X * X)


def test_whole_numbers_are_constants() -> None:
    y = Variable([1.7, 2.2]).astype(int)
    np.testing.assert_array_equal(y.data, [1, 2])
    assert not y.requires_grad and y.dtype == int
    with pytest.raises(TypeError, match="cast: dtype is complex128"):
        Variable(1.0).astype(complex)


def test_what_leaves_the_graph_is_marked() -> None:
    def program(x: Any) -> Any:
        a = x * x.detach()
        b = a + x.numpy()
        return b * x.astype(int)

    recording = autolab.record(program, np.array([2.5]))
    assert [note.source for note in recording.departures] == ["x.detach()", "x.numpy()", "x.astype(int)"]


def test_formats() -> None:
    loss = Variable(0.123456) * 1
    assert f"{loss:.3f}" == "0.123" and f"{loss:8.2e}" == "1.23e-01" and f"{Variable([2.0]):+.1f}" == "+2.0"
    assert f"{loss}" == str(loss) and f"{Variable(X)}" == str(Variable(X))
    with pytest.raises(TypeError, match=r"Variable: format '.3f' for shape \(2, 3\); expected one element"):
        format(Variable(X), ".3f")


def test_no_grad_is_a_decorator_with_and_without_brackets() -> None:
    def double(x: Any, times: int = 2) -> Any:
        """Doubled."""
        return x * times

    x = Variable(3.0)
    for decorated in (no_grad(double), no_grad()(double), autolab.using_config("enable_backprop", False)(double)):
        y = decorated(x, times=4)
        assert y.data == 12 and not y.requires_grad
        assert decorated.__name__ == "double" and decorated.__doc__ == "Doubled."
        assert inspect.signature(decorated) == inspect.signature(double)
    assert double(x).requires_grad


def test_a_decorated_function_may_call_itself_and_fail() -> None:
    @no_grad
    def down(x: Any, n: int) -> Any:
        if n == 0:
            raise KeyError("the end")
        assert not (x * 2).requires_grad
        return down(x, n - 1)

    with pytest.raises(KeyError):
        down(Variable(1.0), 3)
    assert (Variable(1.0) * 2).requires_grad


def test_a_decorated_coroutine_runs_inside_the_block() -> None:
    @no_grad
    async def late(x: Any) -> Any:
        await asyncio.sleep(0)
        return x * 2

    with ThreadPoolExecutor(1) as executor:  # where no loop runs: a browser of other tests has one here
        y = executor.submit(asyncio.run, late(Variable(1.0))).result()
    assert not y.requires_grad


def test_what_cannot_be_decorated_is_refused() -> None:
    def values() -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match=r"no_grad: values is a generator.* write `with no_grad\(\):` inside it"):
        no_grad(values)
    with pytest.raises(TypeError, match="no_grad: got 3; expected a function to decorate, or nothing"):
        no_grad(3)


def test_results_without_a_gradient_have_the_methods_that_follow_them_in_pytorch() -> None:
    """Booleans and places are arrays; what PyTorch calls on them next gives what it gives on a Variable."""
    x = Variable(np.array([[3.0, 1.0, 2.0], [4.0, 8.0, 6.0]]))
    places, mask = x.argmax(1), x > 2
    calls: dict[str, Callable[[Any], Any]] = {
        "view": lambda v: v.view(-1, 1),
        "view of a shape": lambda v: v.view((1, -1)),
        "view_as": lambda v: v.reshape(-1).view_as(v),
        "expand_as": lambda v: v[:1].expand_as(v),
        "t": lambda v: v.reshape(2, -1).t(),
        **{name: lambda v, name=name: getattr(v, name)(1) for name in ("gt", "ge", "lt", "le", "eq", "ne")},
        "unsqueeze": lambda v: v.unsqueeze(0),
        "float": lambda v: v.float(),
        "masked_select": lambda v: v.masked_select(np.asarray(v) > 0),
        "index_select": lambda v: v.index_select(0, np.array([1, 0])),
    }
    for array in (places, mask):
        for name, call in calls.items():
            found, wanted = call(array), call(Variable(np.asarray(array), requires_grad=False))
            np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted), err_msg=name)
    assert places.view(np.uint8).dtype == np.uint8 and type(places.view(np.ndarray)) is np.ndarray
    assert x.gather(1, places.view(-1, 1)).data.tolist() == [[3], [8]]
