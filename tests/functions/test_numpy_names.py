"""NumPy's functions that are made of others: on Variables the same values, and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Variable, check_gradients

V = np.array([0.3, -1.2, 0.8, 2.0])
W = np.array([1.0, 0.5, -2.0, 0.25])
M = np.array([[0.3, -1.2, 0.8], [2.0, 0.1, -0.4]])
S = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, -1.0]])
T = np.linspace(-1, 1, 24).reshape(2, 3, 4) ** 3 + 0.1

CALLS: list[tuple[Callable[[Any], Any], np.ndarray]] = [
    (np.positive, M),
    (np.conj, M),
    (np.real, M),
    (np.exp2, V),
    (np.deg2rad, V),
    (np.radians, V),
    (np.rad2deg, V),
    (np.degrees, V),
    (np.copy, M),
    (lambda x: np.vecdot(x, M), M),
    (np.atleast_1d, np.array(1.5)),
    (np.atleast_2d, V),
    (np.atleast_3d, V),
    (np.atleast_3d, M),
    (lambda x: np.atleast_2d(2.0, x)[1], V),
    (lambda x: np.broadcast_arrays(x, M)[0], M[:1]),
    (np.matrix_transpose, T),
    (np.linalg.matrix_transpose, T),
    (np.fliplr, M),
    (np.flipud, M),
    *[(lambda x, k=k: np.rot90(x, k), M) for k in range(-1, 5)],
    (lambda x: np.rot90(x, 1, (1, 2)), T),
    (lambda x: np.rot90(x, 3, axes=(2, 0)), T),
    (lambda x: np.hstack([x, V]), V),
    (lambda x: np.hstack((x, x * x)), M),
    (lambda x: np.hstack([x, 2.0]), np.array(1.0)),
    (lambda x: np.vstack([x, V]), V),
    (lambda x: np.vstack((M, x)), M),
    (lambda x: np.dstack([x, x]), M),
    (lambda x: np.dstack([x, V]), V),
    (lambda x: np.column_stack([x, W, np.ones((4, 2))]), V),
    (lambda x: np.array_split(x, 3)[1], V),
    (lambda x: np.array_split(x, 2, 2)[0], T),
    (lambda x: np.array_split(x, [1, 3], axis=-1)[1], T),
    (lambda x: np.vsplit(x, 2)[1], M),
    (lambda x: np.hsplit(x, 3)[1], M),
    (lambda x: np.hsplit(x, [1])[1], V),
    (lambda x: np.take(x, [0, 2, -1, 0]), M),
    (lambda x: np.take(x, 1, 0), M),
    (lambda x: np.take(x, [[0, 1], [2, 2]], axis=-1), T),
    (lambda x: np.take(x, np.array(1), axis=1), T),
    (np.diag, V),
    (lambda x: np.diag(x, -2), V),
    (lambda x: np.diag(x, k=1), M),
    (np.average, M),
    (lambda x: np.average(x, 0), M),
    (lambda x: np.average(x, weights=M + 3), M),
    (lambda x: np.average(x, 1, [1.0, 2.0, 3.0]), T),
    (lambda x: np.average(M, axis=0, weights=x, keepdims=True), np.array([0.5, 2.0])),
    (np.ptp, M),
    (lambda x: np.ptp(x, 0), M),
    (lambda x: np.ptp(x, axis=1, keepdims=True), M),
    (np.diff, V),
    (lambda x: np.diff(x, 2), T),
    (lambda x: np.diff(x, axis=0), M),
    (lambda x: np.inner(x, V), V),
    (lambda x: np.inner(M, x), M),
    (lambda x: np.inner(x, np.array(3.0, x.dtype)), V),
    (lambda x: np.vdot(x, M), M),
    (lambda x: np.linalg.matmul(x, M.T), M),
    (lambda x: np.linalg.tensordot(x, M, axes=((0, 1), (0, 1))), M),
    (lambda x: np.linalg.outer(x, W), V),
    (lambda x: np.linalg.diagonal(x, offset=1), T),
    (np.linalg.trace, T),
    (np.linalg.vector_norm, M),
    (lambda x: np.linalg.vector_norm(x, axis=1, ord=3, keepdims=True), M),
    (np.linalg.matrix_norm, T),
    (np.linalg.svdvals, M),
    (np.linalg.eigvalsh, S),
    (lambda x: np.linalg.eigvalsh(x, UPLO="U"), S + np.tril(S)),
    (lambda x: np.linalg.eigh(x, "L")[0], np.stack([S + np.tril(S), S - np.triu(S)])),
    *[(lambda x, ord=ord: np.linalg.norm(x, ord), M) for ord in ("nuc", 2, -2, 1, -1, np.inf, -np.inf)],
    (lambda x: np.linalg.norm(x, "nuc", keepdims=True), M),
    (lambda x: x[np.ix_([1, 0], [0, 2])], M),
]


@each(("call", "array"), CALLS)
def test_values_and_gradients(call: Callable[[Any], Any], array: np.ndarray) -> None:
    y, expected = call(Variable(array)), call(array)
    assert type(y) is Variable and y.dtype == expected.dtype
    np.testing.assert_allclose(y.data, expected, rtol=1e-14, atol=1e-15)
    assert call(Variable(array.astype(np.float32))).dtype == call(array.astype(np.float32)).dtype
    report = check_gradients(lambda x: call(x), x=array)
    assert report.verdict == "right", report


def test_methods() -> None:
    x = Variable(M)
    for mine, theirs in (
        (x.sort(), np.sort(M)),
        (x.sort(0), np.sort(M, axis=0)),
        (x.flatten(), M.ravel()),
        (x.take([0, 5]), M.take([0, 5])),
        (x.take(1, axis=1), M.take(1, axis=1)),
        (x.dot(M.T), M.dot(M.T)),
        (round(x), np.round(M)),
        (round(x, 1), np.round(M, 1)),
    ):
        assert type(mine) is Variable
        np.testing.assert_array_equal(mine.data, theirs)
    np.testing.assert_array_equal(x.data, M)  # sorting gives a copy


def test_a_plain_index_of_variables() -> None:
    rows, columns = np.ix_(Variable(np.array([1, 0])), [2])
    assert type(rows) is np.ndarray and rows.tolist() == [[1], [0]] and columns.tolist() == [[2]]
    np.testing.assert_array_equal(np.take(Variable(V), Variable(np.array([3, 0]))).data, V[[3, 0]])


COMPOSED = {
    "dsplit": lambda x: np.stack(np.dsplit(x.reshape(1, 3, 4), 2)),
    "select": lambda x: np.select([np.arange(4) > 2, np.arange(4) < 1], [x, -x], 3 * x),
    "choose": lambda x: np.choose([0, 1, 2, 0], [x[0], x[1], x[2]]),
    "interp": lambda x: np.interp(x[0], np.arange(-3.0, 4), np.arange(7.0) ** 2),
    "interp between Variables": lambda x: np.interp([-1.0, 0.3, 1.6, 9.0], np.cumsum(np.exp(x[0])), x[1]),
    "compress": lambda x: np.compress([True, False, True], x, axis=1),
    "compress flat": lambda x: np.compress([True, False, True], x),
    "cov": lambda x: np.cov(x),
    "cov by columns": lambda x: np.cov(x, rowvar=False, ddof=0),
    "corrcoef": lambda x: np.corrcoef(x),
    "rollaxis": lambda x: np.rollaxis(x[None] * np.arange(2.0)[:, None, None], 2, -1),
    "linspace": lambda x: np.linspace(x[0], x[1, 0], 5, endpoint=False),
    "linspace of numbers": lambda x: np.linspace(x[0, 0], 2.0, 3),
    "multi_dot": lambda x: np.linalg.multi_dot([x, x.T, x]),
}


@each("name", COMPOSED)
def test_what_is_made_of_others(name):
    function, x = COMPOSED[name], np.random.default_rng(3).normal(size=(3, 4))
    np.testing.assert_allclose(function(Variable(x)).data, function(x), rtol=1e-12, atol=1e-14)
    assert check_gradients(function, x).passed


def test_choices_that_do_not_fit_are_refused():
    x = Variable(np.ones(2))
    with pytest.raises(ValueError, match=r"numpy.select: got 1 conditions and 2 choices"):
        np.select([[True, False]], [x, x])
    with pytest.raises(ValueError, match=r"numpy.choose: a has numbers outside 0 to 1"):
        np.choose([0, 2], [x, x])


def test_take_and_sort_have_numpys_ways() -> None:
    x = Variable(np.arange(6.0).reshape(2, 3))
    for mode in ("raise", "clip", "wrap"):
        places = [2, -1] if mode == "raise" else [7, -9, 1]
        for axis in (None, 0, 1) if mode != "raise" else (None, 1):
            taken = np.take(x, places, axis, mode=mode)
            assert np.array_equal(taken.data, np.take(x.data, places, axis, mode=mode))
    with pytest.raises(IndexError, match=r"^take: indices is \[7\]; expected -3 to 2"):
        np.take(x, [7], axis=1)
    with pytest.raises(ValueError, match="take: mode is 'near'"):
        np.take(x, [1], mode="near")
    for kind in ("quicksort", "stable", "heapsort"):
        assert np.array_equal(np.sort(x, axis=0, kind=kind).data, x.data)
    with pytest.raises(ValueError, match="sort"):
        np.sort(x, kind="zzz")
