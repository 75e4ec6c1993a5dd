"""Checking gradients: numeric differentiation, and reports that say what is wrong. Nothing here prints or draws."""

from .check import check_bound, check_gradients
from .differences import assert_allclose, numerical_grad
from .report import Finding, GradientCheckError, GradientReport, InputReport

__all__ = [
    "Finding",
    "GradientCheckError",
    "GradientReport",
    "InputReport",
    "assert_allclose",
    "check_bound",
    "check_gradients",
    "numerical_grad",
]
