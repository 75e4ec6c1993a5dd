"""Formulas in the values on the way of a forward: planted mistakes with the sentence that names them."""

from __future__ import annotations

import numpy as np
import pytest
from formula_subjects import BOTH, POSITIVE, function, said, saturating
from helpers.each import each

from autolab import FunctionNode, check_gradients, primitive
from autolab.authoring import ContextFunction


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


@each(
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
        def forward(ctx, speed, offset=0.5):
            r = np.sqrt(1 + speed)
            ctx.save_for_backward(speed)
            return r * speed

        @staticmethod
        def backward(ctx, g):
            (speed,) = ctx.saved_tensors
            return g * (1 + speed) ** 0.5, None

    @primitive(speed=lambda g, speed: g * np.sqrt(1 + speed))
    def declared(xp, speed):
        r = xp.sqrt(1 + speed)
        return r * speed

    def called_from_elsewhere(speed):
        offset = 0.25 * speed.ndim
        return Context.apply(speed, offset)

    for fn in (lambda *a: Node().apply(a)[0], lambda speed: Context.apply(speed), called_from_elsewhere, declared):
        (finding,) = check_gradients(fn, POSITIVE).findings
        evidence = finding.evidence["written"], finding.evidence["right"]
        assert evidence == ("g * r", "g * r + g * speed / (2 * r)")


def test_parts_are_held_back_below_level_4():
    fn = function(swish, lambda g, x: g * sigmoid(x))
    (finding,) = check_gradients(fn, BOTH, reveal=3).findings
    assert "written" not in finding.evidence and "g * s" not in str(finding)


# ---------------------------------------------------------------------- sums over a row
def normalised(self, x):
    c = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((c * c).mean(axis=-1, keepdims=True) + 1e-2)
    return c / s


def tempered(self, x):
    t = 1.7
    e = np.exp(x / t)
    return e / e.sum(axis=-1, keepdims=True)


def unit_columns(self, x):
    n = np.sqrt((x * x).sum(axis=0, keepdims=True) + 0.1)
    return x / n


def unit_columns_with_n_changed(self, x):
    n = np.sqrt((x * x).sum(axis=0, keepdims=True) + 0.1)
    y = x / n
    n *= 2
    return y


def of_normalised(x):
    c = x - x.mean(axis=-1, keepdims=True)
    s = np.sqrt((c * c).mean(axis=-1, keepdims=True) + 1e-2)
    return c / s, s


def without_the_mean(g, x):
    y, s = of_normalised(x)
    return (g - y * (g * y).mean(axis=-1, keepdims=True)) / s


def without_y(g, x):
    return (g - g.mean(axis=-1, keepdims=True)) / of_normalised(x)[1]


def tempered_by_element(g, x):
    e = np.exp(x / 1.7)
    return g * e / e.sum(axis=-1, keepdims=True) / 1.7


def divided_only(g, x):
    return g / np.sqrt((x * x).sum(axis=0, keepdims=True) + 0.1)


@pytest.mark.parametrize(
    ("forward", "backward", "term"),
    [
        (normalised, without_the_mean, "- mean(g) / s"),
        (normalised, without_y, "- y * mean(g * y) / s"),
        (tempered, tempered_by_element, "- y * sum(g * y) / t"),
        (unit_columns, divided_only, "- y * sum(g * y) / n"),
    ],
)
def test_the_term_of_a_row_uses_them_too(forward, backward, term):
    x = np.random.default_rng(0).normal(size=(3, 4))
    (finding,) = check_gradients(function(forward, backward), x).findings
    assert finding.kind == "missing_term" and f"The term is {term}." in finding.hint


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        (unit_columns_with_n_changed, divided_only),
        (unit_columns, lambda g, x: divided_only(g, x) * (1 + 1e-4 * np.sin(x))),
        (normalised, lambda g, x: g / of_normalised(x)[1]),
    ],
)
def test_no_term_of_a_row_is_said_where_none_fits(forward, backward):
    x = np.random.default_rng(0).normal(size=(3, 4))
    (finding,) = check_gradients(function(forward, backward), x).findings
    assert "term" not in finding.evidence
