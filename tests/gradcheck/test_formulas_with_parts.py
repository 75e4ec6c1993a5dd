"""Formulas in the values on the way of a forward: planted mistakes with the sentence that names them, and forwards of
which nothing may be said."""

from __future__ import annotations

import contextlib
import sys
import threading

import numpy as np
import pytest

from autolab import FunctionNode, Variable, check_gradients, primitive
from autolab.authoring import ContextFunction, SimpleFunction

BOTH = np.array([-1.6, -0.7, 0.4, 1.1, 1.9])
POSITIVE = np.linspace(0.3, 1.7, 6)


def function(forward, backward):
    """A function of a class with this ``forward(self, *arrays)``, and with ``backward(g, *arrays)``."""

    def pull(self, g):
        found = backward(g.data, *[x.data for x in self.inputs])
        return tuple([Variable(g) for g in (found if isinstance(found, tuple) else (found,))])

    kind = type("Rule", (SimpleFunction,), {"forward": forward, "backward": pull})
    return (lambda x: kind()(x)) if forward.__code__.co_argcount == 2 else (lambda x, z: kind()(x, z))


def said(forward, backward, *inputs):
    """The sentences with formulas about the function."""
    report = check_gradients(function(forward, backward), *inputs)
    assert report.verdict == "wrong", str(report)
    hints = [finding.hint for finding in report.findings if "written" in finding.evidence]
    return [hint[hint.index("Your rule") :].partition(" See ")[0] for hint in hints]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# ---------------------------------------------------------------------- planted mistakes
def swish(self, x):
    s = 1 / (1 + np.exp(-x))
    return x * s


def quick_gelu(self, x):
    self.beta = 1.702
    self.s = 1 / (1 + np.exp(-self.beta * x))
    return x * self.s


def gelu(self, x):
    c = np.sqrt(2 / np.pi)
    slope = c * (1 + 3 * 0.044715 * x**2)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return 0.5 * x * (1 + t) + 0 * slope


def mish(self, x):
    sp = np.log1p(np.exp(x))
    t = np.tanh(sp)
    return x * t


def wavelet(self, x):
    u = -x * x / 2
    p = np.exp(u)
    return x * p


def chirp(self, x):
    u = x**3
    return np.sin(u)


def planck(self, x):
    e = np.exp(x)
    d = e - 1
    n = x**3
    return n / d


def langevin(self, x):
    t = np.tanh(x)
    c = 1 / t
    return c - 1 / x


def arc(self, x):
    q = 1 + x * x
    return np.arctan(x) / q


def saturating(self, x):
    e = np.exp(x)
    s = 1 + e * x
    return e / s


def ratio(self, x, z):
    n = x * x + z
    d = 1 + x * z
    return n / d


def radius(self, x, z):
    q = x * x + z * z
    r = np.sqrt(q)
    return np.log(r)


def squashed(t):
    w = np.tanh(t)
    return w


def lorentzian(self, x):
    width, scale = 0.37, 2.3
    d = x * x + width**2
    return scale / d + 1


def with_a_helper(self, x):
    a = squashed(x * x)
    return a * x


def taken(self, x):
    y = np.exp(x)
    g = 1 + y * x
    out = y / g
    return out


def gelu_without_its_second_term(g, x):
    t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    return g * 0.5 * (1 + t)


def mish_t(x):
    return np.tanh(np.log1p(np.exp(x)))


