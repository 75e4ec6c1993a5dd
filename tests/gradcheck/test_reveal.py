"""reveal=: exercises hold back what the student is to find out."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from test_report_display import pictures

from autolab import check_gradients

WRONG = node(lambda x, y: x * y, lambda g, x, y: (-g * y, g * x), name="Wrong")
KINK = node(np.abs, lambda g, x: g * np.sign(x), name="Kink")


def report(level):
    return check_gradients(
        lambda x, y: WRONG(x, y), x=np.array([1.0, 2.0, 3.0]), y=np.array([2.0, 1.0, 4.0]), reveal=level
    )


def test_level_0_says_only_whether_something_is_wrong():
    told = report(0)
    assert (told.verdict, told.inputs, told.findings) == ("wrong", (), ())
    assert str(told).splitlines()[0] == "check_gradients(<lambda>): wrong" and len(str(told).splitlines()) == 2
    with pytest.raises(AssertionError):
        told.raise_for_failure()


def test_level_1_says_which_inputs_and_no_number_that_is_right():
    told = report(1)
    assert [(item.name, item.verdict) for item in told.inputs] == [("x", "wrong"), ("y", "right")]
    assert np.isnan(told["x"].numeric).all() and np.isnan(told["x"].error).all() and told["x"].worst is None
    assert told.findings == () and "sign" not in str(told) and "numerically" not in str(told)


def test_level_2_shows_the_numbers_and_names_no_cause():
    told = report(2)
    assert np.isfinite(told["x"].numeric).all() and told["x"].worst is not None
    assert told.findings == () and "sign" not in str(told) and "numerically" in str(told)


def test_level_3_names_the_cause_and_level_4_where_to_look():
    (cause,), (hint,) = report(3).findings, report(4).findings
    assert (cause.kind, cause.hint) == (hint.kind, "") == ("wrong_sign", "")
    assert cause.message == hint.message and str(hint).startswith(cause.message)
    assert "minus sign" in hint.hint and "Wrong.backward (line " in hint.hint and "check_subjects.py" in hint.hint
    assert len(str(hint)) <= 300
    assert str(check_gradients(WRONG, np.ones(2), np.ones(2)).findings[0]) == str(
        check_gradients(WRONG, np.ones(2), np.ones(2), reveal=4).findings[0]
    )


@pytest.mark.parametrize("level", range(5))
def test_every_level_shows_itself_and_holds_back_the_same_in_html(level):
    told = report(level)
    html, text = told._repr_mimebundle_()["text/html"], str(told)
    assert "check_gradients" in html
    assert ("wrong sign" in html) == ("wrong sign" in text) == (level >= 3)
    assert ("x: numeric" in "".join(pictures(html))) == (level >= 2)
    assert "Wrong.backward (line" in html or level < 4  # a long finding is shown whole
    assert ("<table" in html) == (level >= 1) and "NaN" not in html


def test_innocent_findings_stay():
    told = check_gradients(KINK, np.array([0.0, 1.0]), reveal=2)
    assert [finding.kind for finding in told.findings] == ["kink"]


def test_levels_are_checked():
    for level in (5, -1, True, "4"):
        with pytest.raises(ValueError, match="check_gradients: reveal is"):
            check_gradients(WRONG, 1.0, 1.0, reveal=level)
    told = check_gradients(lambda x, reveal: x * reveal, 2.0, reveal=3.0, options={"reveal": 1})
    assert [item.name for item in told.inputs] == ["x", "reveal"]
