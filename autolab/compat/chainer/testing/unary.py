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
    func,
    func_expected,
    label_expected,
    make_data,
    is_linear,
    forward_options,
    backward_options,
    double_backward_options,
):
    """A decorator that writes the tests of a function of one input: forward beside NumPy's, and both derivatives."""
    expected = func_expected or getattr(np, getattr(func, "__name__", ""))
    data = make_data or _uniform
    near = {np.float16: {"atol": 1e-3, "rtol": 1e-2}}

    def decorate(case: type) -> type:
        def setUp(self: Any) -> None:
            self.x, self.gy, self.ggx = data(self.shape, self.dtype)

        def test_forward(self: Any) -> None:
            y = func(Variable(self.x))
            options = {"atol": 1e-4, "rtol": 1e-4, **near.get(self.dtype, {}), **(forward_options or {})}
            assert y.dtype == self.dtype
            assert_allclose(y.data, expected(self.x, dtype=self.dtype), **options)

        def test_backward(self: Any) -> None:
            given = {"atol": 1e-3, "rtol": 1e-2, "dtype": np.float64, **(backward_options or {})}
            check_backward(func, self.x, self.gy, **given)

        def test_double_backward(self: Any) -> None:
            given = {"atol": 1e-3, "rtol": 1e-2, "dtype": np.float64, **(double_backward_options or {})}
            check_double_backward(func, self.x, self.gy, self.ggx, **given)

        for test in (setUp, test_forward, test_backward, test_double_backward):
            setattr(case, test.__name__, test)
        shapes: dict[str, list[Any]] = {"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}
        return parameterize(*product(shapes))(case)

    return decorate


def _uniform(shape: Any, dtype: Any) -> list[np.ndarray]:
    return [np.random.uniform(-1, 1, shape).astype(dtype) for _ in range(3)]
