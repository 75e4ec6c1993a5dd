"""What a function does about floating-point errors, it does where it is explored."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from helpers.programs_with_escapes import Loss, raising, raising_overflow, recorded, warned

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.views.graph.page_program import motion


@pytest.mark.parametrize("loss", [raising, raising_overflow, warned, recorded])
def test_what_is_explored_goes_the_way_that_python_goes(loss: Loss, explorer: Any) -> None:
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):  # as in a new process
        for point in ([3.0, 4.0], [0.5, 3.0], [40.0, 1.0]):
            view = explorer(loss, x=np.array(point))
            expected = float(loss(Variable(np.array(point))).data)
            assert float(view.recording.steps[-1].value.values) == pytest.approx(expected)
            assert "why" in motion(view._session, view.recording)


# ---------------------------------------------------------------------- what a notebook has set for all its cells
def careful(x: Any) -> Any:
    """-3x where the logarithm is refused, else 2x."""
    try:
        np.log(x.data)
    except (RuntimeWarning, FloatingPointError):
        return x * -3.0
    return x * 2.0


@contextmanager
def warnings_as_errors() -> Iterator[None]:
    with np.errstate(divide="warn", invalid="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


AMBIENT = {"warnings as errors": warnings_as_errors, "errors raised": lambda: np.errstate(all="raise")}


@pytest.mark.parametrize("ambient", AMBIENT.values(), ids=AMBIENT)
@pytest.mark.parametrize("at", [-2.0, 0.0, 1.5])
def test_what_all_cells_have_set_counts_in_every_view(ambient: Any, at: float, explorer: Any) -> None:
    with ambient():
        plain, slope = careful(Variable(at)).data, autolab.transforms.grad(careful)(at).data
        view = explorer(careful, x=at)
        for recording in (autolab.record(careful, x=at), view.recording):
            assert recording.steps[-1].value.values == plain and recording["x"].grad.values == slope
        assert "why" in motion(view._session, view.recording)
        assert autolab.check_gradients(careful, x=at + 0.25).passed
        surface = autolab.plots.surface(lambda x, y: careful(x) + y * y, (at + 0.25, 0.0), steps=9)
        expected = [[float(careful(Variable(a)).data) + b * b for a in surface.x] for b in surface.y]
    np.testing.assert_allclose(surface.values, expected, rtol=1e-12)


def test_without_such_a_setting_nothing_is_said(explorer: Any) -> None:
    view = explorer(lambda x: F.log(x), x=-1.0)
    assert np.isnan(view.recording.steps[-1].value.values)
