"""observe(): every step, in order, to whom it concerns."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.engine.modes import watchers
from autolab.engine.observe import BackwardEvent, ForwardEvent, observe
from autolab.engine.source import caller


class Twice(FunctionNode):
    def forward(self, inputs):
        return inputs[0] * 2, inputs[0] + 1

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0] * 2.0 if grad_outputs[0] is not None else None,)


def test_forward_events() -> None:
    events: list[ForwardEvent] = []
    x, n = Variable([1.0, 2.0]), Variable(np.array([1, 2]))
    with observe(events.append):
        y = F.tanh(x) * 2.5
        z = F.sum(y + n, axis=0, keepdims=True)
        a, b = Twice().apply((z, 3.0))
        F.exp(np.ones(2))  # arrays alone are no step
    assert [e.function.name for e in events] == ["tanh", "mul", "add", "sum", "Twice"]
    assert all(isinstance(e, ForwardEvent) and 0 <= e.seconds < 10 for e in events)
    tanh, mul, add, total, twice = events
    assert tanh.inputs == (x,) and tanh.outputs[0] is mul.inputs[0]
    assert mul.inputs[1] == 2.5 and mul.outputs[0] is y and mul.attributes == {}
    assert add.inputs[1] is n
    assert total.attributes == {"axis": 0, "keepdims": True} and total.outputs == (z,)
    assert twice.inputs[0] is z and twice.outputs[0] is a and twice.outputs[1] is b


def test_observed_steps_give_the_same_graph() -> None:
    def program(x: Variable) -> tuple[Variable, ...]:
        y = F.sum(x * 2 + x / (x + 1.5) - F.sin(x) ** 2 + F.transpose(x) @ x)
        return y, grad(y, x, create_graph=True)

    x = Variable(np.linspace(0.5, 2, 9).reshape(3, 3))
    plain = program(x)
    with observe(lambda event: None):
        observed = program(x)
    for one, other in zip(plain, observed, strict=True):
        np.testing.assert_array_equal(one.data, other.data)
        np.testing.assert_array_equal(grad(F.sum(one), x).data, grad(F.sum(other), x).data)


def test_backward_events() -> None:
    x = Variable([1.0, 2.0])
    y = x * x
    a, _ = Twice().apply((y,))
    z = F.sum(a)
    events: list[BackwardEvent] = []
    with observe(events.append):
        z.backward()
    assert all(isinstance(e, BackwardEvent) for e in events if not isinstance(e, ForwardEvent))
    steps = [e for e in events if isinstance(e, BackwardEvent)]
    assert [type(e.node.function).__name__ for e in steps] == ["Primitive", "_Select", "Twice", "Primitive"]
    assert all(0 <= e.seconds < 10 for e in steps)
    total, _, twice, mul = steps
    assert total.upstream == 1.0 and total.gradients[0].tolist() == [1.0, 1.0]
    assert twice.upstream[0].tolist() == [1.0, 1.0] and 1 not in twice.upstream
    assert [g.tolist() for g in twice.gradients] == [[2.0, 2.0]]
    assert mul.upstream.tolist() == [2.0, 2.0]
    assert [g.tolist() for g in mul.gradients] == [[2.0, 4.0], [2.0, 4.0]]
    assert len(mul.gradients) == len(mul.node.parents)
    np.testing.assert_array_equal(x.grad.data, [4.0, 8.0])


def test_under_create_graph_gradients_are_variables() -> None:
    x, events = Variable(2.0), []
    y = x**3
    with observe(events.append):
        g = grad(y, x, create_graph=True)
    last = events[-1]
    assert isinstance(last, BackwardEvent) and last.gradients[0].item() == g.item() == 12.0
    assert isinstance(last.upstream, Variable) and isinstance(last.gradients[0], Variable)
    assert {e.function.name for e in events[:-1]} >= {"mul", "pow"}  # the rule's own steps


def test_hooks_nest_and_leave() -> None:
    x = Variable(1.0)
    heard: list[str] = []
    with observe(lambda e: heard.append("outer")):
        x * 2
        with observe(lambda e: heard.append("inner")):
            x * 2
        x * 2
    x * 2
    assert heard == ["outer", "outer", "inner", "outer"] and not watchers


def test_nobody_listening_means_no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("an event was made")

    for module in ("engine.primitive", "authoring.base"):
        monkeypatch.setattr(f"autolab.{module}.ForwardEvent", refuse)
    monkeypatch.setattr("autolab.engine.backward.BackwardEvent", refuse)
    x = Variable([1.0, 2.0])
    y = F.sum(Twice().apply((x * 2 + x**2,))[0])
    y.backward()
    grad(y, x, create_graph=True)
    with pytest.raises(AssertionError, match="an event was made"), observe(lambda e: None):
        x * 2


class Stop(Exception):
    pass


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("after", range(4))
def test_a_hook_that_raises_ends_the_pass_and_touches_nothing(create_graph: bool, after: int) -> None:
    x, w = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    h = x * w
    y = F.sum(F.tanh(h) + h)
    before = x.grad = np.array([7.0, 7.0])
    steps = [0]

    def hook(event: object) -> None:
        if isinstance(event, BackwardEvent):
            steps[0] += 1
            if steps[0] > after:
                raise Stop

    for call in (lambda: y.backward(create_graph=create_graph, retain_grad=True), lambda: grad(y, (x, w))):
        steps[0] = 0
        with pytest.raises(Stop), observe(hook):
            call()
        np.testing.assert_array_equal(x.grad.data, before)
        assert w.grad is None and h.grad is None and y.grad is None
    y.backward()
    np.testing.assert_allclose(w.grad.data, x.data * (2 - np.tanh(h.data) ** 2), rtol=1e-15)


def test_a_hook_that_raises_in_forward_leaves_no_listener() -> None:
    def hook(event: object) -> None:
        raise Stop

    x = Variable(1.0)
    for call in (lambda: x * 2, lambda: x**2, lambda: Twice().apply((x,))):
        with pytest.raises(Stop), observe(hook):
            call()
    assert not watchers and (x * 2).requires_grad


def test_a_hook_may_compute() -> None:
    x, heard = Variable(2.0), []

    def hook(event: object) -> None:
        heard.append((event.outputs[0] * 2 + 1).item())

    with observe(hook):
        y = x * 3
        y * 1
    assert heard == [13.0, 13.0]


def test_the_caller_is_the_users_line() -> None:
    lines = []
    x = Variable([[2.0]])
    with observe(lambda event: lines.append(caller().f_lineno)):
        start = inspect.currentframe().f_lineno
        x * 2
        np.exp(x)
        x.sum()
        x @ x
        Twice().apply((x,))
    assert [line - start for line in lines] == [1, 2, 3, 4, 5]


def test_observers_are_no_concern_of_no_grad() -> None:
    events = []
    with autolab.no_grad(), observe(events.append):
        y = Variable(1.0) * 2
    assert events[0].outputs == (y,) and not y.requires_grad
