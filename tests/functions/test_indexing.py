"""Variables are indexed and iterated over as arrays are."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autolab import Variable, grad
from autolab import functions as F
from autolab.engine.gradient_arrays import SlicedGradient

SHAPE = (3, 1, 4)
INDICES = st.one_of(
    hnp.basic_indices(SHAPE, allow_newaxis=True),
    hnp.integer_array_indices(SHAPE),
    st.integers(0, 2).flatmap(lambda axes: hnp.arrays(bool, SHAPE[: axes + 1])),
    st.tuples(hnp.integer_array_indices(SHAPE[:1]), st.slices(1), hnp.arrays(bool, SHAPE[2:])).map(
        lambda parts: (parts[0][0].ravel()[:1], parts[1], parts[2])
    ),
)


@pytest.mark.source("DZ-40")
@given(INDICES)
def test_every_index_of_numpy(index: Any) -> None:
    """The gradient of ``w * x[index]`` adds each weight at its place; that of the gradient picks them again."""
    x = Variable(np.arange(12.0).reshape(SHAPE))
    y = x[index]
    np.testing.assert_array_equal(y.data, x.data[index])
    w = Variable(np.arange(1.0, y.size + 1).reshape(y.shape))
    g = grad(F.sum(w * y), x, create_graph=True)
    expected = np.zeros(SHAPE)
    np.add.at(expected, index, w.data)
    np.testing.assert_array_equal(g.data, expected)
    v = np.arange(12.0).reshape(SHAPE) + 0.5
    np.testing.assert_array_equal(grad(F.sum(v * g), w).data, v[index])


def test_iteration() -> None:
    x = Variable([[1.0, 2.0], [3.0, 4.0]])
    first, second = x
    assert first.data.tolist() == [1.0, 2.0] and len(list(x)) == 2
    (first * second).sum().backward()
    assert x.grad.data.tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert list(Variable(np.zeros((0, 2)))) == []
    assert 2.0 in Variable([1.0, 2.0]) and 3.0 not in Variable([1.0, 2.0])
    with pytest.raises(TypeError, match="without axes"):
        list(Variable(1.0))


def test_variables_in_the_index() -> None:
    x = Variable([1.0, 2.0, 3.0])
    for index in (Variable(np.array([2, 2, 0])), [Variable(np.array(2)), 2, 0]):
        y = x[index]
        assert y.data.tolist() == [3.0, 3.0, 1.0]
        assert grad(F.sum(y), x).data.tolist() == [1.0, 0.0, 2.0]
    assert x[x > 1.5].data.tolist() == [2.0, 3.0]


SLICES = st.lists(
    st.one_of(hnp.basic_indices(SHAPE, allow_newaxis=True), hnp.arrays(bool, SHAPE)), min_size=1, max_size=5
)


@given(SLICES, st.booleans(), st.booleans(), st.sampled_from(["f2", "f4", "f8"]))
def test_slices_of_one_array_add_up(indices: list[Any], with_whole: bool, inner: bool, dtype: str) -> None:
    """As `scatter` adds them, whether the array is a leaf or not, slices overlap or not, first or last in the sum."""
    leaf = Variable(np.arange(12.0).reshape(SHAPE).astype(dtype))
    x = leaf * 2 if inner else leaf
    parts = [F.sum(x[index] * (i + 1)) for i, index in enumerate(indices)]
    whole = [F.sum(x * 7)] if with_whole else []
    loss = sum([*parts[:2], *whole, *parts[2:]])
    expected = np.full(SHAPE, 7.0 if with_whole else 0.0)
    for i, index in enumerate(indices):
        expected[index] += i + 1
    expected *= 2 if inner else 1
    found = grad(loss, leaf)
    assert type(found.data) is np.ndarray and found.dtype == dtype
    np.testing.assert_array_equal(found.data, expected)
    with_graph = grad(loss, leaf, create_graph=True)
    np.testing.assert_array_equal(with_graph.data, expected)
    loss.backward(retain_grad=True)
    np.testing.assert_array_equal(leaf.grad.data, expected)


def test_slices_one_by_one_take_one_array_for_all_of_their_gradients() -> None:
    """The memory at the peak grows with the array, not with the array times the slices of it."""
    x = Variable(np.ones((400, 1000)))
    y = sum([F.sum(x[i]) for i in range(400)])
    tracemalloc.start()
    y.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * x.data.nbytes


def test_a_gradient_of_a_slice_is_an_array_to_everything_but_sums() -> None:
    g = SlicedGradient(np.array([2.0, 3.0]), slice(1, 3), (4,))
    array = np.array([0.0, 2.0, 3.0, 0.0])
    assert (g.shape, g.dtype) == (array.shape, array.dtype)
    for found, expected in [
        (g + g, array + array),
        (g + array, array + array),
        (array + g, array + array),
        (np.multiply(g, array), array * array),
        (np.add(1.0, g), array + 1),
        (np.add.reduce(g), 5.0),
        (np.maximum(g, 2.5, out=np.empty(4)), np.maximum(array, 2.5)),
    ]:
        np.testing.assert_array_equal(found, expected)
    total = array.copy()
    same = total
    total += g
    assert total is same and total.tolist() == [0, 4, 6, 0] and array.tolist() == [0, 2, 3, 0]


def test_an_index_keeps_the_dtype_and_makes_views_like_numpy() -> None:
    x = Variable(np.ones((2, 3), np.float32))
    y = x[0]
    assert np.shares_memory(y.data, x.data)
    g = grad(x[[0, 0]], x, np.ones((2, 3)))
    assert g.dtype == np.float32 and g.data.tolist() == [[2.0] * 3, [0.0] * 3]
    assert Variable(np.array([1, 2]))[0].data == 1


def test_splitting_and_stacking_is_no_change() -> None:
    x = Variable(np.arange(6.0).reshape(2, 3))
    y = F.stack(*[F.squeeze(part, axis=1) for part in F.split(x, sections=3, axis=1)], axis=1)
    np.testing.assert_array_equal(y.data, x.data)
    np.testing.assert_array_equal(grad(y, x, x.data).data, x.data)
    assert [part.shape for part in F.split(x.data, sections=[1], axis=-1)] == [(2, 1), (2, 2)]


def test_methods_take_attributes_by_position() -> None:
    x = Variable(np.arange(6.0).reshape(2, 3))
    assert x.sum(0, True).shape == (1, 3)
    assert x.astype(np.float32).dtype == np.float32
    with pytest.raises(TypeError, match=r"Variable\.sum: got 3 arguments; expected axis, keepdims"):
        x.sum(0, True, 1)
    with pytest.raises(TypeError, match="axis"):
        x.sum(0, axis=1)
