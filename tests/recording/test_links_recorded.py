"""Recorded links: their steps say what they are themselves, and only a result has the user's name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autolab import Chain, Link, Sequential, record
from autolab import functions as F
from autolab import links as L
from autolab.recording import Recording

X = np.random.default_rng(0).normal(size=(5, 4))


def calls(r: Recording) -> list[tuple[str | None, str | None]]:
    return [(step.name, step.source) for step in r.steps if step.kind == "call"]


class Own(Link):
    def __init__(self) -> None:
        super().__init__()
        self.l = L.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        z = self.l(x)
        return F.tanh(z)


class OwnChain(Chain):
    def __init__(self) -> None:
        super().__init__(a=L.Linear(4, 3), b=L.Linear(3, 2))

    def forward(self, x: Any) -> Any:
        h = F.relu(self.a(x))
        return self.b(h)


ROW = [("l0(x)", "linear(x, W, b)"), (None, "relu(l0(x))"), (None, "linear(relu(l0(x)), W, b)")]


@pytest.mark.parametrize(
    ("net", "first"),
    [(L.MLP((5, 3)), "l0(x)"), (Sequential(L.Linear(4, 3), F.relu, L.Linear(3, 1)), "[0](x)")],
)
def test_a_recorded_link_says_nothing_of_the_statement_that_records_it(net: Link, first: str) -> None:
    r = record(net, X)
    assert calls(r) == [(name and first, (source or "").replace("l0(x)", first)) for name, source in ROW]
    assert [(s.file, s.line, s.statement) for s in r.steps] == [(None, None, None)] * len(r.steps)
    assert r.steps[0].name == "x", "the first step's name for it"
    assert (r.source, r.file, r.first_line) == (None, None, None), "nobody looks at a net to read AutoLab's code"
    assert str(record(Own(), X).source).startswith("def forward(self")


def test_only_the_result_of_a_call_has_the_name_that_the_user_gave_it() -> None:
    net = L.MLP((5, 3))

    def program(x: Any) -> Any:
        h = net(x)
        return h * h

    r = record(program, X)
    assert calls(r) == [*ROW[:2], ("h", ROW[2][1]), (None, "h * h")]
    assert (r.scopes[0].kind, r.scopes[0].name, r.scopes[0].label) == ("link", "h", "net(x)  # MLP")
    assert [s.label for s in r.scopes[1:]] == ["l0: Linear", "l1: Linear"]
    lines = {r.source.splitlines()[s.line - r.first_line].strip() for s in r.steps if s.source in dict.fromkeys(ROW)}
    assert lines <= {"h = net(x)"}, "the line of the call is where to look"


def test_the_loss_is_the_result_of_a_classifier_though_accuracy_comes_after_it() -> None:
    model = L.Classifier(OwnChain())

    def program(x: Any, t: Any) -> Any:
        loss = model(x, t)
        return loss

    r = record(program, X, np.array([0, 1, 0, 1, 1]))
    assert calls(r) == [
        ("a(x)", "linear(x, W, b)"),
        ("h", "F.relu(self.a(x))"),
        ("b(h)", "linear(h, W, b)"),
        ("loss", "softmax_cross_entropy(b(h), t)"),
        (None, "accuracy(b(h), t)"),
    ]


def test_in_a_link_of_the_users_the_lines_of_its_forward_count() -> None:
    r = record(Own(), X)
    assert calls(r) == [("z", "linear(x, W, b)"), (None, "F.tanh(z)")]
    assert [(s.name, s.label) for s in r.scopes] == [(None, "Own"), ("z", "l(x)  # Linear")]
    assert r.source.startswith("    def forward(self, x: Any)") or r.source.startswith("def forward(self, x: Any)")
    written = [r.source.splitlines()[s.outer_line - r.first_line].strip() for s in r.steps if s.kind == "call"]
    assert written == ["z = self.l(x)", "return F.tanh(z)"]


def test_a_name_goes_to_each_call_of_the_same_link_and_to_no_step_of_the_users() -> None:
    layer = L.Linear(4, 4)
    row = Sequential(layer, lambda v: v * 2.0)

    def program(x: Any) -> Any:
        a = layer(x)
        b = layer(a)
        c = row(b)
        return c + 1.0

    r = record(program, X)
    assert [(name, source) for name, source in calls(r)] == [
        ("a", "linear(x, W, b)"),
        ("b", "linear(a, W, b)"),
        (None, "linear(b, W, b)"),
        (None, "v * 2.0"),
        (None, "c + 1.0"),
    ]
    assert r.scopes[-2].name == "c" or "c" in [s.name for s in r.scopes]


def test_a_recurrent_link_names_its_result_and_not_its_state() -> None:
    cell = L.GRUCell(4, 3)

    def program(x: Any) -> Any:
        h = cell(x)
        g = cell(x, h)
        return h + g

    r = record(program, X)
    assert {step.name: step.function for step in r.steps if step.name in ("h", "g")} == {"h": "add", "g": "add"}
    assert [r.steps[i].name for i in (o.step for o in r.steps[r.outputs[0]].operands)] == ["h", "g"]


def test_opened_functions_in_a_link_say_what_they_are_too() -> None:
    r = record(L.MLP((3,)), X, options={"open": "linear"})
    assert [source for _, source in calls(r)][-1].endswith("+ b")
    assert "r" not in [step.name for step in r.steps]


def test_a_link_whose_author_wrote_call_instead_of_forward() -> None:
    class Doubling(L.Linear):
        def __call__(self, values):
            return super().__call__(values) * 2

    r = record(Doubling(2, 3), np.ones((1, 2)))
    assert [step.name for step in r.steps if step.kind == "input"] == ["values"]
    assert "super().__call__(values) * 2" in (r.source or "")
