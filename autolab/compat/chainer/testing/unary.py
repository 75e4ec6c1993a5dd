"""The tests that ``unary_math_function_unittest`` writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....gradcheck import assert_allclose
from ...table import signed
from ..gradient_check import check_backward, check_double_backward
from ..variable import Variable
from .parameterized import parameterize, product


@signed
def unary_math_function_unittest(
    func, func_expected, make_data, forward_options, backward_options, double_backward_options
):
    """A decorator that writes the tests of a function of one input: forward beside NumPy's, and both derivatives."""
    expected = func_expected or getattr(np, getattr(func, "__name__", ""))
    data = make_data or _uniform
    near: dict[str, Any] = {"atol": 1e-3, "rtol": 1e-2, "dtype": np.float64}

    def decorate(case: type) -> type:
        def setUp(self: Any) -> None:
            self.x, self.gy, self.ggx = data(self.shape, self.dtype)

        def test_forward(self: Any) -> None:
            y = func(Variable(self.x))
            usual = {"atol": 1e-3, "rtol": 1e-2} if self.dtype == np.float16 else {"atol": 1e-4, "rtol": 1e-4}
            assert y.dtype == self.dtype
            assert_allclose(y.data, expected(self.x, dtype=self.dtype), **{**usual, **(forward_options or {})})

        def test_backward(self: Any) -> None:
            check_backward(func, self.x, self.gy, **{**near, **(backward_options or {})})

        def test_double_backward(self: Any) -> None:
            check_double_backward(func, self.x, self.gy, self.ggx, **{**near, **(double_backward_options or {})})

        for test in (setUp, test_forward, test_backward, test_double_backward):
            setattr(case, test.__name__, test)
        shapes: dict[str, list[Any]] = {"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}
        return parameterize(*product(shapes))(case)

    return decorate


def _uniform(shape: Any, dtype: Any) -> list[np.ndarray]:
    return [np.random.uniform(-1, 1, shape).astype(dtype) for _ in range(3)]
