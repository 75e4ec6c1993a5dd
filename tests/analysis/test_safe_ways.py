"""The safe way to write what is not finite is run in the program's place: its numbers are those of the program that is
written so."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.analysis.diagnosis.report import number

ROWS, T = np.arange(8), np.arange(8) % 3
X = np.random.default_rng(0).normal(size=(8, 4)).astype("f")


def picked(net, x):
    z = net(x)
    p = F.softmax(z)
    return -F.mean(F.log(p)[ROWS, T])


def rest(net, x):
    z = net(x)
    return F.mean(F.where(ROWS[:, None] < 4, z, F.log(1 - F.sigmoid(z))))


def partition(net, x):
    z = net(x)
    return F.mean(F.log(F.sum(F.exp(z), axis=1)) - z[:, 0])


def softplus(net, x):
    z = net(x)
    return F.mean(F.log(1 + F.exp(z)))


def softplus_by_log1p(net, x):
    z = net(x)
    e = F.exp(z)
    return F.mean(F.log1p(e))


def lengths(net, x):
    d = net(x) * (ROWS[:, None] > 0)
    squares = F.sum(d * d, axis=1)
    return F.mean(F.sqrt(squares))


def branches(net, x):
    z = net(x)
    return F.mean(F.where(z > 0, F.sqrt(z), z))


def quotient(net, x):
    z = net(x)
    y = z * 0
    return F.mean((z - 1) / y)


def safe_lengths(z):
    d = z * (ROWS[:, None] > 0)
    return F.mean(F.sqrt(F.sum(d * d, axis=1) + 1e-8))


WAYS = [
    (picked, "log_softmax(z)", lambda z: -F.mean(F.log_softmax(z)[ROWS, T])),
    (rest, "logsigmoid(-z)", lambda z: F.mean(F.where(ROWS[:, None] < 4, z, F.logsigmoid(-z)))),
    (partition, "logsumexp(z)", lambda z: F.mean(F.logsumexp(z, axis=1) - z[:, 0])),
    (softplus, "softplus(z)", lambda z: F.mean(F.softplus(z))),
    (softplus_by_log1p, "softplus(z)", lambda z: F.mean(F.softplus(z))),
    (lengths, "sqrt(squares + 1e-8)", safe_lengths),
    (branches, "sqrt(where(z > 0, z, 1))", lambda z: F.mean(F.where(z > 0, F.sqrt(F.where(z > 0, z, 1)), z))),
    (quotient, "(z - 1) / (y + 1e-8)", lambda z: F.mean((z - 1) / (z * 0 + 1e-8))),
]


@pytest.fixture
def net():
    made = L.Linear(4, 3)
    made.W.data = 200 * np.random.default_rng(1).normal(size=(3, 4)).astype("f")
    return made


def remedy(loss, net):
    (found,) = [f for f in autolab.diagnose(loss, net, X).findings if f.kind == "not_finite"]
    return found.remedy


@pytest.mark.parametrize(("loss", "text", "safe"), WAYS)
def test_the_numbers_are_those_of_the_program_that_is_written_so(net, loss, text, safe):
    said, value = remedy(loss, net), safe(net(X))
    value.backward()
    largest = max(float(np.abs(p.grad.array).max()) for p in net.params())
    assert said == (
        f"Write `{text}`: with the same numbers, the loss is {number(value.item())} and no gradient is larger than "
        f"{number(largest)}."
    )


def test_what_does_not_help_is_not_said(net):
    def loss(net, x):
        return F.mean(F.log(-1 - net(x) ** 2))  # however it is clipped, nothing is learned

    assert not remedy(loss, net).startswith("Write")


@pytest.mark.parametrize(
    ("loss", "x", "reached"),
    [
        (lambda d: np.sqrt(d).sum(), [0, 1], "It reaches d."),
        (lambda d: F.sqrt(F.sum(d * d)), np.zeros(3), "It reaches d."),
        (lambda d: F.sum(F.log(d)), np.array([0.0, 1.0]), "It reaches the loss."),
        (
            lambda d: F.sum(F.sqrt(d) * W),
            np.array([0.0, 1.0]),
            None,
        ),  # of a net nobody asks for the gradient of its data
    ],
)
def test_without_parameters_the_gradients_of_the_arguments_count(loss, x, reached):
    found = autolab.diagnose(loss, x).findings
    assert [f.message.endswith(str(reached)) for f in found if f.kind == "not_finite"] == [True] * (reached is not None)


W = autolab.Variable(np.ones(2), name="w")
