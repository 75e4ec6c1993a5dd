"""What if a value in the middle were another one? What follows is computed from it, and gradients end there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.nodes import SinCos

import autolab
from autolab import Variable, grad, record
from autolab import functions as F
from autolab.authoring import ContextFunction
from autolab.recording import Recording, find_nonfinite
from autolab.views import mimebundle
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.listing import replaced as told
from autolab.views.graph.playback import Playback
from autolab.views.graph.scene import structure
from autolab.views.steps.moments import frame


def what_if(fn: Any, *args: Any, replace: dict[Any, Any], **options: Any) -> Recording:
    return record(fn, *args, options={"replace": replace, **options})


def program(x, y):
    h = x * y
    k = F.exp(h)
    w = k + h * x
    return w


def values(recording: Recording, *names: str) -> list[float]:
    return [float(recording[name].value.values) for name in names]


def test_what_follows_is_computed_from_the_new_value_and_gradients_are_those_of_it() -> None:
    r = what_if(program, 2.0, 3.0, replace={"h": 0.5})
    x, h = Variable(2.0), Variable(0.5)
    w = F.exp(h) + h * x
    assert values(r, "h", "w") == [0.5, w.data]
    gx, gh = grad(w, (x, h))
    assert float(r["x"].grad.values) == gx.data and float(r["h"].grad.values) == gh.data
    assert r["y"].grad is None and r["y"].status == "not_reached"
    assert r["h"].replaced and [step.name for step in r.steps if step.replaced] == ["h"]
    assert [use.contribution for use in r["h"].operands] == [None, None]
    assert r["h"].id not in [step.of for step in r.backward]


def test_the_number_of_a_step_is_its_place_in_the_recording() -> None:
    plain = record(program, 2.0, 3.0)
    by_number = what_if(program, 2.0, 3.0, replace={plain["h"].id: 0.5})
    assert by_number.id == what_if(program, 2.0, 3.0, replace={"h": 0.5}).id != plain.id


@pytest.mark.parametrize("value", [np.array([1.0, 2.0, 3.0]), [1, 2, 3], Variable([1.0, 2.0, 3.0])])
def test_arrays(value: Any) -> None:
    def scaled(x):
        h = x * 2
        return F.sum(h * h)

    r = what_if(scaled, [5.0, 6.0, 7.0], replace={"h": value})
    assert r["h"].value.values.tolist() == [1, 2, 3] and r["h"].grad.values.tolist() == [2, 4, 6]
    assert r["x"].grad is None
    one = what_if(scaled, [5.0, 6.0, 7.0], replace={"h": 4})
    assert one["h"].value.values.tolist() == [4, 4, 4]


def test_the_value_is_copied_and_keeps_the_dtype_of_the_step() -> None:
    given = np.array([1.0, 2.0])
    seen = []

    def kept(x):
        h = x * 2
        seen.append(h)
        return h + 1

    r = what_if(kept, np.ones(2, np.float32), replace={"h": given})
    given[0] = 99
    assert r["h"].value.values.tolist() == [1, 2] and r["h"].value.dtype == "float32"
    assert seen[0].data is not given and seen[0].dtype == np.float32 and seen[0].creator is None


def test_a_round_of_a_loop() -> None:
    def rounds(x):
        h = x
        for _ in range(3):
            h = h * 2
        return h

    plain = record(rounds, 1.0)
    second = [step.id for step in plain.steps if step.kind == "call"][1]
    r = what_if(rounds, 1.0, replace={second: 10.0})
    assert [float(step.value.values) for step in r.steps] == [1, 2, 10, 20]
    assert [None if step.grad is None else float(step.grad.values) for step in r.steps] == [None, None, 2, 1]
    with pytest.raises(ValueError, match="several steps are called 'h': numbers 1 and on; give a number"):
        what_if(rounds, 1.0, replace={"h": 10.0})


def test_one_of_several_results() -> None:
    def both(x):
        s, c = SinCos().apply((x,))
        return s * c

    plain = record(both, 1.0)
    r = what_if(both, 1.0, replace={"s": 3.0})
    assert float(r["s"].value.values) == 3 and r["s"].replaced and not r["c"].replaced
    assert float(r["x"].grad.values) == pytest.approx(-3 * np.sin(1.0))
    whole = next(step.id for step in plain.steps if step.kind == "call" and step.value is None)
    with pytest.raises(ValueError, match=f"step {whole} has several results; replace one of them: {whole + 1} and on"):
        what_if(both, 1.0, replace={whole: 3.0})
    none = what_if(both, 1.0, replace={"s": 3.0, "c": 2.0})
    assert none["x"].grad is None and values(none, "s", "c") == [3, 2]


def test_the_output_itself_and_values_without_a_gradient() -> None:
    r = what_if(lambda x: x * 2, 3.0, replace={1: 5.0})
    assert float(r.steps[1].value.values) == 5 and float(r.steps[1].grad.values) == 1 and r.steps[0].grad is None

    def constant(x):
        with autolab.no_grad():
            h = x * 2
        return x * h

    r = what_if(constant, 3.0, replace={"h": 5.0})
    assert float(r["x"].grad.values) == 5 and r["h"].status == "constant"

    def counted(n, x):
        i = n + 1
        return x * i

    r = what_if(counted, np.array([1, 2]), [1.0, 9.0], replace={"i": 3})
    assert r["i"].value.dtype == "int64" and r.steps[-1].value.values.tolist() == [3, 27]


def test_another_way_is_taken_where_the_new_value_leads_there() -> None:
    def branching(x):
        h = x * 2
        if h.data > 0:
            return h * 3
        return -h

    assert record(branching, 1.0).steps[-1].function == "mul"
    assert what_if(branching, 1.0, replace={"h": -4.0}).steps[-1].function == "neg"


def test_derivatives_of_higher_order_are_those_of_what_follows() -> None:
    r = what_if(program, 2.0, 3.0, replace={"h": 0.5}, order=2)
    assert len(r.higher) == 1 and float(r.higher[0].steps[-1].value.values) == 0.5
    assert mimebundle(r)["text/html"]


def test_a_replaced_nan_was_given() -> None:
    r = what_if(program, 2.0, 3.0, replace={"h": np.nan})
    first = find_nonfinite(r).first_nan
    assert (first.how, first.name) == ("given", "h")


class Into(ContextFunction):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.data[...] *= 2
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def changed_in_place(x):
    h = x + 0
    k = Into.apply(h)
    return k * 3


def constants(x):
    c = Variable(2.0, requires_grad=False, name="c")
    h = x * c
    return h


REFUSED = [
    (program, {"x": 1.0}, "'x' is an input; give it another value"),
    (program, {0: 1.0}, "step 0 is an input"),
    (program, {99: 1.0}, "program computed no step 99 here"),
    (program, {"nobody": 1.0}, "program computed no step 'nobody' here"),
    (program, {"h": [1.0, 2.0]}, r"'h' has shape \(\), and the new value \(2,\)"),
    (constants, {"c": 1.0}, "'c' is a constant, which nothing computes"),
    (changed_in_place, {"k": 1.0}, "'k' is an input that Into changed in place"),
]


@pytest.mark.parametrize(("fn", "replace", "message"), REFUSED)
def test_what_cannot_be_replaced(fn: Any, replace: dict[Any, Any], message: str) -> None:
    args = (2.0, 3.0) if fn is program else (2.0,)
    with pytest.raises(ValueError, match=f"record: option 'replace': {message}"):
        what_if(fn, *args, replace=replace)


@pytest.mark.parametrize(
    ("replace", "message"),
    [
        (3.0, "'replace' is a float; expected a dict"),
        ({1.5: 2.0}, "has the key 1.5; expected a step's number, or a name"),
        ({True: 2.0}, "has the key True"),
        ({"h": "a"}, "has a str for 'h'; expected real numbers"),
        ({"h": 1j}, "has a complex for 'h'"),
        ({"h": None}, "has None for 'h'"),
        ({"h": [[1.0], [2.0, 3.0]]}, "has a list for 'h'"),
    ],
)
def test_what_is_no_replacement(replace: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        what_if(program, 2.0, 3.0, replace=replace)


def test_inside_an_opened_function_nothing_is_replaced() -> None:
    def fused(x, w, b):
        h = F.linear(x, w, b)
        return F.sum(h)

    inputs = np.ones((2, 3)), np.ones((4, 3)), np.ones(4)
    closed = what_if(fused, *inputs, replace={"h": 2.0})
    assert float(closed.steps[-1].value.values) == 16
    opened = record(fused, *inputs, options={"open": "linear"})
    inside = [step.id for step in opened.steps if step.scope is not None]
    for step in inside:
        with pytest.raises(ValueError, match=f"step {step} is inside linear, which is opened"):
            what_if(fused, *inputs, replace={step: 2.0}, open="linear")


def test_what_the_function_raises_comes_first() -> None:
    def picky(x):
        h = x * 2
        if h.data < 0:
            raise ValueError("negative")
        return F.log(h)

    with pytest.raises(ValueError, match="negative") as caught:
        what_if(picky, 1.0, replace={"h": -1.0, 9: 3.0})
    ended = autolab.recording.last_recording(caught.value)
    assert ended["h"].replaced and float(ended["h"].value.values) == -1


def test_nothing_is_left_behind() -> None:
    what_if(program, 2.0, 3.0, replace={"h": 0.5})
    assert float(record(program, 2.0, 3.0)["h"].value.values) == 6


def test_every_view_says_so_in_words() -> None:
    r = what_if(program, 2.0, 3.0, replace={"h": 0.5})
    (sentence,) = told(r)
    assert sentence.startswith("What if: h = 0.5, put in place of what was computed.")
    text, html = mimebundle(r)["text/plain"], mimebundle(r)["text/html"]
    assert "; replaced" in text and sentence in text and sentence in html
    svg = to_svg(r)
    assert ">replaced<" in svg and "h = x * y, replaced, value 0.5" in svg and "What if: h = 0.5" in svg
    assert r.to_json()["steps"][2]["replaced"] is True
    assert structure(r) != structure(record(program, 2.0, 3.0))
    assert told(record(program, 2.0, 3.0)) == []


def test_the_walk_does_not_say_that_two_times_three_is_a_half() -> None:
    r = what_if(program, 2.0, 3.0, replace={"h": 0.5})
    walk, boxes = Playback(r), {step.id: step.id for step in r.steps}
    times = walk.times(boxes)

    def moment_of(name: str) -> int:
        known = times[str(r[name].id)]["known"]
        assert known is not None
        return known

    shown = frame(walk, moment_of("h"), boxes)
    assert shown["numbers"] == [] and shown["spoken"] == "Forward: h = x * y is not computed, but replaced by 0.5."
    after = frame(walk, moment_of("k"), boxes)
    assert after["numbers"] == ["exp(0.5) = 1.649"]
