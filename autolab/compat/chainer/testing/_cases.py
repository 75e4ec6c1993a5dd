"""Test cases that provide the tests of functions and links: forward against NumPy, and derivatives."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from ....gradcheck import GradientCheckError, assert_allclose
from ...table import signed
from ..backend import CpuDevice
from ..gradient_check import check_backward, check_double_backward
from ..variable import Variable
from .parameterized import parameterize, product

_MOST_DRAWS = 100


class _Case(unittest.TestCase):
    """Base class of the tests of functions and links.

    In a subclass, `generate_inputs` returns a tuple of arrays; `_subject` returns the function that computes results
    from Variables, the one that computes the expected ones from arrays, and the parameters. The options of each check
    are dictionaries, which `setUp` may fill. With ``dodge_nondifferentiable``, inputs are drawn again as long as a kink
    nearby leaves a check undecided.
    """

    skip_forward_test = skip_backward_test = skip_double_backward_test = dodge_nondifferentiable = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.check_forward_options: dict[str, Any] = {}
        self.check_backward_options: dict[str, Any] = {}
        self.check_double_backward_options: dict[str, Any] = {}

    def before_test(self, test_name: str) -> None:
        """Called before each test, with its name."""

    def generate_grad_outputs(self, outputs_template: Any) -> tuple[Any, ...]:
        """Random upstream gradients, each with the shape of a result."""
        return tuple([np.random.uniform(-1, 1, y.shape).astype(y.dtype) for y in outputs_template])

    def generate_grad_grad_inputs(self, inputs_template: Any) -> tuple[Any, ...]:
        """Random upstream gradients of the inputs' gradients."""
        return self.generate_grad_outputs([x for x in inputs_template if x.dtype.kind == "f"])

    def check_forward_outputs(self, outputs: tuple[Any, ...], expected_outputs: tuple[Any, ...]) -> None:
        """Raise an AssertionError unless the arrays are close and have the same dtypes."""
        assert len(outputs) == len(expected_outputs), f"forward gave {len(outputs)} results"
        for y, expected in zip(outputs, expected_outputs, strict=True):
            assert y.dtype == expected.dtype, f"forward gave {y.dtype}; expected {expected.dtype}"
            assert_allclose(y, expected, **self.check_forward_options)

    def _begin(self: Any, test: str) -> Any:
        if getattr(self, f"skip_{test}_test"):
            raise unittest.SkipTest(f"skip_{test}_test is set")
        self.before_test(f"test_{test}")
        return self._subject()

    def _check(self: Any, compute: Callable[..., Any], check: Callable[[Any, Any], None]) -> None:
        """Run ``check`` with inputs and upstream gradients; draw new ones as long as it cannot tell."""
        for rest in reversed(range(_MOST_DRAWS)):
            inputs = self.generate_inputs()
            gys = self.generate_grad_outputs([y.array for y in compute(*map(_variable, inputs))])
            try:
                return check(inputs, gys)
            except GradientCheckError as error:
                if not (self.dodge_nondifferentiable and rest and ": cannot tell" in str(error)):
                    raise
        return None

    def test_forward(self: Any, backend_config: Any = None) -> None:
        """Test that the results are those of `forward_expected`, and that the inputs are unchanged."""
        compute, expected, _ = self._begin("forward")
        inputs = self.generate_inputs()
        before = [x.copy() for x in inputs]
        outputs = compute(*map(_variable, inputs))
        self.check_forward_outputs(tuple([y.array for y in outputs]), expected(inputs))
        for x, kept in zip(inputs, before, strict=True):
            np.testing.assert_array_equal(x, kept, "forward has changed an input")

    def test_backward(self, backend_config: Any = None) -> None:
        """Test the gradients against central differences."""
        compute, _, params = self._begin("backward")
        options = {"dtype": np.float64, **self.check_backward_options}
        self._check(compute, lambda xs, gys: check_backward(compute, xs, gys, params, **options))


def _variable(x: Any) -> Variable:
    return Variable(x, requires_grad=x.dtype.kind == "f")


