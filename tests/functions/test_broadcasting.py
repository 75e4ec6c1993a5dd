"""Shapes drawn at random: gradients are summed back to the shape that was broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autolab import Variable, grad
from autolab import functions as F

PAIRS = hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=4, min_side=0, max_side=3)
MATRICES = hnp.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_dims=2, min_side=0, max_side=3)
SEEDS = st.integers(0, 2**32 - 1)


def summed(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An independent way to undo broadcasting: add every element where it came from."""
    source = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), g.shape)
    total = np.zeros(int(np.prod(shape)))
    np.add.at(total, source.ravel(), g.ravel())
    return total.reshape(shape)


SMALL = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3)
FITTING = PAIRS.map(lambda shapes: (shapes.input_shapes[0], shapes.result_shape))
LAID: tuple[Any, ...] = (
    lambda x: x,
    np.asfortranarray,
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    lambda x: x[::-1] if x.ndim else x,
)


@given(shapes=st.one_of(FITTING, st.tuples(SMALL, SMALL)), lies=st.sampled_from(LAID))
def test_broadcast_to_is_numpys_own(shapes: tuple[tuple[int, ...], tuple[int, ...]], lies: Any) -> None:
    """Whether shapes fit or not, and however the array lies in memory: no view of more than it has."""
    shape, target = shapes
    x = lies(np.arange(float(np.prod(shape))).reshape(shape))
    try:
        expected = np.broadcast_to(x, target)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast_to: array has shape"):
            F.broadcast_to(x, shape=target)
        return
    found = F.broadcast_to(x, shape=target)
    np.testing.assert_array_equal(found, expected, strict=True)
    assert not found.flags.writeable and np.may_share_memory(found, x) == (found.size > 0)


@given(shapes=PAIRS, seed=SEEDS)
def test_gradients_of_a_product(shapes: hnp.BroadcastableShapes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = [Variable(rng.normal(size=shape)) for shape in shapes.input_shapes]
    g = rng.normal(size=shapes.result_shape)
    for create_graph in (False, True):
        for got, x, other in zip(grad(a * b, (a, b), g, create_graph=create_graph), (a, b), (b, a), strict=True):
            assert got.shape == x.shape
            np.testing.assert_allclose(got.data, summed(g * other.data, x.shape), rtol=1e-12, atol=1e-13)


@pytest.mark.source("DZ-28")
@given(shapes=MATRICES, seed=SEEDS)
def test_gradients_of_a_matrix_product(shapes: hnp.BroadcastableShapes, seed: int) -> None:
    """The product is linear: <g, da @ b> = <gradient, da> for any direction da, and likewise for b."""
    rng = np.random.default_rng(seed)
    a, b = [Variable(rng.normal(size=shape)) for shape in shapes.input_shapes]
    da, db, g = [rng.normal(size=shape) for shape in (a.shape, b.shape, shapes.result_shape)]
    ga, gb = grad(a @ b, (a, b), g)
    assert (ga.shape, gb.shape) == (a.shape, b.shape)
    np.testing.assert_allclose(np.sum(ga.data * da), np.sum(g * (da @ b.data)), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.sum(gb.data * db), np.sum(g * (a.data @ db)), rtol=1e-11, atol=1e-12)


@pytest.mark.source("DZ-27")
@given(shapes=PAIRS, seed=SEEDS)
def test_sum_to_is_the_transpose_of_broadcast_to(shapes: hnp.BroadcastableShapes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    small, large = shapes.input_shapes[0], shapes.result_shape
    x, y = rng.normal(size=small), rng.normal(size=large)
    np.testing.assert_allclose(
        np.sum(F.broadcast_to(x, shape=large) * y), np.sum(x * F.sum_to(y, shape=small)), atol=1e-12
    )
    np.testing.assert_allclose(F.sum_to(y, shape=small), summed(y, small), rtol=1e-12, atol=1e-13)
    assert F.sum_to(y, shape=small).shape == small


@each("shape", [(0, 3), (5, 3), (5, 0), (2, 3, 4), (20_000, 3), (3, 6_000, 2)])
@each("dtype", ["float16", "float32", "float64"])
def test_the_gradient_of_a_bias_is_exact_where_the_numbers_are_whole(shape: tuple[int, ...], dtype: str) -> None:
    g = np.random.default_rng(0).integers(-2, 3, shape).astype(dtype)
    x, w, b = np.zeros((*shape[:-1], 2), dtype), np.zeros((shape[-1], 2), dtype), Variable(np.zeros(shape[-1:], dtype))
    expected = summed(g.astype(float), shape[-1:])
    for y in (x @ w.T + b, F.linear(x, w, b)):
        for create_graph in (False, True):
            found = grad(y, b, g, create_graph=create_graph)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found.data, expected)
