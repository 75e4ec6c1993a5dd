"""LAPACK may look for singular values without end where there is an infinity: it is refused by name and at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Variable
from autolab import functions as F

LOOKS_FOR_VALUES: dict[str, Callable[[Any], Any]] = {
    "svd": F.svd,
    "np.linalg.svd": lambda x: np.linalg.svd(x, full_matrices=False),
    "svdvals": lambda x: np.linalg.svd(x, compute_uv=False),
    "eigh": F.eigh,
    "pinv": F.pinv,
    "pinv of a symmetric one": lambda x: F.pinv(x, hermitian=True),
    "norm of order 2": lambda x: F.matrix_norm(x, ord=2),
    "nuclear norm": lambda x: F.matrix_norm(x, ord="nuc"),
    "lstsq": lambda x: np.linalg.lstsq(x, np.ones(len(x.data))),
    "the gradient of det": lambda x: F.det(x).backward(),
}


@each("call", LOOKS_FOR_VALUES.values(), ids=LOOKS_FOR_VALUES)
@each("bad", [np.inf, -np.inf, np.nan])
@each("size", [2, 30])
def test_infinities_and_nan_are_refused_before_lapack_sees_them(
    call: Callable[[Any], Any], bad: float, size: int
) -> None:
    a = np.eye(size)
    a[-1, -1] = bad
    with pytest.raises(ValueError, match=r"\w+: .*expected finite numbers"), np.errstate(all="ignore"):
        call(Variable(a))


def test_an_open_mesh_of_variables_stays_in_the_graph() -> None:
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0, 5.0])
    a, b, rows = np.ix_(x, y, np.array([0, 1]))
    assert (a.shape, b.shape, rows.shape) == ((2, 1, 1), (1, 3, 1), (1, 1, 2))
    (a * b).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [12.0, 12.0])
    np.testing.assert_array_equal(y.grad.data, [3.0, 3.0, 3.0])
    with pytest.raises(ValueError):
        np.ix_(Variable(np.ones((2, 2))))
