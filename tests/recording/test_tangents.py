"""Forward mode in a recording: tangents of every step, proved against its gradients."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.function_table import ROWS
from helpers.nodes import MulAdd, SinCos
from helpers.programs import draw

import autolab
from autolab import Variable, record
from autolab import functions as F
from autolab.authoring import Function
from autolab.recording.model import Recording


def moved(fn: Any, *args: Any, **options: Any) -> Recording:
    return record(fn, *args, options=options)


def inner(a: Any, b: Any) -> float:
    return 0.0 if a is None or b is None else float(np.sum(a.values * b.values))


def check_duality(recording: Recording) -> None:
    """What moves times its gradient is what the outputs move times their upstream gradients."""
    assert recording.moved is not None
    steps = {step.id: step for step in recording.steps}
    x = steps[recording.moved]
    ends = dict(zip(recording.outputs, recording.upstream, strict=True))  # one that is returned twice counts once
    left, right = sum([inner(steps[y].tangent, g) for y, g in ends.items()]), inner(x.tangent, x.grad)
    size = sum([np.linalg.norm(k.values) for k in (x.grad, x.tangent) if k is not None], start=1.0) ** 2
    kinds = {step.value.dtype for step in recording.steps if step.value and step.value.dtype.startswith("float")}
    assert abs(left - right) <= 1e4 * max([np.finfo(kind).eps for kind in kinds]) * size, (left, right)


@each("seed", range(60))
def test_tangents_and_gradients_agree_on_random_programs(seed: int) -> None:
    program, rng = draw(seed), np.random.default_rng(seed)
    for k, x in enumerate(program.inputs):

        def one(x: Any, k: int = k) -> Any:
            return program.ours(*[x if i == k else Variable(given) for i, given in enumerate(program.inputs)])

        recording = moved(one, x, forward={"x": rng.normal(size=x.shape)})
        if recording.backward:
            check_duality(recording)


@each("row", [row for row in ROWS if row.order], ids=[row.name for row in ROWS if row.order])
def test_tangents_and_gradients_agree_for_every_function(row: Any) -> None:
    rng = np.random.default_rng(0)
    for case in row.cases:
        arrays = case.make(rng, np.float64)
        for k, x in enumerate(arrays):
            if x.dtype.kind != "f":
                continue

            def one(x: Any, k: int = k, case: Any = case, arrays: Any = arrays) -> Any:
                y = case.call(row.function, *[x if i == k else given for i, given in enumerate(arrays)])
                found = [y for y in (y if isinstance(y, tuple | list) else (y,)) if isinstance(y, Variable)]
                return tuple([F.sum(y * y) for y in found if y.dtype.kind == "f"]) or x

            check_duality(moved(one, np.array(x), forward={"x": rng.normal(size=x.shape)}))


def test_every_step_has_its_tangent_and_every_use_its_share() -> None:
    def f(x: Any, w: Any) -> Any:
        u = x * w
        still = w * 2.0
        y = u * u + x
        return y + still

    recording = moved(f, 2.0, 3.0, forward="x")
    tangents = [step.tangent and float(step.tangent.values) for step in recording.steps if step.kind != "constant"]
    assert tangents == [1, None, 3, None, 36, 37, 37]
    square, total = recording.steps[4], recording["y"]
    assert [float(use.tangent.values) for use in square.operands if use.tangent] == [18, 18]
    assert [use.tangent_total and float(use.tangent_total.values) for use in total.operands] == [None, 37]
    assert moved(f, 2.0, 3.0, forward="w")["x"].tangent is None
    assert record(f, 2.0, 3.0).moved is None and record(f, 2.0, 3.0).id != recording.id


class OldSquare(Function):
    def forward(self, inputs: Any) -> Any:
        return (inputs[0] ** 2,)

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        return (2 * inputs[0] * grad_outputs[0],)


def test_functions_that_people_wrote_move_on_too() -> None:
    t = np.array([1.0, -2.0, 0.5])
    x = np.array([0.3, 1.0, 2.0])
    for fn, expected in (
        (lambda x: MulAdd().apply((x, x, x))[0], (2 * x + 1) * t),
        (lambda x: SinCos().apply((x,)), [np.cos(x) * t, -np.sin(x) * t]),
        (lambda x: OldSquare()(x), 2 * x * t),  # its backward works on arrays: it is measured
    ):
        recording = moved(fn, x, forward={"x": t})
        found = [recording.steps[i].tangent.values for i in recording.outputs]
        np.testing.assert_allclose(found, np.reshape(expected, (len(found), 3)), rtol=1e-14)
        check_duality(recording)
    with pytest.raises(RuntimeError, match="OldSquare"):
        moved(lambda x: OldSquare()(x), np.ones(2000), forward="x")


def test_what_is_opened_moves_and_what_is_replaced_stands_still() -> None:
    recording = moved(lambda x: F.muladd(x, x, 3.0) * x, 2.0, forward="x", open="muladd")
    check_duality(recording)
    replaced = moved(lambda x: (x * x) * x, 2.0, forward="x", replace={1: 5.0})
    assert replaced.steps[1].tangent is None and float(replaced.steps[2].tangent.values) == 5
    check_duality(replaced)


def test_nobody_hears_what_is_computed_for_the_tangents() -> None:
    heard: list[Any] = []
    x = Variable(np.ones((3, 2)))
    with autolab.engine.observe.observe(heard.append):
        plain = len((record(lambda x: F.softmax(x @ x.T, axis=0), x), heard)[1])
        heard.clear()
        moved(lambda x: F.softmax(x @ x.T, axis=0), x, forward="x")
    assert len(heard) == plain and x.grad is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forward": "y"}, "record: option 'forward' is 'y'; expected one of x, or a dict"),
        ({"forward": 3}, "record: option 'forward' is 3; expected one of x"),
        ({"forward": {"x": np.ones(3)}}, "the direction of x is float64 (3,); expected real numbers of shape ()"),
        ({"forward": "x", "order": 1}, "option 'forward' is of order 0, and option 'order' is 1"),
    ],
)
def test_what_fits_nothing_is_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        record(lambda x: x * x, 2.0, options=options)
