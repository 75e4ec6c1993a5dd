"""Formulas of reductions, of functions whose rows share sums, and of pieces: planted mistakes with their sentences."""

from __future__ import annotations

import numpy as np
import pytest
from formula_draws import draw, findings, is_true
from formula_subjects import function

from autolab import check_gradients

V = np.array([0.4, -1.3, 0.9, -0.2, 1.7, -0.6, 1.1])
W = np.array([1.2, 0.5, -0.8, 1.6, -1.1, 0.3, 0.7])
P = np.array([0.31, 0.52, 0.74, 0.45, 0.63, 0.82])
Q = P[::-1] + 0.05
A = np.random.default_rng(5).normal(size=(3, 4))


def hints(forward, backward, *inputs):
    """What is said of every input whose gradient is wrong, from the formulas on."""
    report = check_gradients(function(forward, backward), *inputs)
    assert report.verdict == "wrong", str(report)
    found = [finding for finding in report.findings if "written" in finding.evidence]
    starts = ["For these elements your rule" if "piece" in f.evidence else "Your rule" for f in found]
    return [f.hint[f.hint.index(start) :].partition(" See ")[0] for f, start in zip(found, starts, strict=True)]


def computes(written, right):
    return f"Your rule computes {written}; measured is {right}."


def in_pieces(written, right):
    return f"For these elements your rule computes {written}; measured is {right}."


def spread(g, x):
    return np.broadcast_to(np.reshape(g, (*np.shape(g), *[1] * (x.ndim - np.ndim(g)))), x.shape)


# ---------------------------------------------------------------------- reductions
def mse(self, x, z):
    return ((x - z) ** 2).mean()


def cross_entropy(self, x, z):
    return -(z * np.log(x) + (1 - z) * np.log(1 - x)).mean()


def norm(self, x):
    return np.sqrt((x * x).sum())


def log_sum_exp(self, x):
    return np.log(np.exp(x).sum())


def row_norm(self, x):
    return np.sqrt((x * x).sum(axis=1))


def kept_means(self, x):
    return (x**3).mean(axis=1, keepdims=True)


def with_names(self, x):
    m = x.mean()
    c = x - m
    v = (c * c).sum()
    return v * v


@pytest.mark.parametrize(
    ("forward", "backward", "inputs", "written", "right"),
    [
        (mse, lambda g, x, z: (g * 2 * (x - z), -g * 2 * (x - z) / x.size), [V, W],
         "2 * g * (x - z)", "2 * g * (x - z) / x.size"),
        (cross_entropy, lambda g, x, z: (g * (x - z) / x.size, g * (np.log(1 - x) - np.log(x)) / x.size), [P, Q],
         "g * (x - z) / x.size", "g * (x - z) / (x.size * x * (1 - x))"),
        (norm, lambda g, x: g * x, [V], "g * x", "g * x / y"),
        (log_sum_exp, lambda g, x: g * np.exp(x), [V], "g * exp(x)", "g * exp(x) / sum(exp(x))"),
        (lambda self, x: np.prod(x), lambda g, x: g * np.prod(x) * np.ones_like(x), [V], "g * y", "g * y / x"),
        (lambda self, x: x.var(), lambda g, x: g * 2 * x / x.size, [V],
         "2 * g * x / x.size", "2 * g * (x - mean(x)) / x.size"),
        (lambda self, x: x.var(), lambda g, x: g * 2 * (x - x.mean()) / (x.size - 1), [V],
         "2 * g * (x - mean(x)) / (x.size - 1)", "2 * g * (x - mean(x)) / x.size"),
        (lambda self, x: np.sqrt((x**2).mean()), lambda g, x: g * x / np.sqrt((x**2).mean()), [V],
         "g * x / y", "g * x / (x.size * y)"),
        (row_norm, lambda g, x: spread(g, x) * x, [A], "g * x", "g * x / y"),
        (kept_means, lambda g, x: g * 3 * x * x, [A], "3 * g * x * x", "3 * g * x * x / x.shape[1]"),
        (with_names, lambda g, x: g * 2 * (x - x.mean()) * ((x - x.mean()) ** 2).sum() ** 2, [V],
         "2 * g * c * y", "4 * g * c * v"),
    ],
)  # fmt: skip
def test_a_reduction_is_written_with_its_row_and_its_length(forward, backward, inputs, written, right):
    assert hints(forward, backward, *inputs) == [computes(written, right)]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 12])
def test_a_length_is_named_whatever_it_is(size):
    said = hints(lambda self, x: (x * x).mean(), lambda g, x: 2 * g * x, np.linspace(0.3, 1.7, size))
    assert said == [computes("2 * g * x", "g * x" if size == 2 else "2 * g * x / x.size")]


def test_what_reaches_more_than_its_row_is_no_reduction():
    def forward(self, x):
        return x.sum(axis=1) + 1e-3 * x.sum()

    assert hints(forward, lambda g, x: 1.001 * spread(g, x), A) == []


