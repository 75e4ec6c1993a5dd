"""All parts of a report say the same: the headline, the inputs, the findings, HTML, the lens and what it measures."""

from __future__ import annotations

import re

import numpy as np
from check_subjects import MISLEADING, node
from helpers.each import each
from more_wrong_backwards import MORE
from wrong_backwards import CULPRITS, inputs_of

from autolab import check_gradients
from autolab.gradcheck import taylor_test
from autolab.gradcheck.checks.taylor import study
from autolab.views.check.contents import chosen, curves, first_input, verdict, verdict_at
from autolab.views.draw.heatmap_data import partly

ALL = {**CULPRITS, **MORE}


def wrong_report(name):
    culprit = ALL[name]
    return check_gradients(culprit.function, *inputs_of(culprit, np.random.default_rng([3, 1])))


def misleading_report(name):
    function, (low, high) = MISLEADING[name]
    return check_gradients(function, np.random.default_rng([3, 7]).uniform(low, high, 3))


BARELY = node(lambda x: np.sum(x * x), lambda g, x: g * 2 * x * (1 + 1.4e-8))
SLIGHTLY = node(lambda x: x**3, lambda g, x: 3 * g * x**2 * (1 + 1e-6))
OTHERS = {
    "abs at 0": lambda: check_gradients(lambda x: abs(x), x=np.array([0.0, 1.0, -2.0])),
    "abs at 0 alone": lambda: check_gradients(lambda x: abs(x), x=0.0),
    "outside a kink": lambda: check_gradients(
        node(np.abs, lambda g, x: g * np.where(x == 0, 5.0, np.sign(x))), np.array([0.0, 1.0, -2.0])
    ),
    "slightly off": lambda: check_gradients(SLIGHTLY, np.array([0.7, 1.3, -2.0])),
    "wrong nearby": lambda: check_gradients(node(lambda x: x * x, lambda g, x: g * x * x), 2.0),
    "rounded": lambda: check_gradients(
        node(lambda x: x * 3.3, lambda g, x: (g * 3.3).astype(np.float32).astype(float)), np.linspace(0.1, 1.4, 5)
    ),
    "saturated": lambda: check_gradients(lambda x: np.log(1 + np.exp(-x)), np.array([40.0, 1.0])),
    "NaN": lambda: check_gradients(lambda x: 1 / (1 + np.exp(-x)), np.array([-800.0, 1.0])),
    "three verdicts": lambda: check_gradients(
        lambda x, y, z: (SLIGHTLY(x), np.log(1 + np.exp(-y)), z * z), np.array([0.7, 1.3]), 40.0, 3.0
    ),
    "off by too little at each": lambda: check_gradients(BARELY, np.random.default_rng(0).normal(size=300)),
    "many": lambda: check_gradients(lambda x: abs(x), np.linspace(-1, 1, 301)),
}
MAKERS = {
    **{f"wrong: {name}": lambda name=name: wrong_report(name) for name in list(ALL)[::8]},
    **{f"misleading: {name}": lambda name=name: misleading_report(name) for name in MISLEADING},
    **OTHERS,
}


@each("name", MAKERS)
def test_all_parts_of_a_report_agree(name):
    report = MAKERS[name]()
    agrees_with_itself(report)
    shows_what_it_says(report)
    for item in report.inputs:
        if item.measured and item.worst is not None:
            measures_what_it_says(report, item)


def test_an_error_along_directions_that_no_element_shows_is_not_called_right():
    report = OTHERS["off by too little at each"]()
    assert report.inputs[0].halves and report.verdict == "cannot tell"
    assert "at none of the 7 that were measured" in str(report)
    shown = partly(report.inputs[0], "error", 400)
    assert shown.halves == () and shown.caption.endswith("the gradient is slightly off: see below.")


def agrees_with_itself(report):
    found = {item.verdict for item in report.inputs}
    not_excused = [finding for finding in report.findings if not finding.innocent]
    assert bool(report) == report.passed == (report.verdict == "right")
    assert str(report).splitlines()[0].endswith(f": {report.verdict}")
    if found - {"cannot tell"}:
        assert report.verdict == ("wrong" if "wrong" in found else "cannot tell" if "cannot tell" in found else "right")
    if report.verdict == "wrong":
        assert not_excused
    if report.verdict == "right":
        assert not not_excused
    for item in report.inputs:
        assert f"  {item.name}: {item.verdict}" in str(report)
        about = [finding for finding in report.findings if finding.input == item.name]
        if item.verdict == "cannot tell" and item.measured:
            assert any(finding.kind == "cannot_verify" for finding in about)
        if item.verdict == "right":
            assert all(finding.kind in ("kink", "low_precision") for finding in about)
            assert not any("outside" in finding.message for finding in about)
            known = np.isfinite(item.tolerance)
            assert (item.error[known] <= item.tolerance[known]).all()


def shows_what_it_says(report):
    html = report._repr_mimebundle_()["text/html"]
    rows = re.findall(r"<tr><td><code>.*?</code></td><td>(.*?)</td>", html)
    assert rows == [item.verdict for item in report.inputs]
    told = verdict(report)
    assert told["verdict"] == report.verdict and told["word"][2:].lower() == report.verdict
    assert f")</code> {told['word']}</b>" in html
    worst = max(["right", "cannot tell", "wrong"].index(item.verdict) for item in report.inputs)
    assert report.inputs[first_input(report)].verdict == ["right", "cannot tell", "wrong"][worst]
    if report.verdict != "wrong":
        assert "no error of the finite difference" not in html


def measures_what_it_says(report, item):
    position = report.inputs.index(item)
    for place in {item.worst, tuple(n - 1 for n in item.shape)}:
        here, looked = verdict_at(item, place), chosen(report, position, place)
        assert looked["wrong"] == (here == "wrong") and (item.verdict == "wrong" or not looked["wrong"])
        if here is None:
            continue
        for index in (place, None):
            notes = " ".join(curves(study(report._origin.checked, report.upstream, item.name, index), item)["notes"])
            about = here if index is not None else item.verdict
            if about != "wrong":
                assert ": wrong" not in notes and "no error of the finite difference" not in notes, notes
            else:
                assert ": right" not in notes and "agree" not in notes and "nothing wrong" not in notes, notes


def test_at_a_kink_the_taylor_test_cannot_tell():
    for x in (0.0, np.array([0.0, 1.0])):
        report = taylor_test(lambda x: abs(x), x)
        assert report.kink and not report.passed
        assert str(report).startswith("taylor_test(<lambda>): cannot tell. The function has a kink here")
    wrong = taylor_test(node(np.exp, lambda g, x: 2 * g * np.exp(x)), 1.0)
    assert not wrong.kink and "): wrong. What" in str(wrong)
