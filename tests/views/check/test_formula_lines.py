"""The formulas of a finding stand one below the other, in the lens and in the report, and what differs is marked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab import functions as F
from autolab.authoring import SimpleFunction
from autolab.gradcheck import Finding
from autolab.views import mimebundle
from autolab.views.check.contents import formula_lines, without_formulas

from .conftest import Open


class Softmax(SimpleFunction):
    def forward(self, x):
        e = np.exp(x)
        self.y = e / e.sum(axis=1, keepdims=True)
        return self.y

    def backward(self, g):
        return self.y * (g - F.mean(g * self.y, axis=1, keepdims=True))


def softmax(x):
    return Softmax()(x)


X = np.random.default_rng(1).normal(size=(3, 4))


@pytest.mark.parametrize(
    ("evidence", "lines"),
    [
        (
            {"written": "g * y * (1 - y)", "right": "g * (1 - y * y)"},
            [
                ("your rule computes", "g * ", "y * (1 -", " y)"),
                ("measured is", "g * ", "(1 - y *", " y)"),
            ],
        ),
        (
            {"written": "0", "right": "0.1 * g", "piece": True},
            [("there your rule computes", "", "0", ""), ("measured is", "", "0.1 * g", "")],
        ),
        ({"term": "- y * sum(g * y)"}, [("the missing term", "- y * sum(g * y)", "", "")]),
        (
            {"written": "g * 2", "right": "g * 2 * 2"},
            [("your rule computes", "g * 2", "", ""), ("measured is", "g * 2", " * 2", "")],
        ),
        ({"factor": 2.0}, []),
        ({"written": "<b>\n", "right": "g"}, [("your rule computes", "", "<b> ", ""), ("measured is", "", "g", "")]),
    ],
)  # fmt: skip
def test_what_differs_is_between_what_is_alike(evidence: dict[str, Any], lines: Any) -> None:
    found = formula_lines(Finding("wrong_function", "x", "", evidence))
    assert found == lines


def test_the_report_has_them_as_code_and_not_in_the_sentence_too() -> None:
    report = autolab.check_gradients(softmax, X)
    html = mimebundle(report)["text/html"]
    assert "y * (g - <b>mean</b>(g * y, axis=1))" in html and "y * (g - <b>sum</b>(g * y, axis=1))" in html
    assert "Your rule computes" not in html and "Your rule computes" in str(report)
    assert "See Softmax.backward" in without_formulas(report.findings[0])


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_the_lens_marks_what_is_wrong_and_what_is_right(page: Page, open_lens: Open, dark: bool) -> None:
    page.evaluate("dark => { document.body.dataset.jpThemeLight = String(!dark); }", dark)
    open_lens(autolab.check_gradients(softmax, X))
    lines, marks = page.locator(".al-formulas dd"), page.locator(".al-formulas mark")
    expect(lines).to_have_text(["y * (g - mean(g * y, axis=1))", "y * (g - sum(g * y, axis=1))"])
    expect(marks).to_have_text(["mean", "sum"])
    wrong, right = [mark.evaluate("e => getComputedStyle(e).color") for mark in marks.all()]
    assert wrong != right == lines.last.evaluate("e => getComputedStyle(e).color")
    expect(page.locator(".al-sentence")).not_to_contain_text("Your rule")
