"""Checking gradients: numeric differentiation, and reports that say what is wrong. Nothing here prints or draws."""

from .backward_check import check_backward, check_double_backward
from .check import check_bound, check_gradients
from .differences import assert_allclose, numerical_diff, numerical_grad
from .jacobian import gradcheck, gradgradcheck
from .mismatch import Mismatch
from .report import Finding, GradientCheckError, GradientReport, InputReport
from .sweep import StepSweep, step_sweep
from .taylor import TaylorReport, taylor_test

__all__ = [
    "Finding",
    "GradientCheckError",
    "GradientReport",
    "InputReport",
    "Mismatch",
    "StepSweep",
    "TaylorReport",
    "assert_allclose",
    "check_backward",
    "check_bound",
    "check_double_backward",
    "check_gradients",
    "gradcheck",
    "gradgradcheck",
    "numerical_diff",
    "numerical_grad",
    "step_sweep",
    "taylor_test",
]
