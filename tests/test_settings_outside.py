"""Warnings that are errors, and `np.seterr`, at the top of a notebook: what is shown is what Python computes then."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autolab import FunctionNode, Variable, check_gradients, grad, record
from autolab import functions as F
from autolab.analysis.derivatives import Study
from autolab.analysis.landscape import descend, surface
from autolab.analysis.matrices import show_hessian, show_jacobian
from autolab.gradcheck import GradientCheckError, check_backward, gradcheck, step_sweep, taylor_test
from autolab.transforms.tracing import Untraceable
from autolab.views.check.session import LensSession, LensState
from autolab.views.derivatives.session import CurvePoint, DerivativeSession
from autolab.views.graph.page_program import _proved
from autolab.views.graph.session import Session
from autolab.views.live.computation import UserError

ERRORS = (RuntimeWarning, FloatingPointError)


@pytest.fixture(params=["warnings", "numpy"], autouse=True)
def setting(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is set before AutoLab is called."""
    with warnings.catch_warnings(), np.errstate(all="raise" if request.param == "numpy" else "warn"):
        warnings.simplefilter("error" if request.param == "warnings" else "default")
        yield


def branching(x: Variable) -> Variable:
    try:
        return F.log(x)
    except ERRORS:
        return x * x + 3.0


def bowl(x: Variable, y: Variable) -> Variable:
    try:
        return F.log(x) * y
    except ERRORS:
        return x * y - 7.0


class Tripled(FunctionNode):
    """The square, with a wrong rule."""

    def forward(self, inputs: Any) -> Any:
        return (inputs[0] * inputs[0],)

    def backward(self, indexes: Any, gs: Any) -> Any:
        return (gs[0] * 3.0,)


def mistaken(x: Variable) -> Variable:
    try:
        return F.log(x)
    except ERRORS:
        return Tripled().apply((x,))[0]


def value_and_slope(x: float) -> tuple[float, float]:
    """What Python computes."""
    at = Variable(x)
    y = branching(at)
    return float(y.data), float(grad(y, at).data)


POINTS = (-2.0, -0.5, 0.0, 0.5, 3.0)


def moved(session: Session, x: float) -> Any:
    return replace(session.start, arrays={**session.start.arrays, "x": np.array(x)})


@pytest.mark.parametrize("x", POINTS)
def test_recordings(x: float) -> None:
    recording = record(branching, x)
    output = recording.steps[recording.outputs[0]]
    (leaf,) = [step for step in recording.steps if step.name == "x"]
    assert (float(output.value.values), float(leaf.grad.values)) == value_and_slope(x)


@pytest.mark.parametrize("x", POINTS)
def test_moves_of_a_live_view(x: float) -> None:
    session = Session(branching, inputs={"x": 1.0})
    recording = session.compute(moved(session, x))
    output = recording.steps[recording.outputs[0]]
    assert float(output.value.values) == value_and_slope(x)[0]


def test_whichever_thread_computes() -> None:
    """As a live view does, which computes beside the kernel."""
    session, slopes = Session(branching, inputs={"x": 1.0}), DerivativeSession(branching, 0.5, 1, (-2.0, 3.0))
    report = check_gradients(mistaken, -2.0)
    lens = LensSession(report, report._origin)
    with ThreadPoolExecutor(1) as executor:
        recording = executor.submit(session.compute, moved(session, -2.0)).result()
        seen = executor.submit(slopes.compute, CurvePoint(-1.0, 1)).result()
        again = executor.submit(lens.compute, LensState(1, seed=5)).result()
    assert float(recording.steps[recording.outputs[0]].value.values) == 7.0
    assert seen.data.values == (4.0, -2.0)
    assert again.report.verdict == "wrong"


def test_what_python_raises_is_shown() -> None:
    session = Session(lambda x: F.log(x), inputs={"x": 1.0})
    session.record()
    shown = session.compute(moved(session, 0.0))
    assert isinstance(shown, UserError) and "divide by zero" in str(shown)
    with pytest.raises(ERRORS, match="divide by zero"):
        record(lambda x: F.log(x), 0.0)


