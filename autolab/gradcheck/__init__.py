"""Gradient checking: numeric differentiation, and reports that say what is wrong. Nothing here prints or draws.

One folder per question, with imports in one direction only::

    messages <- measuring <- judging <- formulas <- naming <- checks
                             judging <- reporting <- checks

``messages`` holds the sentences. ``measuring`` computes numeric slopes and their error bounds, ``judging`` decides
whether a gradient is right, ``formulas`` finds what a backward computes and what it should compute, ``naming`` finds
the mistake and its place, ``reporting`` reports it, and ``checks`` has the functions that users call.

Read three files first. ``checks/judge.py`` is a whole check on one page. ``judging/case.py`` holds its data: a `Case`
is a function whose gradients are judged, with a `CheckedInput` for each of its inputs, and nearly everything in
``naming`` and ``formulas`` is a question about one of these. ``naming/classify.py`` lists the mistakes that are tried,
in order.
"""

import sys
from types import ModuleType
from typing import Any

from ..engine.habits import answering
from .checks.backward_check import check_backward, check_double_backward
from .checks.check import check_bound, check_gradients, check_grads
from .checks.jacobian import gradcheck, gradgradcheck
from .checks.taylor import TaylorReport, taylor_test
from .judging.finding import Finding, GradientCheckError, Mismatch
from .measuring.differences import assert_allclose, numerical_diff, numerical_grad
from .measuring.sweep import StepSweep, step_sweep
from .report import GradientReport, InputReport

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
    "check_grads",
    "gradcheck",
    "gradgradcheck",
    "numerical_diff",
    "numerical_grad",
    "step_sweep",
    "taylor_test",
]


class _CallableModule(ModuleType):
    """A module that can be called like its function of the same name: ``autolab.gradcheck(f, x)``, as in PyTorch."""

    def __call__(self, *args: Any, **settings: Any) -> bool:
        return gradcheck(*args, **settings)


__getattr__ = answering(__name__, "gradcheck")


sys.modules[__name__].__class__ = _CallableModule
