"""What a diagnosis is as an object, how it shows itself, and that it leaves the program as it was."""

from __future__ import annotations

import abc
import pickle
import re
import runpy

import numpy as np
import pytest
from helpers.checkout import ROOT

import autolab
from autolab import Variable, optimizers
from autolab import functions as F
from autolab import links as L
from autolab.analysis.diagnosis import examination
from autolab.analysis.diagnosis.own import OwnWorkbench
from autolab.analysis.diagnosis.report import CodeLine
from autolab.analysis.diagnosis.rules import FOLLOWS, RULES

X, T = np.random.default_rng(0).normal(size=(6, 2)), np.array([0, 1, 2, 0, 1, 2])


def net(*more):
    return L.Sequential(L.Linear(2, 4), F.relu, L.Linear(4, 3), *more)


def loss(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


def test_a_finding_says_what_where_and_what_to_write():
    (found,) = autolab.diagnose(loss, net(F.softmax), X, T).findings
    assert (found.kind, found.certainty, found.file) == ("double_softmax", "wrong", "test_diagnosis_report.py")
    assert found.line == loss.__code__.co_firstlineno + 1
    assert "sum to 1" in found.message and "without the softmax" in found.remedy


def test_a_healthy_program_gets_nothing_found_with_what_was_looked_at():
    diagnosis = autolab.diagnose(loss, net(), X, T)
    looked, missing = diagnosis.looked_at, diagnosis.not_looked_at
    assert diagnosis and diagnosis.findings == () and len(looked) + len(missing) == len(RULES)
    assert str(diagnosis) == (
        f"loss: nothing found\nlooked at {len(looked)} things: .looked_at lists them; {len(missing)} could not be: "
        ".not_looked_at says why"
    )
    assert looked[:2] == ("errors", "NaN and infinity") and "whether examples influence each other" in looked
    assert "whether the future is seen: only with causal=True" in missing
    assert "sizes of updates: give a training step, and steps=20" in missing


def test_what_could_not_be_tried_was_not_looked_at():
    def of_one_number(model, x):
        return F.sum(model(x) ** 2)

    missing = autolab.diagnose(of_one_number, net(), X).not_looked_at
    assert "whether examples influence each other: no step compares predictions with targets" in missing


def test_what_is_registered_in_a_diagnosed_program_stays_there():
    class Layer(abc.ABC):  # noqa: B024
        pass

    class Own:
        pass

    class Other:
        pass

    Layer.register(Own)

    def loss(model, x, t):
        Layer.register(Other)
        return F.softmax_cross_entropy(model(x), t)

    autolab.diagnose(loss, net(), X, T)
    assert issubclass(Own, Layer) and not issubclass(Other, Layer)


def test_no_two_findings_explain_each_other_away():
    def behind(kind, seen):
        for other in FOLLOWS.get(kind, set()) - seen:
            seen |= {other} | behind(other, seen | {other})
        return seen

    assert [kind for kind in FOLLOWS if kind in behind(kind, set())] == []


def test_html_and_text_say_the_same_and_names_of_users_are_data():
    def loss(model, x, t):
        return F.softmax_cross_entropy(model(x), t)

    loss.__name__ = "<script>alert(1)</script>"
    diagnosis = autolab.diagnose(loss, net(F.softmax), X, T)
    html = diagnosis._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "double_softmax" in html and "What was looked at" in html and "`" not in html
    assert sorted(diagnosis._repr_mimebundle_()) == ["text/html", "text/plain"]


def _said(rate, hook=None):
    model = net()
    optimizer = optimizers.SGD(rate).setup(model)
    if hook is not None:
        optimizer.add_hook(hook)

    def step():
        value = F.softmax_cross_entropy(model(X), T)
        model.cleargrads()
        value.backward()
        optimizer.update()
        return value

    (finding,) = autolab.diagnose(step, steps=8).findings
    assert finding.kind == "learning_rate"
    return finding.message


def test_a_rate_of_zero_is_said_and_a_hook_is_blamed_for_what_it_does():
    assert _said(0.0).endswith("the learning rate is too small, or 0.")
    assert "a hook of the optimizer makes it that small" in _said(0.2, optimizers.GradientClipping(1e-7))
    assert _said(1e-7).endswith("the learning rate is too small.")


def test_a_graph_that_cannot_be_recorded_is_a_fact(monkeypatch):
    def refused(*_):
        raise ValueError("not this one")

    monkeypatch.setattr(OwnWorkbench, "record", refused)
    (fact,) = autolab.diagnose(loss, net(), X, T).facts
    assert fact == "The graph could not be recorded, and only updates were looked at: not this one"


def test_an_error_of_a_plain_number_says_where_the_graph_ends():
    def hits(model, x, t):
        scores = model(x)
        share = (scores > 0.5).mean()
        share.backward()

    (found,) = autolab.diagnose(hits, net(), X, T).findings
    place = f"The graph ends at `linear` in `scores = model(x)` in line {hits.__code__.co_firstlineno + 1}."
    assert found.kind == "cut_gradient" and found.message.endswith(place)


def test_steps_in_which_nothing_is_differentiated_are_a_fact():
    told = "No parameter changes in 10 steps, and the program calls no backward()."
    assert told in autolab.diagnose(loss, net(), X, T, steps=10).facts
    assert told not in autolab.diagnose(loss, net(), X, T).facts


def test_a_program_that_needs_arrays_gets_them():
    def made_anew(model, x, t):
        assert type(x) is np.ndarray
        return F.softmax_cross_entropy(model(Variable(x)), t)

    diagnosis = autolab.diagnose(made_anew, net(), X, T)
    assert diagnosis and not diagnosis.facts and diagnosis.recording is not None
    fn, program = diagnosis._origin.up_to_loss()
    assert fn.__name__ == "made_anew" and autolab.record(fn, *program.args).steps[-1].function is not None


def test_explore_opens_the_graph_at_the_first_finding(tmp_path, monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    diagnosis = autolab.diagnose(loss, net(F.softmax), X, T)
    view = diagnosis.explore()
    assert view.recording.steps[view.look["selected"]].function == "softmax"
    view.close()
    with pytest.raises(ValueError, match="this is a copy"):
        pickle.loads(pickle.dumps(diagnosis)).explore()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: autolab.diagnose(3), "diagnose: fn is .*; expected a function"),
        (lambda: autolab.diagnose(loss, net(), X, T, steps=0), "steps is 0; expected a whole number"),
        (lambda: autolab.diagnose(lambda model, x: model(next(x)), net(), (x for x in [X])), "which cannot be copied"),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_a_loss_that_is_there_already_is_answered_with_the_line_to_write():
    model = net()

    value = F.mean(model(X))
    value = F.softmax_cross_entropy(model(X), T)  # of six examples
    value.backward()
    with pytest.raises(
        TypeError, match=r"^diagnose: fn is a Variable; .*step: diagnose\(lambda: F.softmax_cross_"
    ) as named:
        autolab.diagnose(value)
    assert str(named.value).endswith("_entropy(model(X), T))")
    with pytest.raises(TypeError, match=r"step: diagnose\(lambda: loss_fn\(model\(x\), t\)\)$"):
        autolab.diagnose(F.mean(model(X)))


def test_what_an_earlier_cell_has_written_is_found():
    cells = [
        "error = F.sum(model(X))",
        "error = loss(\n    model, X, T)",
        "error = loss(model, X, T)\nerror.backward()",
    ]
    for ran, said in ((1, "F.sum(model(X))"), (2, "loss_fn(model(x), t)"), (3, "loss(model, X, T)")):
        notebook = {
            "autolab": autolab,
            "F": F,
            "model": net(),
            "X": X,
            "T": T,
            "loss": loss,
            "In": [*cells[:ran], "now"],
        }
        exec(cells[ran - 1], notebook)
        with pytest.raises(TypeError, match=re.escape(f"diagnose(lambda: {said})") + "$"):
            exec("autolab.diagnose(error)", notebook)


def test_a_model_alone_is_answered_with_the_line_to_write():
    for model in (net(), L.Sequential(L.Flatten(), L.Linear(2, 1))):
        (found,) = autolab.diagnose(model).findings
        assert found.kind == "raised"
        assert found.remedy == "Give it the loss of the model: autolab.diagnose(lambda: loss_fn(model(x), t))."


def test_places_are_whole_numbers_without_a_gradient():
    scores = autolab.Variable([1.0, 2.0])

    def of_a_place(scores):
        place = scores.argmax()
        return place * 2.0

    def of_places(model, x, t):
        return F.mean((model(x).argmax(axis=1) - t) ** 2.0)

    def differentiated(scores):
        (scores.argmax() * 2.0).backward()

    for fn, args in ((of_a_place, (scores,)), (of_places, (net(), X, T)), (differentiated, (scores,))):
        (found,) = autolab.diagnose(fn, *args).findings
        assert (found.kind, found.line) == ("cut_gradient", fn.__code__.co_firstlineno + 1)
        assert "argmax" in found.message and "gradient" in found.remedy

    def counted(model, x, t):
        scores = model(x)
        counted.right = (scores.argmax(axis=1) == t).mean()
        return F.softmax_cross_entropy(scores, t)

    assert autolab.diagnose(counted, net(), X, T)


def test_what_the_function_reads_around_it_is_found_and_stays_as_it_was():
    model, history = net(), []
    optimizer = optimizers.SGD(lr=0.1).setup(model)

    def step():
        loss(model, X, T).backward()
        optimizer.update()
        history.append(1)

    before = [p.array.copy() for p in model.params()]
    (found,) = autolab.diagnose(step, steps=5).findings
    assert found.kind == "gradients_accumulate"
    assert history == [] and optimizer.t == 0 and all(p.grad is None for p in model.params())
    assert all([np.array_equal(a, p.array) for a, p in zip(before, model.params(), strict=True)])


def test_one_pass_costs_at_most_five_runs(monkeypatch):
    runs = []
    own = OwnWorkbench.record
    monkeypatch.setattr(OwnWorkbench, "record", lambda *given: runs.append(1) or own(*given))
    model = L.Sequential(L.Linear(2, 4), F.relu, L.Dropout(0.5), L.Linear(4, 3))
    autolab.diagnose(loss, model, X, T, causal=True)
    assert 1 <= len(runs) <= 4  # and one that is not recorded


def test_an_error_of_the_program_is_told_with_its_line():
    def broken(model, x, t):
        h = model(x)
        return F.sum(h.reshape(7))

    (found,) = autolab.diagnose(broken, net(), X, T).findings
    assert (found.kind, found.line) == ("raised", broken.__code__.co_firstlineno + 2)


def test_a_program_without_data_or_without_examples_is_looked_at():
    w, c = Variable(np.ones(3)), L.Linear(3, 4)

    def of_its_own():
        return F.mean((w - Variable(np.arange(8.0))[0:3]) ** 2)

    def of_classes(x, t):
        return F.softmax_cross_entropy(c(x), t)

    assert autolab.diagnose(of_its_own).looked_at
    assert autolab.diagnose(of_classes, np.zeros((0, 3), np.float32), np.zeros(0, np.int64)).looked_at


def test_a_rule_that_fails_is_named_and_hides_nothing(monkeypatch):
    def broken(e):
        yield e.found("uphill", "Before.", "Fix it.", CodeLine())
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(examination, "RULES", (("the sky", lambda e: "", broken), *RULES))
    model = L.Sequential(L.Linear(2, 3), F.softmax)
    diagnosis = autolab.diagnose(loss, model, X, T)
    assert {found.kind for found in diagnosis.findings} == {"uphill", "double_softmax"}
    assert diagnosis.facts == (
        "Not looked at because of an error in AutoLab: the sky (ZeroDivisionError: division by zero)",
    )
    assert "the sky" not in diagnosis.looked_at and diagnosis.not_looked_at[0] == "the sky: an error in AutoLab"


def test_what_can_be_read_only_once_is_told():
    batches = ((X, T) for _ in range(9))
    model = net()
    diagnosis = autolab.diagnose(lambda: loss(model, *next(batches)))
    assert diagnosis.facts == ("`batches` can be read only once, and these runs have read from it.",)
    assert len(list(batches)) < 9
    several = iter([(X, T)] * 9)
    assert autolab.diagnose(lambda: loss(model, *next(several))).facts == () and len(list(several)) == 9


def test_the_programs_of_the_page_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "diagnose.md").read_text("utf-8")
    pairs = re.findall(r"```python\n([^`]*)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(pairs) == 3
    for program, shown in pairs:
        (tmp_path / "network.py").write_text(program, "utf-8")
        runpy.run_path("network.py")
        assert re.sub(r"in [\d.]+ m?s", "in 56 ms", capsys.readouterr().out) == shown


def test_an_interrupt_leaves_what_classes_hold_as_it_was():
    class Log:
        lines: list[int] = []  # noqa: RUF012

    def loss(model, x):
        Log.lines.append(1)
        Log.last = model(x)  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        autolab.diagnose(loss, net(), X)
    assert Log.lines == [] and not hasattr(Log, "last")
