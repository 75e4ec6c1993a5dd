"""Formulas: read back by a parser of their own, they compute what the program computed."""

import linecache
import math
import random
import re

import numpy as np
import pytest

import autolab
from autolab import functions as F

from .cases import halves, named, recorded_chain, recorded_muladd, recorded_net
from .payloads import PAYLOADS

FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "tanh", "exp")} | {"ln": math.log, "sign": np.sign}
PARTIAL = r"\{\\partial (?:[^{}]|\{[^}]*\})*\}"
TOKEN = re.compile(rf"\\frac{PARTIAL}{PARTIAL}|" + r"\\left[(|]|\\right[)|]|\\[a-z]+|\\,|[\d.]+|[A-Za-z]+|\S")


class Reader:
    """Evaluates the LaTeX of scalar formulas; knows nothing of how it was written."""

    def __init__(self, text, values):
        self.tokens, self.values = TOKEN.findall(text), values

    def take(self, *expected):
        token = self.tokens.pop(0)
        assert not expected or token in expected, (token, self.tokens)
        return token

    def sees(self, *tokens):
        return bool(self.tokens) and self.tokens[0] in tokens

    def sum(self):
        total = -self.product() if self.sees("-") and self.take() else self.product()
        while self.sees("+", "-"):
            total += self.product() if self.take() == "+" else -self.product()
        return total

    def product(self):
        total = self.power()
        while self.sees("\\,", "\\cdot", "\\times"):
            self.take()
            total *= self.power()
        return total

    def power(self):
        base = self.atom()
        return base ** self.group() if self.sees("^") and self.take() else base

    def group(self, start="{", end="}"):
        self.take(start)
        value = self.sum()
        self.take(end)
        return value

    def atom(self):
        token = self.tokens[0]
        if token == "\\left(":
            return self.group("\\left(", "\\right)")
        if token == "\\left|":
            return abs(self.group("\\left|", "\\right|"))
        self.take()
        if token == "\\frac":
            return self.group() / self.group()
        if token == "\\sqrt":
            return math.sqrt(self.group())
        if token == "e":
            self.take("^")
            return math.exp(self.group())
        if token == "\\operatorname":
            _, token, _ = self.take("{"), f"\\{self.take()}", self.take("}")
        if token[1:] in FUNCTIONS:
            return FUNCTIONS[token[1:]](self.group("\\left(", "\\right)"))
        if self.sees("_"):
            self.take()
            return self.values[f"{token}_{int(self.group())}"]
        return float(token) if token[0].isdigit() else self.values[token]


def evaluated(recording):
    """Every symbol and every gradient that the formulas define, computed from them."""
    values = {step.name: float(step.value.values) for step in recording.steps if step.kind == "input"}
    for line in recording.to_latex().splitlines()[1:-1]:
        left, right = line.removesuffix(" \\\\").split(" &= ")
        values[left.replace("{", "").replace("}", "") if left[0] != "\\" else left] = Reader(right, values).sum()
    return values


def random_expression(rng, depth):
    if depth == 0:
        return rng.choice(["x", "y", "z", "2.0", "0.5", "1e-3", "3"])
    one, other = (random_expression(rng, depth - 1) for _ in range(2))
    forms = [f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} / (3 + abs({other})))"]
    forms += [f"(-{one})", f"({one} ** 2)", f"sin({one})", f"exp(-abs({one}))", f"sqrt(1 + abs({one}))", f"tanh({one})"]
    return rng.choice(forms)


def program(source):
    """A function of x, y and z with one named value in between."""
    names = {name: getattr(F, name) for name in ("sin", "exp", "sqrt", "tanh", "abs")}
    text = f"def f(x, y, z):\n    h = {source[0]} + x\n    w = {source[1]} * h + y * z\n    return w\n"
    file = f"<formula {text}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("seed", range(60))
