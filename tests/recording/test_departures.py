"""What leaves the graph is marked with its line and its words, and nothing else is."""

from __future__ import annotations

import json
import linecache
import math
import statistics
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, record
from autolab import functions as F
from autolab import links as L
from autolab.engine.leaving import ExitEvent, watch_leaving
from autolab.engine.modes import listeners
from autolab.recording import Departure
from autolab.recording.observations import observations
from autolab.views.draw.messages import say
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.health import SIGNS, sentences
from autolab.views.graph.readings import readings


def by_math(x, w):
    h = x * w
    return h * math.sin(h)


def by_float(x, w):
    return x * float(w) + w * int(x)


def by_data(x, w):
    s = np.exp(x.data)
    return w * s + x.array + x


def by_item(x, w):
    return x * round(w.item(), 2) + w


def by_library(x, w):
    return x * statistics.fmean([w, w]) + w


def by_map(x, w):
    return x * sum(map(math.cos, [w])) + w * 2


def by_change(x, w):
    h = x + w
    h.data[...] = 5.0
    h.data.fill(4.0)
    return h * w


def by_an_alias(x, w):
    h = x * w
    alias = h.data
    alias[...] = 5.0
    return h + 1


def by_new_data(x, w):
    h = x * w
    h.data = 2 * h.data
    return h + 1


def under_no_grad(x, w):
    with autolab.no_grad():
        h = x * w
    return h * x


def by_method(x, w):
    kept = [x.data.max()]
    kept.append(w.data)
    return x * kept[0] + kept[1] * x


LEAVES = (
    (by_method, [("left", "x.data", 1, ("x",)), ("left", "w.data", 2, ("w",))]),
    (by_math, [("left", "math.sin(h)", 2, ("x", "w"))]),
    (by_float, [("left", "float(w)", 1, ("w",)), ("left", "int(x)", 1, ("x",))]),
    (by_data, [("left", "x.data", 1, ("x",)), ("left", "x.array", 2, ("x",))]),
    (by_item, [("left", "w.item()", 1, ("w",))]),
    (by_library, [("left", "statistics.fmean([w, w])", 1, ("w",))]),
    (by_map, [("left", "sum(map(math.cos, [w]))", 1, ("w",))]),
    (
        by_change,
        [("changed", "h.data[...] = 5.0", 2, ("x", "w")), ("changed", "h.data.fill(4.0)", 3, ("x", "w"))],
    ),
    (by_an_alias, [("changed", "h.data", 2, ("x", "w"))]),
    (by_new_data, [("changed", "h.data", 2, ("x", "w"))]),
    (under_no_grad, [("no_grad", "x * w", 2, ("x", "w"))]),
)


@pytest.mark.parametrize(("fn", "expected"), LEAVES, ids=lambda value: getattr(value, "__name__", ""))
def test_what_leaves_is_marked(fn: Any, expected: list[tuple[str, str, int, tuple[str, ...]]]) -> None:
    recording = record(fn, x=2.0, w=3.0)
    first = fn.__code__.co_firstlineno
    own = recording.departures
    assert [
        (d.how, d.source, d.line - first, tuple(recording.steps[i].name for i in d.inputs)) for d in own
    ] == expected
    assert {d.file for d in own} == {"test_departures.py"}
    for d in own:
        assert all(recording.steps[i].kind != "constant" for i in d.steps)


def test_a_departure_is_plain_data() -> None:
    recording = record(by_math, x=2.0, w=3.0)
    (found,) = recording.departures
    assert recording.steps[found.steps[0]].name == "h"
    plain = json.loads(json.dumps(recording.to_json()))["departures"]
    assert plain == [
        {
            "file": "test_departures.py",
            "line": found.line,
            "source": "math.sin(h)",
            "how": "left",
            "steps": list(found.steps),
            "inputs": list(found.inputs),
        }
    ]
    assert isinstance(found, Departure)


def harmless(x, w):
    h = x * w
    print(float(h), h.item(), f"{float(h):.2f}", "%.2f" % h, f"{h.data}", str(h.data))  # noqa: UP031
    if h > 1 and float(h) > 1 and not h.data.any() and h.item() > 0:
        return h
    assert float(h) != 0.5
    print(round(float(h.data), 3), h.data[()], h.item() * 2 - 1, "{:.2f}".format(h.item()))  # noqa: UP032
    if abs(math.sin(h) - h.item()) < 1e-9 or h.data.max() > 1e9 or -w.data == 5 or x.data[()] + 1 < math.sqrt(float(w)):
        return np.zeros_like(h.data) + h
    n = h.data.shape, h.data.dtype, h.array.ndim, x.data.size, x.data.argmax()
    best = 1.0 if h.item() > 3 else 2.0
    k = len(n) + np.argmax(h) + np.sign(x)
    while bool(h) and x < 0:
        h = h + 1
    return h * best + k * 0 + (h == w) + np.isnan(x)


def test_what_a_hook_takes_is_no_event() -> None:
    def hook(event: ExitEvent) -> None:
        event.value = event.variable.data * 2

    with watch_leaving(hook):
        taken = Variable(2.0).item()
    assert taken == 4.0


def constants(x, w):
    a = Variable(3.0, requires_grad=False)
    with autolab.no_grad():
        b = a * 2
    return x * float(a) + math.sin(b) * w + np.asarray(a) + a.data


class Doubled(autolab.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2.0,)

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0] * 2.0,)


class Passed(autolab.authoring.ContextFunction):
    @staticmethod
    def forward(ctx, x):
        return Variable(np.sin(x.data) * float(x))

    @staticmethod
    def backward(ctx, g):
        return g


