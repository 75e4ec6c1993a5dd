"""Runs that an error ends: the exception reaches the caller as it is, and carries the recording up to there."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, record
from autolab import functions as F
from autolab.recording import Recording, find_nonfinite, last_recording
from autolab.views import mimebundle
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.listing import listing, unreached
from autolab.views.graph.scene import scene, structure
from autolab.views.steps.static import to_text


def failing(fn: Any, *args: Any, **options: Any) -> Recording:
    """The recording that what ``fn`` raises carries; everything that shows it must work."""
    with pytest.raises(BaseException) as caught:  # some are no Exception
        record(fn, *args, **options)
    recording = last_recording(caught.value)
    assert recording is not None and recording.raised is not None
    shown_everywhere(recording)
    return recording


def shown_everywhere(recording: Recording) -> None:
    bundle = mimebundle(recording)
    assert "text/html" in bundle, bundle["text/plain"]
    assert unreached(recording) in bundle["text/html"]
    assert "<svg" in to_svg(recording)
    json.dumps(recording.to_json(), allow_nan=False)
    assert structure(recording) == structure(recording)
    assert str(recording.to_graphviz().source)
    listing(recording, {})
    find_nonfinite(recording)


def line_of(fn: Any, below: int) -> int:
    return fn.__code__.co_firstlineno + below


def names(recording: Recording) -> list[str | None]:
    return [recording.steps[i].name for i in recording.raised.operands]


def times(h: Variable, w: Variable) -> Variable:
    scaled = h * 2
    return scaled @ w


def test_inside_a_nested_call() -> None:
    def program(x, w):
        h = x + 1
        return times(h, w)

    r = failing(program, [1.0, 2.0], np.ones((3, 2)))
    assert [step.source or step.name for step in r.steps] == ["x", "w", "x + 1", "h * 2"]
    raised = r.raised
    assert (raised.type, raised.phase, raised.function) == ("ValueError", "forward", "matmul")
    assert (raised.line, raised.outer_line) == (line_of(times, 2), line_of(program, 2))
    assert (raised.file, raised.statement) == ("test_raised.py", "return scaled @ w")
    assert names(r) == ["scaled", "w"] and r.outputs == (3,)
    assert all(step.grad is None for step in r.steps) and r.backward == () and not r.has_returned
    assert {step.status for step in r.steps} == {"ended"}
    assert (
        not any([node["output"] for node in scene(r)["nodes"]]) and "cut off by ValueError" in scene(r)["description"]
    )


def test_in_the_third_pass_of_a_loop() -> None:
    def program(x):
        h = x * 1
        for t in range(5):
            h = h + 1
            if t == 2:
                h = h / (t - 2)
                raise OverflowError("third")
        return h

    with np.errstate(all="ignore"):
        r = failing(program, 2.0)
    assert r.raised.rounds == ("t = 2",) and r.raised.line == line_of(program, 6)
    assert [scope.label for scope in r.scopes if scope.kind == "pass"] == ["t = 0", "t = 1", "t = 2"]
    assert r.unreached == (line_of(program, 7),)  # inside the loop another round may have been elsewhere
    assert "(t = 2) raised OverflowError: third. The graph ends there." in to_text(r)


def test_the_round_is_known_behind_a_finally_too() -> None:
    w = Variable(np.ones((3, 2)))

    def program(x):
        try:
            for t in range(1, 3):  # noqa: B007  # t is what the round is called by
                y = x @ w
        finally:
            n = [x]  # noqa: F841  # it goes on to another instruction, outside the loop
        return y

    r = failing(program, [1.0, 2.0])
    assert r.raised.rounds == ("t = 1",) and r.raised.line == line_of(program, 3)
    assert r.raised.function == "matmul" and len(r.raised.operands) == 2


def test_whoever_listens_and_raises_is_no_function_that_was_given_values() -> None:
    def hook(event):
        raise TimeoutError("enough")

    def program(x):
        return x * 2

    with autolab.observe(hook):
        r = failing(program, 1.0)
    assert (r.raised.type, r.raised.function, r.raised.operands) == ("TimeoutError", None, ())


class Picky(FunctionNode):
    def forward(self, inputs):
        (x,) = inputs
        if x.sum() > 0:
            raise LookupError("too much")
        return (x * 2,)

    def backward(self, indexes, grads):
        return (grads[0] * 2,)


def test_in_the_forward_of_a_function_that_a_user_wrote() -> None:
    def program(x):
        h = x + 1
        (y,) = Picky().apply((h,))
        return y

    r = failing(program, [1.0, 2.0])
    assert (r.raised.function, names(r)) == ("Picky", ["h"])
    assert r.raised.statement == 'raise LookupError("too much")' and r.raised.outer_line == line_of(program, 2)
    told = to_text(r)
    assert f"called in line {line_of(program, 2)}" in told and "Picky was given h = [2, 3]." in told


class Backless(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, grads):
        raise ArithmeticError("no derivative")


def test_in_backward_all_values_are_there_and_the_rule_is_named() -> None:
    def program(x):
        (h,) = Backless().apply((x,))
        y = h * h
        return y + 1

    r = failing(program, 3.0)
    assert r.raised.phase == "backward" and r.has_returned
    assert (r.raised.function, names(r)) == ("Backless", ["h"])
    assert r.raised.statement == 'raise ArithmeticError("no derivative")'
    assert float(r["y"].value.values) == 36 and r.outputs == (3,)
    assert float(r["y"].grad.values) == 1 and r["x"].grad is None and r["x"].status == "ended"
    assert "the gradient rule of Backless raised ArithmeticError: no derivative" in to_text(r)
    assert [step.of for step in r.backward] == [3, 2]


def test_a_declared_rule_that_raises_is_named_with_the_line_of_its_step() -> None:
    @autolab.primitive(x=lambda g: {}["missing"])
    def halved(xp, x):
        return x / 2

    def program(x):
        h = halved(x * 1.0)
        return h + 1

    r = failing(program, 3.0)
    assert (r.raised.type, r.raised.phase, r.raised.function, names(r)) == ("KeyError", "backward", "halved", ["h"])
    assert r.raised.statement == '@autolab.primitive(x=lambda g: {}["missing"])'


def test_a_rule_that_raises_only_at_second_order_keeps_the_gradients_of_the_first() -> None:
    class Once(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, indexes, grads):
            (x,) = self.get_retained_inputs()
            if autolab.config.enable_backprop and x.requires_grad:
                raise RuntimeError("once only")
            return (grads[0] * 2 * x,)

    r = failing(lambda x: Once().apply((x,))[0], 3.0, options={"order": 2})
    assert r.raised.phase == "backward" and float(r["x"].grad.values) == 6


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])  # one of pytest's would hold the graph for ever
def test_what_ends_a_program_passes_and_is_kept(error: type[BaseException]) -> None:
    def program(x):
        h = x * 2  # noqa: F841  # a name in the picture
        raise error

    r = failing(program, 1.0)
    assert r.raised.type == error.__name__ and r["h"].value is not None


def test_an_exception_of_a_program_s_own_that_is_no_error_is_left_alone() -> None:
    class Stop(BaseException):
        pass

    def program(x):
        raise Stop

    with pytest.raises(Stop) as caught:
        record(program, 1.0)
    assert last_recording(caught.value) is None


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Guarded(Exception):
    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)

    def __bool__(self) -> bool:
        return False


@pytest.mark.parametrize("kind", [Silent, Guarded])
def test_odd_exceptions(kind: type[Exception]) -> None:
    def program(x):
        h = x * 2  # noqa: F841  # a name in the picture
        raise kind

    r = failing(program, 1.0)
    assert r.raised.type == kind.__name__ and r["h"].value is not None
    assert ("its message could not be made: RuntimeError" in r.raised.message) == (kind is Silent)


def test_no_step_at_all() -> None:
    def nothing():
        raise ValueError("at once")

    def at_once(x):
        raise ValueError("at once")

    r = failing(nothing)
    assert r.steps == () and r.outputs == ()
    assert to_text(r).startswith("Computation graph of nothing(): 0 inputs, 0 steps, cut off by ValueError.\nLine ")
    r = failing(at_once, 1.0)
    assert [step.kind for step in r.steps] == ["input"] and r.outputs == ()
    shown = scene(r)
    assert len(shown["nodes"]) == 1 and not shown["nodes"][0]["output"]


def test_generators_that_fail_while_they_are_used() -> None:
    def parts(x):
        yield x * 2
        yield x * 3
        raise EOFError("drained")

    def program(x):
        total = x * 0
        for part in parts(x):
            total = total + part
        return total

    r = failing(program, 2.0)
    assert float(r["total"].value.values) == 10 and r.raised.statement == 'raise EOFError("drained")'
    assert r.raised.outer_line == line_of(program, 2)


def test_leaves_that_only_the_failing_call_uses_are_in_the_picture() -> None:
    weights = Variable(np.ones((3, 2)), name="weights")

    def program(x):
        return x @ weights

    r = failing(program, [1.0, 2.0])
    assert names(r) == ["x", "weights"] and r["weights"].kind == "leaf"


def test_what_is_returned_wrongly_carries_the_recording_too() -> None:
    def forgetful(x):
        h = x * 2  # noqa: F841  # a name in the picture

    r = failing(forgetful, 1.0)
    assert r.raised.line is None and r["h"].value is not None
    assert "The run raised TypeError: record: forgetful returned None" in to_text(r)


def test_wrong_arguments_carry_nothing() -> None:
    for call in (lambda: record(3.0), lambda: record(lambda x: x, 1.0, options={"upstream": np.ones(3)})):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert last_recording(caught.value) is None


def test_it_is_the_same_exception_with_the_user_s_frames() -> None:
    error = ValueError("mine")

    def program(x):
        raise error

    for _ in range(3):
        with pytest.raises(ValueError, match="mine") as caught:
            record(program, 1.0)
        assert caught.value is error
    assert len(error.__notes__) == 2  # Python itself adds to the traceback of one that is raised again


def test_last_recording_asks_for_the_exception_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("sys.last_value", raising=False)
    assert last_recording() is None
    with pytest.raises(ZeroDivisionError) as caught:
        record(lambda x: x * (1 // 0), 1.0)
    monkeypatch.setattr("sys.last_value", caught.value, raising=False)
    assert last_recording() is last_recording(caught.value) is not None
    try:
        raise KeyError
    except KeyError:
        assert last_recording() is None


def test_another_recording_inside_does_not_confuse_the_outer_one() -> None:
    def inner(a):
        b = a * 5  # noqa: F841  # a name in the picture
        raise ValueError("deep")

    def program(x):
        h = x * 2
        record(inner, 1.0)
        return h

    r = failing(program, 1.0)
    assert r.function == "program" and [step.name for step in r.steps] == ["x", "h", "a", "b"]
    assert r.raised.line == line_of(inner, 2) and r.raised.outer_line == line_of(program, 2)


def test_the_recording_keeps_no_graph_alive() -> None:
    kept: list[weakref.ref[Variable]] = []

    def program(x):
        h = x * 2
        kept.append(weakref.ref(h))
        raise ValueError("end")

    r = failing(program, 1.0)
    gc.collect()
    assert r.steps and kept[0]() is None


def test_the_line_that_raised_and_those_behind_it_are_marked_in_the_source() -> None:
    def program(x):
        h = x * 2
        y = h @ h.reshape(7)
        w = y + 1
        return w

    r = failing(program, [1.0, 2.0])
    first = line_of(program, 0)
    shown = listing(r, {})
    assert shown["marks"] == {
        str(first + 2): "raised ValueError",
        str(first + 3): "not reached",
        str(first + 4): "not reached",
    }
    assert shown["raised"] == first + 2
    html = mimebundle(r)["text/html"]
    assert f"Lines {first + 3} to {first + 4} were not reached." in html and "raised ValueError" in html


def test_names_and_messages_of_users_are_data() -> None:
    def program(x):
        raise ValueError("<script>alert(1)</script> $x$ \x1b[31m")

    html = mimebundle(failing(program, 1.0))["text/html"]
    assert "<script" not in html and "\x1b" not in html and "&lt;script&gt;" in html


def test_two_runs_that_end_in_different_ways_have_different_ids() -> None:
    def program(x, text: str):
        raise ValueError(text)

    a, b, c = [failing(program, 1.0, text) for text in ("one", "two", "one")]
    assert a.id != b.id and a.id == c.id


def test_a_page_can_be_written(tmp_path: Any) -> None:
    def program(x):
        h = F.exp(x)
        return h.reshape(7)

    r = failing(program, [1.0, 2.0])
    autolab.export_html(r, tmp_path / "ended.html")
    assert "led to the error" in (tmp_path / "ended.html").read_text()
    r.save(tmp_path / "ended.svg")
    assert "The graph ends" in (tmp_path / "ended.svg").read_text()