class FunctionTestCase(_Case):
    """The tests of a function. A subclass defines `generate_inputs`, `forward` and `forward_expected`.

    Examples
    --------
    >>> import unittest
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> class TestReLU(chainer.testing.FunctionTestCase):
    ...     dodge_nondifferentiable = True
    ...
    ...     def generate_inputs(self):
    ...         return (np.random.uniform(-1, 1, (2, 3)).astype(np.float32),)
    ...
    ...     def forward(self, inputs, device):
    ...         return (chainer.functions.relu(inputs[0]),)
    ...
    ...     def forward_expected(self, inputs):
    ...         return (inputs[0].clip(0),)
    >>> tests = unittest.defaultTestLoader.loadTestsFromTestCase(TestReLU)
    >>> found = tests.run(unittest.TestResult())
    >>> found.testsRun, found.wasSuccessful()
    (3, True)
    """

    def _subject(self: Any) -> Any:
        return lambda *xs: self.forward(xs, CpuDevice()), self.forward_expected, ()

    def test_double_backward(self, backend_config: Any = None) -> None:
        """Test the second derivatives against central differences."""
        compute, _, _ = self._begin("double_backward")
        options = {"dtype": np.float64, **self.check_double_backward_options}

        def check(xs: Any, gys: Any) -> None:
            check_double_backward(compute, xs, gys, self.generate_grad_grad_inputs(xs), **options)

        self._check(compute, check)


class LinkTestCase(_Case):
    """The tests of a link, including the gradients of the parameters in ``param_names``.

    A subclass defines `generate_inputs`, `generate_params`, `create_link` and `forward_expected`.
    """

    param_names: tuple[str, ...] = ()

    def generate_params(self) -> tuple[Any, ...]:
        """The initial values of the parameters: arrays or initializers."""
        return ()

    def forward(self, link: Any, inputs: Any, device: Any) -> tuple[Any, ...]:
        """The results of the link for Variables."""
        found = link(*inputs)
        return found if isinstance(found, tuple) else (found,)

    def _subject(self: Any) -> Any:
        link = self.create_link([*self.generate_params()])
        self.forward(link, [_variable(x) for x in self.generate_inputs()], CpuDevice())  # gives all parameters a shape
        params = tuple([attrgetter(name)(link) for name in self.param_names])
        return lambda *xs: self.forward(link, xs, CpuDevice()), partial(self.forward_expected, link), params


@signed
def unary_math_function_unittest(
    func, func_expected, make_data, forward_options, backward_options, double_backward_options
):
    """A decorator that adds the tests of a function of one input: forward against NumPy, and both derivatives."""
    expected = func_expected or getattr(np, getattr(func, "__name__", ""))
    near: dict[str, Any] = {"atol": 1e-3, "rtol": 1e-2}

    def decorate(case: type) -> type:
        class Unary(case, FunctionTestCase):
            def setUp(self) -> None:
                self.check_forward_options |= {"atol": 1e-4, "rtol": 1e-4, **(forward_options or {})}
                self.check_forward_options |= near if self.dtype == np.float16 else {}
                self.check_backward_options |= {**near, **(backward_options or {})}
                self.check_double_backward_options |= {**near, **(double_backward_options or {})}

            def generate_inputs(self) -> tuple[Any, ...]:
                return tuple((make_data or _uniform)(self.shape, self.dtype)[:1])

            def forward(self, inputs: Any, device: Any) -> tuple[Any, ...]:
                return (func(inputs[0]),)

            def forward_expected(self, inputs: Any) -> tuple[Any, ...]:
                return (np.asarray(expected(inputs[0], dtype=self.dtype)),)

        Unary.__name__, Unary.__module__ = case.__name__, case.__module__
        shapes: dict[str, list[Any]] = {"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}
        return parameterize(*product(shapes))(Unary)

    return decorate


def _uniform(shape: Any, dtype: Any) -> list[np.ndarray]:
    return [np.asarray(np.random.uniform(-1, 1, shape)).astype(dtype)]
