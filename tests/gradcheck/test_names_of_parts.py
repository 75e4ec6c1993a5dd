"""Forwards whose names are not to be trusted, and gradients that no formula fits: nothing may be said."""

from __future__ import annotations

import contextlib
import sys
import threading

import numpy as np
from formula_subjects import POSITIVE, function, said, saturating
from helpers.each import each

from autolab import check_gradients


def squared(self, x):
    r = np.arctan(x) + 2  # that no formula in x and y can say
    y = r * r
    return y


def changed_in_place(self, x):
    r = np.arctan(x) + 2
    y = r * r
    r *= 2
    return y


def changed_by_out(self, x):
    r = np.arctan(x) + 2
    y = r * r
    np.multiply(r, 3, out=r)
    return y


def bound_again(self, x):
    r = np.arctan(x) + 2
    y = r * r
    r = 2 * r
    return y


def bound_on_one_line(self, x):
    return (r := np.arctan(x) + 2) ** 2 + 0 * (r := 2 * r)


def bound_in_a_loop(self, x):
    for scale in (0.5, 1.0, 2.0):
        r = scale * (np.arctan(x) + 2)
    return r * r


def two_that_coincide(self, x):
    r = np.arctan(x) + 2
    w = np.maximum(r, 0)
    return r * w


def a_helper_that_raises(self, x):
    def helper():
        r = np.arctan(x) + 2
        raise ValueError(r)

    with contextlib.suppress(ValueError):
        helper()
    return (np.arctan(x) + 2) ** 2


def values_of_a_generator(self, x):
    def steps():
        r = np.arctan(x) + 2
        yield r
        yield r * r

    *_, last = steps()
    return last


def another_thread(self, x):
    found = []

    def work():
        r = np.arctan(x) + 2
        found.append(r * r)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]


def called_twice_for_different_values(self, x):
    def shifted(t):
        r = np.arctan(t) + 2
        return r

    return shifted(x) * shifted(x) + 0 * shifted(-x)


def a_long_loop(self, x):
    total = 0
    for k in range(500):
        total = total + k
    r = np.arctan(x) + 2
    return r * r


def in_float32(self, x):
    e = np.exp(x).astype(np.float32)
    s = 1 + e * x.astype(np.float32)
    return (e / s).astype(float)


def no_numbers(self, x):
    nothing, never = np.full_like(x, np.nan), x / np.zeros_like(x)
    r = np.where(x > 0, nothing, never)
    return (np.arctan(x) + 2 + 0 * np.isnan(r)) ** 2


def half_of_it(g, x):
    return g * (np.arctan(x) + 2)


@each(
    ("forward", "backward"),
    [
        (changed_in_place, half_of_it),
        (changed_by_out, half_of_it),
        (bound_again, half_of_it),
        (bound_on_one_line, half_of_it),
        (bound_in_a_loop, half_of_it),
        (two_that_coincide, half_of_it),
        (a_helper_that_raises, half_of_it),
        (values_of_a_generator, half_of_it),
        (another_thread, half_of_it),
        (called_twice_for_different_values, half_of_it),
        (a_long_loop, half_of_it),
        (in_float32, lambda g, x: g * np.exp(x) / (1 + np.exp(x) * x)),
        (no_numbers, half_of_it),
        (saturating, lambda g, x: g * np.exp(x) / (1 + np.exp(x) * x) * (1 + 1e-6 * np.sin(9e5 * x))),
        (saturating, lambda g, x: g * np.exp(x) * (1 - np.exp(x)) / (1 + np.exp(x) * x) ** 2 * 1.00001),
        (saturating, lambda g, x: g * np.exp(x) * (1 - np.exp(x)) / (1 + np.exp(x) * x) ** 2 + 1e-5 * g * x),
    ],
)
def test_nothing_is_said_where_names_are_not_to_be_trusted_or_nothing_fits(forward, backward):
    assert said(forward, backward, POSITIVE) == []


def test_a_debugger_keeps_its_trace_and_names_are_then_not_read():
    def trace(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = said(squared, half_of_it, POSITIVE)
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    assert found == []
    assert said(squared, half_of_it, POSITIVE) == ["Your rule computes g * r; measured is 2 * g * r / (1 + x * x)."]


def test_a_right_gradient_is_not_followed(monkeypatch):
    followed = []
    settrace = sys.settrace
    monkeypatch.setattr(sys, "settrace", lambda trace: (followed.append(trace), settrace(trace)))
    right = function(squared, lambda g, x: g * 2 * (np.arctan(x) + 2) / (1 + x * x))
    assert check_gradients(right, POSITIVE).passed and followed == []
    assert not check_gradients(function(squared, half_of_it), POSITIVE).passed and followed
