"""Where a gradient that is zero, NaN or missing comes from: one search, in a pass run again and in a recording."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable
from autolab import functions as F
from autolab.debug.provenance import Provenance, missing, provenance, replay
from autolab.recording.nonfinite import RecordedNet


class Halves(FunctionNode):
    """Two results, of which the second passes nothing on."""

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return inputs[0] * 1.0, inputs[0] * 0.0

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        first, second = grad_outputs
        return ((first if second is None else second) * (1.0 if second is None else 0.0),)


CASES = {
    "a function": (lambda x: F.sum(F.relu(x)), [-1.0, -2.0], "zero", Provenance(("relu",))),
    "behind others": (lambda x: F.sum(F.relu(x * 3.0 - 10.0)), [1.0, 2.0], "zero", Provenance(("relu",))),
    "the sum of shares": (lambda x: F.sum(x - x), [1.0, 2.0], "zero", Provenance(summed=True)),
    "one of several results": (lambda x: F.sum(Halves().apply((x,))[1]), [1.0], "zero", Provenance(("Halves",))),
    "a pole": (lambda x: F.sum(F.sqrt(x) * 2.0), [0.0], "nonfinite", Provenance(("sqrt",))),
    "0 times infinity": (lambda x: F.sum(F.sqrt(x * x)), [0.0], "nonfinite", Provenance(("sqrt",))),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_where_it_comes_from(case: str) -> None:
    function, values, kind, found = CASES[case]
    x = Variable(np.array(values))
    net = replay(function(x), x)
    assert net is not None and provenance(net, x.node, kind) == found  # type: ignore[arg-type]
    assert x.grad is None, "a pass that is looked at stores nothing"
    recording = autolab.record(function, x=np.array(values))
    (leaf,) = [step.id for step in recording.steps if step.name == "x"]
    assert provenance(RecordedNet(recording), leaf, kind) == found  # type: ignore[arg-type]


def test_what_the_pass_began_with() -> None:
    x = Variable([1.0, 2.0])
    y = x * 3.0
    y.grad = np.zeros(2)
    net = replay(y, x)
    assert net is not None and provenance(net, x.node, "zero") == Provenance(started=True)


def test_why_there_is_none() -> None:
    x, other = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    h = x * 2.0
    y = F.sum(h)
    assert [missing(v, y) for v in (y, h, x, other)] == ["start", "not_kept", "not_passed_on", "not_input"]
    assert missing(other, F.sum(x * other.data)) == "detached"


def test_a_backward_that_refuses_to_run_again_has_no_net() -> None:
    class Once(Halves):
        def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
            raise RuntimeError("once is enough")

    x = Variable([1.0])
    assert replay(F.sum(Once().apply((x,))[0]), x) is None


MEETING = {
    "the start": (lambda h: h * 2.0, np.full(2, np.nan)),
    "infinities": (lambda h: F.sqrt(h) - F.sqrt(h), np.ones(2)),
}


@pytest.mark.parametrize("name", MEETING)
def test_no_function_is_accused_of_a_nan_that_it_was_given(name: str) -> None:
    make, start = MEETING[name]
    with np.errstate(all="ignore"), autolab.autograd.detect_anomaly():  # type: ignore[attr-defined]
        y = make(Variable([0.0, 1.0]) * 3.0)
        with pytest.raises(RuntimeError, match=r"^mul: its upstream gradient is NaN: backward began with it"):
            y.backward(start)
