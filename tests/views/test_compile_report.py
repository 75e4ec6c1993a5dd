"""What a compiler does is told beside what is written: left out, shared, into buffers, as it is."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L
from autolab import optimizers as O
from autolab.transforms.compiling import CompileWarning
from autolab.views.draw.messages import say


def step_and_report() -> tuple[object, str, str]:
    net = L.Linear(2, 3)
    optimizer = O.SGD(lr=0.1).setup(net)

    @autolab.compile
    def step(x: np.ndarray) -> Variable:
        net.cleargrads()
        y = net(x)
        F.exp(y)
        loss = F.sum(F.tanh(y) * F.tanh(y))
        loss.backward()
        optimizer.update()
        return loss

    for i in range(5):
        step(np.full((4, 2), float(i)))
    report = step.report()
    bundle = report._repr_mimebundle_()
    return report, bundle["text/html"], bundle["text/plain"]


def test_each_call_has_its_fate() -> None:
    report, _, _ = step_and_report()
    calls = {}
    for call in report.programs[0].calls:  # type: ignore[attr-defined]
        calls.setdefault(call.name, []).append(call)
    assert [call.fate for call in calls["exp"]] == ["dropped"]
    assert [call.fate for call in calls["tanh"]] == ["buffer", "same"]
    assert [call.fate for call in calls["SGD.update"]] == ["update"]
    rows = report.programs[0].calls  # type: ignore[attr-defined]
    same = calls["tanh"][1]
    assert rows[same.number - 1] is calls["tanh"][0]
    assert same.line[0] == __file__ and same.line[1] - calls["exp"][0].line[1] == 1


def test_it_is_told_as_a_table_and_as_text() -> None:
    report, html, text = step_and_report()
    for words in (say("compile.dropped"), say("compile.update")):
        assert words in html and words in text
    assert "<s><code>exp</code></s>" in html and str(report) == text
    assert "Its fastest run took" in text and "buffers of" in text
    for line in ("loss = F.sum(F.tanh(y) * F.tanh(y))", "y = net(x)"):  # the user's, above what it calls in each pass
        assert html.count(line) == text.count(line) == 2
    assert html.count("loss.backward()") == text.count("loss.backward()") == 1


def squared(x: Variable) -> Variable:
    h = F.tanh(x)
    return F.mean(h * h)


def test_a_step_of_the_backward_pass_is_at_the_line_that_it_differentiates() -> None:
    compiled = autolab.compile(squared)
    for i in range(3):
        compiled(Variable(np.full(4, float(i)))).backward()
    calls = compiled.report().programs[0].calls
    first = squared.__code__.co_firstlineno
    passes = {back: {c.line[1] - first for c in calls if c.line and c.is_backward is back} for back in (False, True)}
    assert passes == {False: {1, 2}, True: {1, 2}}
    order = [call.line[1] for call in calls if call.line and call.is_backward]
    assert order == sorted(order, reverse=True)
    assert str(compiled.report()).count(say("compile.backward", line=f"{first + 1}: h = F.tanh(x)")) == 1


def test_names_are_data_and_refusals_are_told() -> None:
    def odd(x: np.ndarray) -> float:
        return float(x[0])

    odd.__name__ = "<b>odd</b>"
    compiled = autolab.compile(odd)
    with pytest.warns(CompileWarning):
        compiled(np.ones(2))
    html = compiled.report()._repr_mimebundle_()["text/html"]
    assert "<b>" not in html and say("compile.refused", why=compiled.refusals[0]) in html
