"""What users of NumPy, JAX, PyTorch and Keras type first works: joining, timing, files, second derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, c_, r_  # type: ignore[attr-defined]


# ---------------------------------------------------------------------- np.c_ and np.r_
JOINED: list[Callable[[Any, Any, Any, Any], Any]] = [
    lambda c, r, x, y: c[x, y],
    lambda c, r, x, y: c[x, np.ones((2, 2)), y],
    lambda c, r, x, y: c[0:2, x],
    lambda c, r, x, y: c[np.ones((2, 2, 2)), np.tile(x, (2, 2, 1))],
    lambda c, r, x, y: r[x, y],
    lambda c, r, x, y: r[x, 1.0, [2.0, 3.0], y[0], 3:7:2],
    lambda c, r, x, y: r[np.outer(x, y), np.ones((1, 2))],
    lambda c, r, x, y: r[x],
]


@pytest.mark.parametrize("joined", JOINED)
def test_c_and_r_join_variables_as_numpys_do_arrays(joined: Callable[..., Any]) -> None:
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x, y = Variable(a), Variable(b)
    made, expected = joined(c_, r_, x, y), joined(np.c_, np.r_, a, b)
    np.testing.assert_array_equal(made.data, expected)
    made.sum().backward()
    assert (x.grad.data > 0).all()
    plain = joined(c_, r_, a, b)
    assert type(plain) is np.ndarray and plain.tolist() == expected.tolist()


def test_numpys_c_and_r_name_autolabs() -> None:
    x = Variable([1.0, 2.0])
    for join in (np.c_, np.r_):
        with pytest.raises(autolab.DetachError, match=r"autolab.c_\[x, y\] and autolab.r_\[x, y\] join Variables"):
            join[x, x]
    assert r_["0,2", [1, 2], [3, 4]].shape == (2, 2)
    with pytest.raises(TypeError, match=r"r_: got the text '0,2'; .* np.concatenate\(\[a, b\], axis\) joins Variables"):
        r_["0,2", x, x]