# ---------------------------------------------------------------------- rows
def share(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def standardised(self, x):
    m = x.mean(axis=-1, keepdims=True)
    s = x.std(axis=-1, keepdims=True)
    return (x - m) / s


@pytest.mark.parametrize(
    ("forward", "backward", "x", "written", "right"),
    [
        (lambda self, x: share(x), lambda g, x: share(x) * (g - (g * share(x)).mean(axis=-1, keepdims=True)), A,
         "y * (g - mean(g * y, axis=1))", "y * (g - sum(g * y, axis=1))"),
        (lambda self, x: share(x), lambda g, x: share(x) * (g - (g * share(x)).sum(axis=0, keepdims=True)), A,
         "y * (g - sum(g * y, axis=0))", "y * (g - sum(g * y, axis=1))"),
        (lambda self, x: share(x), lambda g, x: share(x) * (g - (g * share(x)).mean()), V,
         "y * (g - mean(g * y))", "y * (g - sum(g * y))"),
        (standardised, lambda g, x: g / x.std(axis=-1, keepdims=True), A,
         "g / s", "(g - mean(g, axis=1) - y * mean(g * y, axis=1)) / s"),
        (lambda self, x: x / np.sqrt((x * x).sum()), lambda g, x: (g - x * (g * x).sum()) / np.sqrt((x * x).sum()), V,
         "(g - x * sum(g * x)) / sqrt(sum(x * x))", "(g - y * sum(g * y)) / sqrt(sum(x * x))"),
    ],
)  # fmt: skip
def test_a_row_is_written_with_the_sums_that_it_shares(forward, backward, x, written, right):
    assert hints(forward, backward, x) == [computes(written, right)]


# ---------------------------------------------------------------------- pieces
def leaky(self, x):
    return np.where(x > 0, x, 0.1 * x)


def elu(self, x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def huber(self, x):
    return np.where(np.abs(x) < 1, 0.5 * x * x, np.abs(x) - 0.5)


@pytest.mark.parametrize(
    ("forward", "backward", "said"),
    [
        (leaky, lambda g, x: g * (x > 0), in_pieces("0", "0.1 * g")),
        (leaky, lambda g, x: g * np.where(x > 0, 1, 0.01), in_pieces("0.01 * g", "0.1 * g")),
        (leaky, lambda g, x: g * np.where(x > 0, 0.1, 1),
         computes("0.1 * g for x > 0 and g for x < 0", "g for x > 0 and 0.1 * g for x < 0")),
        (elu, lambda g, x: g * np.where(x > 0, 1, np.exp(np.minimum(x, 0)) - 1), in_pieces("g * y", "g * exp(x)")),
        (huber, lambda g, x: g * np.where(np.abs(x) < 1, 2 * x, np.sign(x)), in_pieces("2 * g * x", "g * x")),
        (lambda self, x: np.abs(x), lambda g, x: g, in_pieces("g", "-g")),
        (lambda self, x: np.clip(x, -1, 1), lambda g, x: g, in_pieces("g", "0")),
        (lambda self, x: x.max(), lambda g, x: g * np.ones_like(x), in_pieces("g", "0")),
    ],
)  # fmt: skip
def test_a_piece_has_formulas_of_its_own(forward, backward, said):
    assert hints(forward, backward, V) == [said]


@pytest.mark.parametrize(
    ("forward", "backward", "shape", "said"),
    [
        (leaky, lambda g, x: g * (x > 0), (70, 80), in_pieces("0", "0.1 * g")),
        (lambda self, x: (x * x).mean(), lambda g, x: 2 * g * x, (70, 80), computes("2 * g * x", "2 * g * x / x.size")),
        (lambda self, x: share(x), lambda g, x: share(x) * (g - (g * share(x)).mean(axis=-1, keepdims=True)), (40, 50),
         computes("y * (g - mean(g * y, axis=1))", "y * (g - sum(g * y, axis=1))")),
    ],
)  # fmt: skip
def test_large_arrays_have_formulas_too(forward, backward, shape, said):
    assert hints(forward, backward, np.random.default_rng(6).normal(size=shape)) == [said]


# ---------------------------------------------------------------------- places
def test_an_index_that_occurs_twice_is_named():
    def backward(g, x):
        gx = np.zeros_like(x)
        gx[[0, 2, 2, 5]] = g
        return gx

    (finding,) = check_gradients(function(lambda self, x: x[[0, 2, 2, 5]], backward), V).findings
    assert finding.kind == "local_error" and "the share of the last one only" in finding.message
    assert "np.add.at(gx, index, g)" in finding.hint


def test_numbers_in_an_order_without_a_name_are_recognised():
    (finding,) = check_gradients(function(lambda self, x: x.reshape(4, 3), lambda g, x: g.T), A).findings
    assert finding.kind == "rearranged" and "in another order" in finding.message


def test_numbers_that_are_off_by_little_are_in_their_places():
    """A sixth in single precision, in a function of double precision."""
    sixth = float(np.float32(1 / 6))
    f = function(lambda self, x: np.clip(x / 6 + 0.5, 0, 1), lambda g, x: g * (np.abs(x) < 3) * sixth)
    report = check_gradients(f, np.random.default_rng(0).normal(size=20))
    assert report.verdict == "wrong" and "rearranged" not in {finding.kind for finding in report.findings}


# ---------------------------------------------------------------------- the truth
@pytest.mark.parametrize(("family", "least"), [("reductions", 3), ("rows", 1), ("pieces", 4)])
def test_what_is_said_is_true_at_new_points(family, least):
    count = said_of(family, range(12))
    assert count >= least


@pytest.mark.full
@pytest.mark.parametrize("family", ["reductions", "rows", "pieces"])
def test_what_is_said_of_very_many_is_true(family):
    assert said_of(family, range(12, 1000)) > 100


def said_of(family, seeds):
    """Of how many draws formulas are said; all of them must be true."""
    count = 0
    for seed in seeds:
        drawn = draw(family, seed)
        for finding in findings(drawn):
            if "written" in finding.evidence:
                count += 1
                assert is_true(drawn, finding, seed), (family, seed, str(finding))
    return count
