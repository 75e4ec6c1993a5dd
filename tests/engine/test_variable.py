"""Variable: what it holds, what it refuses, and how it behaves as a Python object."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Parameter, Variable
from autolab import functions as F

CONSTRUCTED = [
    (2.0, np.float64, True),
    (3, np.float64, True),
    (10**30, np.float64, True),
    (2**63, np.float64, True),
    ([1, 2], np.float64, True),
    ([[1, 2.5], [3, 4]], np.float64, True),
    ((1, 2), np.float64, True),
    ([], np.float64, True),
    (True, np.bool_, False),
    ([True, False], np.bool_, False),
    (np.float32(1), np.float32, True),
    (np.int64(1), np.int64, False),
    ([np.float32(1), np.float32(2)], np.float32, True),
    (np.ones(2, np.float16), np.float16, True),
    (np.ones(2, np.float32), np.float32, True),
    (np.ones(2, np.longdouble), np.longdouble, True),
    (np.ones(2, np.int32), np.int32, False),
    (np.ones(2, np.bool_), np.bool_, False),
    (np.ones((0, 3)), np.float64, True),
]


@pytest.mark.source("CI-02", "X7")
@each(("data", "dtype", "differentiable"), CONSTRUCTED, ids=repr)
def test_constructor_decides_dtype_and_differentiability(data: object, dtype: type, differentiable: bool) -> None:
    x = Variable(data)
    assert type(x.data) is np.ndarray
    assert (x.dtype, x.requires_grad) == (np.dtype(dtype), differentiable)
    np.testing.assert_array_equal(x.data, np.asarray(data, dtype))
    assert not Variable(data, requires_grad=False).requires_grad
    if differentiable:
        assert Variable(data, requires_grad=True).requires_grad
    else:
        with pytest.raises(TypeError, match=r"requires_grad=True, but data is (int|bool)"):
            Variable(data, requires_grad=True)


REFUSED = [
    (1j, "complex"),
    (np.ones(2, complex), "complex128"),
    ("1.0", "str '1.0'"),
    (["a"], "list"),
    (None, "got None"),
    (np.array([1, None]), "object"),
    (np.array(["a"]), "<U1"),
    (np.array(["2026-01-01"], "datetime64[D]"), "datetime64"),
    ([[1.0], [1.0, 2.0]], "lists of equal lengths"),
    ({"a": 1}, "dict"),
    (object(), "object"),
    (np.ma.array([1.0, 2.0], mask=[False, True]), "masked"),
    (Variable(1.0), "Variable already"),
]


@each(("data", "message"), REFUSED, ids=lambda value: str(value)[:20])
def test_what_is_no_real_numbers_is_refused_by_name(data: object, message: str) -> None:
    with pytest.raises(TypeError, match=f"Variable: data.*{message}") as caught:
        Variable(data)
    assert len(str(caught.value)) <= 300


def test_name_is_text() -> None:
    assert Variable(1.0).name is None and Variable(1.0, "x").name == "x"
    with pytest.raises(TypeError, match="name is 5; expected a string"):
        Variable(1.0, name=5)  # type: ignore[arg-type]


@pytest.mark.source("DZ-01", "DZ-14")
def test_attributes() -> None:
    a = np.arange(6.0).reshape(2, 3)
    x = Variable(a)
    assert x.data is a and x.array is a
    assert (x.shape, x.ndim, x.size, len(x), x.device) == ((2, 3), 2, 6, 2, "cpu")
    assert x.grad is None and x.creator is None
    assert F.exp(x).creator.function is F.exp.function and (x + 1).creator.function is F.add.function
    assert Variable(2.5).item() == 2.5
    with pytest.raises(TypeError, match="len"):
        len(Variable(1.0))


REPR = [
    (2.0, "variable(2.0)"),
    ([1, 2, 3], "variable([1. 2. 3.])"),
    ([[1, 2], [3, 4]], "variable([[1. 2.]\n          [3. 4.]])"),
    (np.array([1, 2]), "variable([1 2])"),
    ([], "variable([])"),
]


@pytest.mark.source("DZ-14")
@pytest.mark.parametrize(("data", "text"), REPR)
def test_repr(data: object, text: str) -> None:
    assert repr(Variable(data)) == text
    assert str(Variable(data)) == text


def test_comparisons_give_arrays() -> None:
    x, y = Variable([1.0, 2.0, 3.0]), Variable([3.0, 2.0, 1.0])
    for compare, expected in (
        (lambda a, b: a == b, [False, True, False]),
        (lambda a, b: a != b, [True, False, True]),
        (lambda a, b: a < b, [True, False, False]),
        (lambda a, b: a <= b, [True, True, False]),
        (lambda a, b: a > b, [False, False, True]),
        (lambda a, b: a >= b, [False, True, True]),
    ):
        for left, right in ((x, y), (x, y.data), (x.data, y)):
            answer = compare(left, right)
            assert isinstance(answer, np.ndarray)
            np.testing.assert_array_equal(answer, expected)


def test_truth_hash_and_numbers() -> None:
    assert Variable(1.0) and not Variable([0.0]) and Variable(np.array([[True]]))
    for data in ([1.0, 2.0], np.ones((0,))):
        with pytest.raises(ValueError, match=r"ambiguous.*\.any\(\) or \.all\(\)"):
            bool(Variable(data))
    x, y = Variable(2.5), Variable(2.5)
    assert len({x, y}) == 2 and {x: 1}[x] == 1
    assert (float(x), int(x)) == (2.5, 2)


def test_no_operation_works_in_place() -> None:
    a = np.ones(2)
    x = Variable(a)
    y = x
    y += 1.0
    assert y is not x
    np.testing.assert_array_equal(x.data, [1.0, 1.0])
    with pytest.raises(autolab.DetachError):
        x[0] = 5.0
    loss = Variable(0.0)
    for _ in range(3):
        loss += F.sum(x * x)
    loss.backward()
    np.testing.assert_array_equal(x.grad.data, [6.0, 6.0])


def test_an_update_of_the_data_leaves_an_array() -> None:
    a = np.ones(2)
    x = Variable(a)
    F.sum(x * x).backward()
    x.data -= 0.25 * x.grad  # T-002-6: in DeZero the data silently became a Variable
    assert type(x.data) is np.ndarray and x.data is a
    np.testing.assert_array_equal(x.data, [0.5, 0.5])


def test_an_update_that_would_lose_a_graph_is_refused() -> None:
    x = Variable([1.0, 1.0])
    g = autolab.grad(F.sum(x**3), x, create_graph=True)
    with pytest.raises(autolab.DetachError, match=r"\.data"):
        x.data -= 0.5 * g
    np.testing.assert_array_equal(x.data, [1.0, 1.0])


def test_data_setter() -> None:
    x = Variable([1.0, 2.0])
    x.data = np.array([5.0, 6.0], np.float32)
    x.array = [1.5, 2.5]
    np.testing.assert_array_equal(x.data, [1.5, 2.5])
    for bad, message in (
        (Variable([1.0]) * 2.0, "got a Variable"),
        (np.array([1, 2]), "int64; expected floats"),
        ("a", "str 'a'"),
        (np.ones(2, complex), "complex"),
    ):
        with pytest.raises(TypeError, match=rf"Variable\.data.*{message}"):
            x.data = bad
    n = Variable(np.array([1, 2]))
    n.data = np.array([3, 4])
    assert n.dtype == np.int64


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_leaves_can_be_copied_and_pickled(copied: object) -> None:
    for x in (Variable([1.0, 2.0], name="w"), Parameter([1.0, 2.0], name="w"), Variable([1, 2], requires_grad=False)):
        x_copy = copied(x)
        assert type(x_copy) is type(x)
        assert (x_copy.name, x_copy.requires_grad) == (x.name, x.requires_grad)
        np.testing.assert_array_equal(x_copy.data, x.data)
        if x.requires_grad:
            F.sum(x_copy * 2).backward()
            assert x.grad is None
    with pytest.raises(TypeError, match=r"computed value cannot be pickled.*\.data"):
        copied(Variable(1.0) * 2)
    with autolab.no_grad():
        assert copied(Variable(1.0) * 2).item() == 2.0


@pytest.mark.source("DZ-16")
def test_as_variable() -> None:
    x = Variable(1.0)
    assert autolab.as_variable(x) is x
    assert not autolab.as_variable([1.0, 2.0]).requires_grad


@pytest.mark.source("DZ-33")
def test_parameter_is_a_variable() -> None:
    p = Parameter([1.0], name="p")
    assert isinstance(p, Variable) and p.requires_grad
    assert type(p * 2) is Variable


@pytest.mark.source("DZ-24", "DZ-25", "DZ-26")
def test_array_methods() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    x = Variable(a)
    for y in (x.reshape(4, 6), x.reshape((4, 6)), x.reshape([4, 6]), x.reshape(-1, 6)):
        np.testing.assert_array_equal(y.data, a.reshape(4, 6))
    assert x.reshape(2, 3, 4) is x and x.reshape((2, 3, 4)) is x
    for y in (x.transpose(1, 0, 2), x.transpose((1, 0, 2)), x.transpose([1, 0, 2]), x.transpose(-2, 0, -1)):
        np.testing.assert_array_equal(y.data, a.transpose(1, 0, 2))
    for y in (x.transpose(), x.transpose(None), x.T):
        np.testing.assert_array_equal(y.data, a.T)
    np.testing.assert_array_equal(x.sum(axis=(0, -1), keepdims=True).data, a.sum(axis=(0, -1), keepdims=True))
    assert x.sum().shape == () and type(x.sum().data) is np.ndarray  # DZ-06
    assert +x is x


def test_a_name_is_a_string_or_none_also_when_it_is_given_later() -> None:
    x = Variable(1.0, name="x")
    with pytest.raises(TypeError, match=r"^Variable: name is 3; expected a string$"):
        x.name = 3
    assert x.name == "x"
    x.name = None
    assert x.name is None and (x * x).name is None


def test_a_refused_function_is_called_as_the_user_calls_it() -> None:
    for function, name in ((np.linalg.eig, "numpy.linalg.eig"), (np.fft.fft, "numpy.fft.fft")):
        with pytest.raises(autolab.NoGradientError, match=f"^{name} has no gradient"):
            function(Variable(np.eye(2)))


@pytest.mark.parametrize(("name", "first"), [("exp", "x"), ("relu", "x"), ("cholesky", "a")])
def test_a_call_without_arguments_is_told_the_functions_own_name_of_its_input(name: str, first: str) -> None:
    function = getattr(autolab.functions, name)
    with pytest.raises(TypeError, match=rf"^{name}: got 0 positional arguments; expected 1 array \({first}\)"):
        function()


@pytest.mark.parametrize(
    "array", [np.ones(1, complex), np.array(["a"]), np.ones(1, object), np.array(["2020"], "M8[Y]")]
)
@pytest.mark.parametrize("number", [2.0, 2])
def test_an_array_beside_a_number_must_be_real_too(array, number):
    for args in ((array, number), (number, array)):
        with pytest.raises(TypeError, match="expected real numbers"):
            autolab.functions.add(*args)