def test_a_saved_page_needs_python() -> None:
    session = Session(branching, inputs={"x": 2.0})
    with pytest.raises(Untraceable):
        _proved(session, session.record(), {"x": np.array(2.0), 0: np.array(1.0)}, walks=False)


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_surfaces(pool: Callable[[int], Executor] | None) -> None:
    executor = pool(1) if pool else None
    found = surface(bowl, (0.0, 0.0), span=3.0, steps=13, executor=executor)
    expected = [[float(bowl(Variable(x), Variable(y)).data) for x in found.x] for y in found.y]
    np.testing.assert_allclose(found.values, expected)
    if executor:
        executor.shutdown()


def test_descents_and_slopes_of_surfaces() -> None:
    found = surface(bowl, (-1.0, 0.5), span=1.0, steps=5)
    value, slope = found.plane.slope(-1.0, 0.5)
    assert value == -7.5 and slope.tolist() == [0.5, -1.0]
    assert descend(bowl, (-1.0, 0.5), rate=0.1, steps=1)[1] == pytest.approx((-1.05, 0.6))


def test_curves() -> None:
    study = Study(branching, 0.5, 1, (-2.0, 3.0))
    curves = study.data.curves
    drawn = np.isfinite(curves.y).all(axis=0)
    assert abs(curves.x[~drawn]).max() < 0.01  # where it jumps
    expected = np.array([value_and_slope(x) for x in curves.x[drawn]]).T
    np.testing.assert_allclose(curves.y[:, drawn], expected)
    assert study.look(-1.0, 1).values == (4.0, -2.0)


def test_matrices() -> None:
    assert show_jacobian(branching, x=-1.5).values == [[-3.0]]
    assert show_hessian(branching, x=-1.5).values == [[2.0]]


@pytest.mark.parametrize("order", [1, 2])
def test_checks(order: int) -> None:
    for x in (-2.0, -0.5, 0.5, 3.0):
        assert check_gradients(branching, x, options={"order": order}).verdict == "right"
    assert check_gradients(mistaken, 0.5).verdict == "right"
    assert check_gradients(mistaken, -2.0).verdict == "wrong"


def test_checks_with_a_given_step() -> None:
    x = np.array(-2.0)
    check_backward(branching, (x,), (np.array(1.5),))
    assert gradcheck(branching, (x,))
    for check in (lambda: check_backward(mistaken, (x,), (np.array(1.5),)), lambda: gradcheck(mistaken, (x,))):
        with pytest.raises(GradientCheckError):
            check()
    assert taylor_test(branching, x).passed and not taylor_test(mistaken, x).passed
    assert step_sweep(branching, x).analytic == pytest.approx(step_sweep(branching, x).numeric[10], rel=1e-4)


def test_a_check_raises_what_the_function_raises_at_its_inputs() -> None:
    with pytest.raises(ERRORS, match="divide by zero"):
        check_gradients(F.log, 0.0)


USUAL: dict[str, tuple[Callable[..., Variable], list[Any]]] = {
    "log": (F.log, [[1e-3, 0.5, 30.0]]),
    "softmax": (lambda x: F.softmax(x * 3.0, axis=0), [[1.0, -2.0, 0.5]]),
    "large": (lambda x: x * 1e200, [[1e100, 2.0]]),
    "small": (lambda x: x * 1e-200, [[1e-100, 2.0]]),
    "root": (F.sqrt, [[1e-9, 4.0]]),
    "reciprocal": (lambda x, y: x / y, [[1.0, 2.0], [1e-5, 3.0]]),
    "float32": (lambda x: F.exp(x) * x, [np.array([0.5, -3.0], np.float32)]),
    "at 0": (lambda x: x * x, [[0.0, 1.0]]),
    "relu": (F.relu, [[0.0, 1.0]]),
}


@pytest.mark.parametrize("name", USUAL)
def test_what_autolab_computes_besides_raises_nothing(name: str) -> None:
    function, inputs = USUAL[name]
    report = check_gradients(function, *inputs)
    assert report.verdict != "wrong" and report._repr_mimebundle_()
    assert record(function, *inputs)._repr_mimebundle_()
    assert not isinstance(Session(function, inputs).compute(), UserError)
