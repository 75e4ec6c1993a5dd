"""What a report says of elements that are no numbers, and of those that cannot be measured, is true."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autolab
from autolab.authoring import Function


class Norm(Function):
    """The lengths of rows, with 0 / 0 in the gradient of a row of zeros."""

    def forward(self, inputs):
        self.length = np.sqrt((inputs[0] ** 2).sum(axis=1))
        return (self.length,)

    def backward(self, inputs, grad_outputs):
        with np.errstate(all="ignore"):
            return (grad_outputs[0][:, None] * inputs[0] / self.length[:, None],)


class Sigmoid(Function):
    def forward(self, inputs):
        e = np.exp(-np.abs(inputs[0]))
        return (np.where(inputs[0] > 0, 1, e) / (1 + e),)

    def backward(self, inputs, grad_outputs):
        with np.errstate(all="ignore"):
            e = np.exp(-inputs[0])
            return (grad_outputs[0] * e / (1 + e) ** 2,)


class Root(Function):
    def forward(self, inputs):
        (x,) = inputs
        return (np.where(x > 0, np.sqrt(np.abs(x)), 0),)

    def backward(self, inputs, grad_outputs):
        (x,) = inputs
        with np.errstate(all="ignore"):
            return (grad_outputs[0] * (x > 0) * 0.5 / np.sqrt(x),)


class Cusp(Function):
    """A square for numbers above 2, with a wrong gradient; below it the root of |x - 1|, which is steep at 1."""

    def forward(self, inputs):
        (x,) = inputs
        return (np.where(x > 2, x * x, np.where(x > 0, np.sqrt(np.abs(x - 1)), x)),)

    def backward(self, inputs, grad_outputs):
        (x,) = inputs
        root = np.sqrt(np.where(x == 1, np.inf, np.abs(x - 1)))
        return (grad_outputs[0] * np.where(x > 2, x, np.where(x > 0, np.sign(x - 1) / (2 * root), 1)),)


def checked(cls, *numbers):
    def fn(x):
        return cls()(x)

    return autolab.check_gradients(fn, np.array(numbers))


def test_a_gradient_that_is_no_number_is_not_said_to_lie_between_two_slopes():
    report = checked(Norm, [1.0, 2.0], [0.0, 0.0])
    assert report.verdict == "cannot tell"
    assert "the gradient NaN is no number" in str(report) and "between" not in str(report)
    assert "0 / 0. Training that gets there meets NaN." in str(report)


def test_a_gradient_that_overflows_on_its_way_is_said_to_be_computed_badly():
    report = checked(Sigmoid, -800.0, -1.0, 0.5, 3.0)
    assert report.verdict == "cannot tell"
    assert "the formula may be right, and the way it is computed is not" in str(report)


def test_a_branch_that_is_not_taken_is_where_to_look_for_nan():
    report = checked(Root, 1.0, -2.0, 3.0, -0.5)
    assert report.verdict == "wrong" and "the branch that np.where does not take" in str(report)


def test_a_region_of_wrong_elements_holds_none_that_could_not_be_measured():
    report = checked(Cusp, 3.0, -1.5, 1.0, -0.4, -0.6)
    assert report.verdict == "wrong" and "wrong at 1 of 5 elements" in str(report)
    assert "those with x > 0" not in str(report)
    assert "Of the others some cannot be measured; the rest agree." in str(report)


class Leaning(Function):
    """No element is right, and nothing that is known explains it."""

    def forward(self, inputs):
        return (np.tanh(inputs[0]),)

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0] * (np.cos(3 * inputs[0]) + 0.2 * np.exp(-(inputs[0] ** 2))),)


@pytest.mark.parametrize(
    ("n", "places"),
    [(2, "both elements;"), (20, "all 20 elements;"), (3000, r"all \d+ elements that were measured;")],
)
def test_where_every_element_is_wrong_they_are_not_counted(n, places):
    report = checked(Leaning, *np.random.default_rng(0).normal(size=n))
    assert re.search(f"disagrees at {places}", report.findings[0].message)


class Halved(Function):
    def forward(self, inputs):
        return (np.asarray(inputs[0].sum() / 2),)

    def backward(self, inputs, grad_outputs):
        return (np.ones_like(inputs[0]) * grad_outputs[0] * (1 // 2),)


def test_a_gradient_of_zero_may_come_of_a_factor_in_backward():
    assert "a factor of 0 in backward, as 1 // 2." in str(checked(Halved, 1.0, 2.0, 3.0))