@pytest.mark.parametrize(
    ("forward", "backward", "inputs", "written", "right"),
    [
        (swish, lambda g, x: g * sigmoid(x), [BOTH], "g * s", "g * s + g * y * (1 - s)"),
        (
            quick_gelu,
            lambda g, x: g * sigmoid(1.702 * x) * (1 + x * (1 - sigmoid(1.702 * x))),
            [BOTH],
            "g * self.s + g * y * (1 - self.s)",
            "g * self.s + g * self.beta * y * (1 - self.s)",
        ),
        (
            gelu,
            gelu_without_its_second_term,
            [BOTH],
            "g * (1 + t) / 2",
            "g * (1 + t) / 2 + g * slope * y * (1 - t)",
        ),
        (mish, lambda g, x: g * mish_t(x), [BOTH], "g * t", "g * t + g * x * (1 - t * t) / (1 + exp(-x))"),
        (
            mish,
            lambda g, x: g * mish_t(x) + g * x * (1 - mish_t(x) ** 2),
            [BOTH],
            "g * t + g * x * (1 - t * t)",
            "g * t + g * x * (1 - t * t) / (1 + exp(-x))",
        ),
        (wavelet, lambda g, x: g * np.exp(-x * x / 2), [BOTH], "g * p", "g * p * (1 - x * x)"),
        (wavelet, lambda g, x: g * np.exp(-x * x / 2) * (1 - x), [BOTH], "g * p * (1 - x)", "g * p * (1 - x * x)"),
        (chirp, lambda g, x: g * np.cos(x**3), [BOTH], "g * cos(u)", "3 * g * x * x * cos(u)"),
        (
            planck,
            lambda g, x: g * 3 * x * x / (np.exp(x) - 1),
            [POSITIVE],
            "3 * g * y / x",
            "3 * g * y / x - g * e * y / d",
        ),
        (
            planck,
            lambda g, x: g * (3 * x * x + x**3 * np.exp(x) / (np.exp(x) - 1)) / (np.exp(x) - 1),
            [POSITIVE],
            "3 * g * y / x + g * e * y / d",
            "3 * g * y / x - g * e * y / d",
        ),
        (
            langevin,
            lambda g, x: g * (1 - np.tanh(x) ** -2),
            [POSITIVE],
            "g * (1 - c * c)",
            "g * (1 - c * c) + g / (x * x)",
        ),
        (arc, lambda g, x: g / (1 + x * x) ** 2, [POSITIVE], "g / (q * q)", "g / (q * q) - 2 * g * x * y / q"),
        (
            saturating,
            lambda g, x: g * np.exp(x) * (1 - np.exp(x)) / (1 + np.exp(x) * x),
            [POSITIVE],
            "g * y * (1 - e)",
            "g * y * (1 - e) / s",
        ),
        (
            ratio,
            lambda g, x, z: (g * 2 * x / (1 + x * z), g / (1 + x * z) - g * x * (x * x + z) / (1 + x * z) ** 2),
            [POSITIVE, POSITIVE[::-1] + 0.3],
            "2 * g * x / d",
            "2 * g * x / d - g * z * y / d",
        ),
        (
            radius,
            lambda g, x, z: (g * x / np.sqrt(x * x + z * z), g * z / (x * x + z * z)),
            [POSITIVE, POSITIVE[::-1] + 0.3],
            "g * x / r",
            "g * x / q",
        ),
        (
            lorentzian,
            lambda g, x: -2 * g * x / (x * x + 0.37**2) ** 2,
            [BOTH],
            "-2 * g * x / (d * d)",
            "-2 * g * scale * x / (d * d)",
        ),
        (with_a_helper, lambda g, x: g * np.tanh(x * x), [BOTH], "g * a", "g * a + 2 * g * x * x * (1 - a * a)"),
        (
            taken,
            lambda g, x: g * np.exp(x) / (1 + np.exp(x) * x),
            [POSITIVE],
            "upstream * out",
            "upstream * out * (1 - y) / g",
        ),
    ],
)  # fmt: skip
def test_formulas_use_what_the_forward_calls_its_values(forward, backward, inputs, written, right):
    assert said(forward, backward, *inputs) == [f"Your rule computes {written}; measured is {right}."]


def test_forwards_of_every_style_are_read():
    class Node(FunctionNode):
        def forward(self, inputs):
            (speed,) = inputs
            r = np.sqrt(1 + speed)
            self.retain_inputs((0,))
            return (r * speed,)

        def backward(self, targets, gs):
            (speed,) = self.get_retained_inputs()
            return (gs[0] * (1 + speed) ** 0.5,)

    class Context(ContextFunction):
        @staticmethod
        def forward(ctx, speed):
            r = np.sqrt(1 + speed)
            ctx.save_for_backward(speed)
            return r * speed

        @staticmethod
        def backward(ctx, g):
            (speed,) = ctx.saved_tensors
            return g * (1 + speed) ** 0.5

    @primitive(speed=lambda g, speed: g * np.sqrt(1 + speed))
    def declared(xp, speed):
        r = xp.sqrt(1 + speed)
        return r * speed

    for fn in (lambda *a: Node().apply(a)[0], lambda speed: Context.apply(speed), declared):
        (finding,) = check_gradients(fn, POSITIVE).findings
        evidence = finding.evidence["written"], finding.evidence["right"]
        assert evidence == ("g * r", "g * r + g * speed / (2 * r)")


def test_parts_are_held_back_below_level_4():
    fn = function(swish, lambda g, x: g * sigmoid(x))
    (finding,) = check_gradients(fn, BOTH, reveal=3).findings
    assert "written" not in finding.evidence and "g * s" not in str(finding)


# ---------------------------------------------------------------------- nothing may be said
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


@pytest.mark.parametrize(
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
    fn = function(swish, lambda g, x: g * sigmoid(x) * (1 + x * (1 - sigmoid(x))))
    assert check_gradients(fn, BOTH).passed and followed == []
    assert not check_gradients(function(swish, lambda g, x: g * sigmoid(x)), BOTH).passed and followed
