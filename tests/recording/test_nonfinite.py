"""Every NaN names its first producer: the function and the line, forward and backward, and whom it reached."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.nodes import SinCos

from autolab import FunctionNode, Variable, graph, record
from autolab import functions as F
from autolab.recording import NonfiniteOrigin, find_nonfinite
from autolab.recording.serialize import to_json

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def line_of(origin: NonfiniteOrigin, recording) -> str:
    return recording.source.splitlines()[origin.line - recording.first_line].strip()


def test_forward() -> None:
    def program(x, w):
        h = x * w
        s = F.log(h)
        return s + h

    r = record(program, [2.0, -1.0], [1.0, 3.0])
    found = find_nonfinite(r)
    (nan,) = [b for b in found.origins if b.what == "nan"]
    assert (nan.phase, nan.step, nan.how, nan.function, nan.name) == ("forward", 3, "computed", "log", "s")
    assert (nan.source, line_of(nan, r), nan.index) == ("F.log(h)", "s = F.log(h)", (1,))
    assert (nan.values, nan.gradients, nan.because) == ((3, 4), (), None)
    assert found.first is found.first_nan is nan


def test_a_run_without_any() -> None:
    found = find_nonfinite(lambda x: F.exp(x), 1.0)
    assert (found.origins, found.first, found.first_nan) == ((), None, None)


def test_backward_names_the_line_whose_share_first_became_nan_and_why() -> None:
    def program(x):
        h = x * x
        r = F.sqrt(h)
        return r + 1.0

    r = record(program, [0.0, 1.0])
    found = find_nonfinite(r)
    inf, nan, *other = found.origins
    assert (inf.what, inf.phase, inf.function, inf.how, inf.operand) == ("inf", "backward", "sqrt", "computed", 0)
    assert (nan.what, nan.phase, nan.function, nan.how, nan.operand) == ("nan", "backward", "mul", "computed", 0)
    assert line_of(inf, r) == "r = F.sqrt(h)" and line_of(nan, r) == "h = x * x"
    assert nan.because == inf and nan.index == (0,)
    assert inf.gradients == (1, 0) and nan.gradients == (0,) and not inf.values
    assert [(b.step, b.operand) for b in other] == [(1, 1)]  # the other factor of x * x


def test_a_gradient_spoilt_by_a_value_is_no_origin_of_its_own() -> None:
    def program(x):
        h = F.log(x)
        return h * h

    (origin,) = find_nonfinite(program, -1.0).origins
    assert (origin.phase, origin.function, origin.values, origin.gradients) == ("forward", "log", (1, 2), (1, 0))


def test_where_lets_the_branch_that_was_not_chosen_harm() -> None:
    def program(x):
        safe = F.where(x > 0, F.log(x), 0.0)
        return F.sum(safe)

    def cured(x):
        return F.sum(F.where(x > 0, F.log(F.where(x > 0, x, 1.0)), 0.0))

    found = find_nonfinite(program, [0.0, 2.0])
    assert (found.first.what, found.first.function, found.first.phase) == ("inf", "log", "forward")
    nan = found.first_nan
    assert (nan.phase, nan.function, nan.gradients, nan.index) == ("backward", "log", (0,), (0,))
    assert not find_nonfinite(cured, [0.0, 2.0]).origins


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_was_given(bad: float) -> None:
    what = "nan" if np.isnan(bad) else "inf"
    first = find_nonfinite(lambda x: x + 1.0, [1.0, bad]).first
    assert (first.what, first.how, first.step, first.function, first.index) == (what, "given", 0, None, (1,))
    assert first.values == (0, 1)
    first = find_nonfinite(lambda x: x * bad, 1.0).first
    assert (first.what, first.how, first.function) == (what, "written", "mul")
    brought = np.array([bad, 1.0])
    first = find_nonfinite(lambda x: x * brought, [1.0, 1.0]).first
    assert (first.what, first.how, first.function, first.name) == (what, "given", None, "brought")


def test_an_infinity_beside_a_nan() -> None:
    nan, inf, *_ = find_nonfinite(lambda x: F.exp(x), [np.nan, 1000.0]).origins
    assert (nan.what, nan.how, nan.values) == ("nan", "given", (0, 1))
    assert (inf.what, inf.how, inf.function, inf.index) == ("inf", "computed", "exp", (1,))


def test_the_upstream_gradient_may_bring_it_along() -> None:
    r = record(lambda x: x * 2.0, [1.0, 2.0], options={"upstream": np.array([1.0, np.nan])})
    (origin,) = find_nonfinite(r).origins
    assert (origin.phase, origin.how, origin.step, origin.gradients) == ("backward", "given", 1, (1, 0))


def test_infinite_shares_may_cancel_to_nan() -> None:
    def program(x):
        a = F.sqrt(x)
        b = F.sqrt(x)
        return a - b

    found = find_nonfinite(program, 0.0)
    assert [(b.what, b.function, b.how) for b in found.origins] == [
        ("inf", "sqrt", "computed"),
        ("inf", "sqrt", "computed"),
        ("nan", None, "added"),
    ]
    assert found.first_nan.name == "x" and found.first_nan.because.function == "sqrt"


def test_infinity_minus_infinity() -> None:
    def program(x):
        big = F.exp(x)
        return big - big

    found = find_nonfinite(program, 1000.0)
    assert (found.first.what, found.first.function) == ("inf", "exp")
    assert found.first_nan.function == "sub" and found.first_nan.because == found.first
    assert found.first.values == (1, 2)


def test_functions_with_several_results_and_user_written_ones() -> None:
    def program(x):
        s, c = SinCos().apply((x,))
        return s / (c - c)

    r = record(program, 1.0)
    assert find_nonfinite(r).first.function == "div"

    def spoilt(x):
        s, _c = SinCos().apply((x,))
        return s

    first = find_nonfinite(spoilt, np.inf).first_nan
    assert (first.phase, first.function, first.name, first.because.how) == ("forward", "SinCos", "s", "given")

    class Spoilt(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * 1.0,)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * np.nan,)

    first = find_nonfinite(lambda x: F.sin(Spoilt().apply((x,))[0]), 1.0).first
    assert (first.phase, first.function, first.what) == ("backward", "Spoilt", "nan")


def test_large_arrays_are_kept_reduced_and_still_tell() -> None:
    x = np.ones(1000)
    x[700] = -1.0
    r = record(lambda x: F.log(x), x, options={"budget": 0})
    first = find_nonfinite(r).first_nan
    assert r.reduced and (first.function, first.index) == ("log", None)


def test_a_sum_of_finite_shares_may_overflow() -> None:
    def program(x):
        return x * 1e308 + x * 1e308

    (origin,) = [b for b in find_nonfinite(program, 0.5).origins if b.phase == "backward"]
    assert (origin.what, origin.how, origin.name) == ("inf", "added", "x")


def test_graphs_of_higher_order() -> None:
    def program(x):
        h = F.sqrt(x)
        return h * x

    recording = record(program, 0.0, options={"order": 2})
    first, second, third = [find_nonfinite(graph).origins for graph in (recording, *recording.higher)]
    assert first == find_nonfinite(program, 0.0).origins
    assert [{b.order for b in origins} for origins in (first, second, third)] == [{0}, {1}, {2}]
    assert [(b.what, b.phase, b.function) for b in first] == [("nan", "backward", "sqrt")]
    assert [(b.what, b.phase, b.function) for b in second] == [("nan", "forward", "div")]
    by_id = {step.id: step for step in recording.higher[0].steps}
    assert by_id[second[0].step].order == 1 and set(second[0].values) <= set(by_id)
    assert {(b.phase, b.what) for b in third} == {("forward", "inf")}


def test_it_is_plain_data() -> None:
    found = find_nonfinite(lambda x: F.sqrt(x * x), 0.0)
    assert json.loads(json.dumps(to_json(found)))["origins"][1]["because"]["function"] == "sqrt"


def test_a_step_is_not_blamed_for_what_a_value_that_was_not_kept_may_have_had() -> None:
    """A graph keeps what its rules need: of ``sum(m) + 3`` not the sum."""
    with np.errstate(all="ignore"):
        h = F.relu(Variable([1.0, 0.0, -1.0]) * 2.0)
        logs = F.log(h)
        m = logs * 0.0
        y = F.sum(m) + 3.0
    found = find_nonfinite(graph(y, h=h, logs=logs, m=m))
    assert [(origin.what, origin.function) for origin in found.origins] == [("inf", "log"), ("nan", "mul")]