def library(x, w):
    layer = L.Linear(1, 1)
    y = layer(np.reshape(x * w, (1, 1)))
    y = L.BatchNormalization(1)(np.concatenate([y, 2 * y]))
    t = np.array([0, 0])
    loss = F.softmax_cross_entropy(np.concatenate([y, -y], axis=1), t)
    (inner,) = Doubled().apply((x,))
    return loss + Passed.apply(w) + inner + F.accuracy(np.concatenate([y, -y], axis=1), t) * 0


@pytest.mark.parametrize("fn", [harmless, constants, library])
def test_nothing_else_is_marked(fn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert record(fn, x=2.0, w=0.5).departures == ()


def loop(x, n: int):
    total = x * 0
    for _ in range(n):
        h = total + x
        total = h * float(h)
    return total


def test_a_line_is_marked_once_for_all_its_values() -> None:
    (found,) = record(loop, x=1.0, n=5).departures
    assert found.source == "float(h)" and len(found.steps) == 5 and len(found.inputs) == 1


def helper(v):
    return math.exp(v)


def test_values_from_outside_and_calls_inside() -> None:
    w = Variable(3.0, name="w")
    before = w * 2
    assert record(lambda x: x * float(before), 2.0).departures == ()
    (found,) = record(lambda x: x * float(w) * w, 2.0).departures
    assert found.source == "float(w)"
    (found,) = record(lambda x: x * helper(x), 2.0).departures
    assert found.source == "math.exp(v)"


def test_the_box_the_sentence_and_the_picture_say_so() -> None:
    recording = record(by_math, x=2.0, w=3.0)
    line = recording.departures[0].line
    names = {step.name or step.function: str(step.id) for step in recording.steps}
    shown = readings(recording)
    assert shown["signs"] == {names["h"]: [SIGNS["left"]]}
    sentence = f"Line {line}: `math.sin(h)` left the graph. What is computed from that adds nothing to this gradient."
    assert [shown["nodes"][names[name]]["status"] for name in ("x", "w", "h", "mul")][:3] == [sentence] * 3
    assert shown["nodes"][names["mul"]]["status"] == ""
    told = [text for sign, text in sentences(recording, observations(recording)) if sign == "left"]
    assert told == [sentence.replace("this gradient", "the gradients of x and w")]
    assert told[0] in recording._repr_mimebundle_()["text/plain"]
    html = recording._repr_mimebundle_()["text/html"]
    assert (
        f"Line {line}: <code>math.sin(h)</code> left the graph" in html
        and "adds nothing to the gradients of x and w" in html
    )
    assert "plate wrong" in to_svg(recording)
    assert "left the graph" not in to_svg(record(lambda x: x * np.sin(x), 2.0))


def test_places_elsewhere_are_told_with_their_file(tmp_path: Any) -> None:
    file = tmp_path / "elsewhere.py"
    file.write_text("import math\ndef cut(v):\n    return math.cos(v)\n")
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    recording = record(lambda x: x * space["cut"](x), 2.0)
    assert "elsewhere.py, line 3: `math.cos(v)` left the graph." in recording._repr_mimebundle_()["text/plain"]


def test_hostile_sources_are_text() -> None:
    source = "def f(x):\n    return x * float([x, '<script>alert(1)</script>'][0])\n"
    space: dict[str, Any] = {}
    linecache.cache["<hostile>"] = (len(source), None, source.splitlines(True), "<hostile>")
    exec(compile(source, "<hostile>", "exec"), space)
    recording = record(space["f"], 2.0)
    assert "<script>alert(1)" in recording.departures[0].source
    assert "<script>alert" not in recording._repr_mimebundle_()["text/html"]


def test_many_places_are_counted() -> None:
    lines = "".join([f"    s += float(x) * {i}\n" for i in range(9)])
    space: dict[str, Any] = {}
    exec(f"def f(x):\n    s = 0\n{lines}    return x * s", space)
    recording = record(space["f"], 2.0)
    assert len(recording.departures) == 9
    assert readings(recording)["nodes"]["0"]["status"].endswith(say("left_more", count="6 places"))


def test_a_function_that_returns_a_number_is_told_where_it_left() -> None:
    with pytest.raises(TypeError, match=r"math\.sin\(x\), left the graph; NumPy's functions stay in it"):
        record(lambda x: math.sin(x), 2.0)


def test_only_while_somebody_listens() -> None:
    x, events = Variable(2.0, name="x"), []
    float(x)
    with watch_leaving(events.append):
        y = float(x) + x.item() + x.data
        print(float(x))
    float(x)
    assert y == 6.0 and [event.exit.source for event in events] == ["float(x)", "x.item()", "x.data"]
    assert not listeners and all(isinstance(event, ExitEvent) and event.variable is x for event in events)


def test_a_hook_may_hold_a_value_still() -> None:
    def hook(event: ExitEvent) -> None:
        event.value = 7.0

    with watch_leaving(hook):
        assert [float(Variable(2.0)), Variable(2.0).item()] == [7.0, 7.0]
    assert float(Variable(2.0)) == 2.0


def test_status_of_a_variable_in_checked_mode() -> None:
    x, w = Variable(2.0), Variable(3.0)
    with autolab.check_inplace():
        y = x * math.sin(x) + w
    y.backward()
    line = test_status_of_a_variable_in_checked_mode.__code__.co_firstlineno + 3
    assert x.grad_status == (
        f"It has a gradient. test_departures.py, line {line}: `math.sin(x)` left the graph. What is computed from that "
        "adds nothing to this gradient."
    )
    assert w.grad_status == say("ok")
    with autolab.check_inplace():
        (x * 2).backward()
    assert "left the graph" not in x.grad_status
