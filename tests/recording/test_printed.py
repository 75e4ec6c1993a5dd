"""What `print` says of recordings and of what is found in them: sentences and tables, no constructors."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import record, transforms
from autolab.recording import find_nonfinite

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def model(x, y):
    h = x * y
    return F.sum(F.log(h))


def recorded():
    return record(model, np.ones(2), np.array([1.0, 0.5]))


def test_a_recording_prints_its_steps():
    text = str(recorded())
    assert text.startswith("Computation graph of model(x, y): 2 inputs, 3 steps")
    assert "h = x * y" in text and "Backward:" in text and "Snapshot(" not in text
    assert text == recorded()._repr_mimebundle_()["text/plain"]


def test_in_a_list_a_recording_is_a_few_words():
    assert repr([recorded()]) == "[<Recording of model: 2 inputs, 3 steps>]"
    assert repr(record(lambda x: x * x, 3.0)) == "<Recording of <lambda>: 1 input, 1 step>"


def test_a_name_from_outside_cannot_break_the_line():
    def fn(x):
        return x * x

    fn.__name__ = "a\nb\x1b[31m"
    assert "\n" not in repr(record(fn, 3.0)) and "\x1b" not in repr(record(fn, 3.0))


def test_every_origin_is_a_sentence():
    found = find_nonfinite(model, np.ones(2), np.array([1.0, 0.0]))
    first, second = str(found).splitlines()
    assert first.startswith("∞ came up in the forward pass: log made it at F.log(h) (test_printed.py, line 18).")
    assert first.endswith("From there it reached 1 value and 3 gradients.")
    assert second.startswith("NaN came up in the backward pass: mul made it at x * y")
    assert "It was computed from an infinity that came up at F.log(h)" in second
    assert repr(found) == str(found) and first == str(found.origins[0])


@pytest.mark.parametrize(
    ("fn", "x", "expected"),
    [
        (lambda x: x * x, 1.0, "All values and gradients are finite."),
        (lambda x: x * 2, np.array([1.0, np.nan]), "NaN was given: it is in x."),
        (lambda x: x * float("nan"), 1.0, "NaN is a number written in x * float"),
        (lambda x: x * 1e308 + x * 1e308, np.inf, "∞ was given: it is in x."),
    ],
)
def test_how_it_came_up_is_said(fn, x, expected):
    assert str(find_nonfinite(fn, x=x)).startswith(expected)


def test_shares_that_add_up_to_infinity():
    with np.errstate(all="ignore"):
        text = str(find_nonfinite(lambda x: 1e308 * x + 1e308 * x, x=0.0))
    assert text.startswith("∞ came up in the backward pass, where the shares of the gradient of x are added.")


def test_reports_print_their_text():
    report = autolab.check_gradients(lambda x: x * x, x=2.0)
    assert repr(report) == str(report) and "GradientReport(" not in str(report)
    assert "array(" not in str(transforms.jacobian(lambda x: x * x)(np.ones(2)))