def test_the_formulas_compute_the_values_and_the_gradients(seed):
    rng = random.Random(seed)
    fn = program([random_expression(rng, 3) for _ in range(2)])
    recording = autolab.record(fn, 0.7, -1.3, 0.4)
    found = evaluated(recording)
    (output,) = recording.outputs
    result = next(v for k, v in reversed(found.items()) if not k.startswith("\\") and k not in "xyz")
    assert result == pytest.approx(float(recording.steps[output].value.values), rel=1e-9)
    gradients = {k: v for k, v in found.items() if k.startswith("\\frac")}
    for step in recording.steps[:3]:
        last = next(v for k, v in gradients.items() if k.endswith(f"{{\\partial {step.name}}}"))
        assert last == pytest.approx(float(step.grad.values), rel=1e-9)


def test_the_program_stands_there_in_its_own_names():
    assert recorded_muladd().to_latex().splitlines()[1:3] == [r"h &= x \, y \\", r"w &= h + z \\"]
    text = recorded_net().to_latex()
    assert r"h &= \tanh\left(x \, w + b\right)" in text and r"\mathit{loss} &= \sum\left(h \odot h\right)" in text
    assert r"{\partial w} &= x^{\top} \, \left(" in text
    assert r"{\partial b} &= \operatorname{sum\_to}_{3}" in text  # the bias was broadcast


@pytest.mark.parametrize(
    ("fn", "formula"),
    [
        (lambda x: x[0] * x[-1], r"x\left[0\right] \, x\left[-1\right]"),
        (lambda x: x[None, :2], r"x\left[\mathrm{None},\,{:}2\right]"),
        (lambda x: x[[0, 1]], r"\operatorname{getitem}_{\mathrm{index}=[0,\ 1]}\left(x\right)"),
        (lambda x: F.sum(x, axis=0), r"\sum_{\mathrm{axis}=0}\left(x\right)"),
        (lambda x: (x + 1) ** 2, r"\left(x + 1\right)^{\odot 2}"),
        (lambda x: x @ (x - 1), r"x \, \left(x - 1\right)"),
        (lambda x: x * 2, r"x \cdot 2"),
        (lambda x: 2 * x, r"2 \, x"),
        (lambda x: x * 1e-8, r"x \cdot \left(1 \times 10^{-8}\right)"),
        (lambda x: x - (x - 1), r"x - \left(x - 1\right)"),
    ],
)
def test_notation(fn, formula):
    text = autolab.record(fn, np.array([1.0, 2.0, 3.0])).to_latex()
    assert f"&= {formula} \\\\" in text


def test_a_name_that_is_given_again_is_counted():
    def fn(x):
        h = x * x
        h = h + x
        return h

    lines = autolab.record(fn, 2.0).to_latex().splitlines()
    assert lines[1:3] == [r"h^{(1)} &= x \, x \\", r"h^{(2)} &= h^{(1)} + x \\"]


def test_what_has_no_formula_says_which_product_it_is():
    text = autolab.record(halves, np.ones(3)).to_latex()
    assert r"a &= \left[\operatorname{Halves}\left(x\right)\right]_{0}" in text
    assert r"\overline{x} &= \operatorname{vjp}_{Halves,\,inputs[0]}\left(\overline{a},\,\overline{b}\right)" in text


def test_no_gradient_is_no_formula():
    def fn(x, n):
        w = x * n
        return w

    text = autolab.record(fn, 2.0, np.array(3)).to_latex()
    assert r"\partial x" in text and r"\partial n" not in text


def test_the_text_grows_with_the_program_and_no_faster():
    short, long = (len(recorded_chain(n).to_latex()) for n in (150, 1500))
    assert long < 12 * short

    def squares(x):
        for _ in range(40):
            x = x * x
        return x

    assert len(autolab.record(squares, 1.0).to_latex()) < 20_000


def test_a_notebook_gets_the_formulas_where_they_are_short():
    assert recorded_muladd()._repr_latex_() == f"$\\displaystyle {recorded_muladd().to_latex()}$"
    assert recorded_chain(150)._repr_latex_() is None


@pytest.mark.lab
def test_every_formula_is_one_that_a_typesetter_reads():
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    sources = [recorded_muladd(), recorded_net(), *[named(name) for name in PAYLOADS]]
    for recording in sources:
        for line in recording.to_latex().splitlines()[1:-1]:
            line = line.removesuffix(r" \\").replace("&=", "=", 1).replace(r"\&{}", "")  # matplotlib knows no \&
            assert not re.search(r"[<>&\"]|(?<!\\)\$", line)
            parser.parse(f"${line}$")
