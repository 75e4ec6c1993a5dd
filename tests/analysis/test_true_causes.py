"""A diagnosis names the real cause, and says nothing about the correct program next to it."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import links as L
from autolab import optimizers

RNG = np.random.default_rng(3)
T = np.arange(64) % 3
X = RNG.normal(size=(64, 4)) + 2 * np.eye(4)[T]


def net():
    return L.Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))


def training(loss, model=None):
    """A training step with the loss of a model."""
    model = model or net()
    optimizer = optimizers.SGD(0.1).setup(model)

    def train_step():
        y = loss(model)
        model.cleargrads()
        y.backward()
        optimizer.update()
        return y

    return train_step


def told(fn, *args, steps=20):
    """The kinds of the findings, and all sentences."""
    diagnosis = autolab.diagnose(fn, *args, steps=steps)
    return [found.kind for found in diagnosis.findings], str(diagnosis)


def parameter(*numbers):
    return autolab.Parameter(np.array(numbers))


# ---------------------------------------------------------------------------------------------- not finite
def rounds_to_almost_zero(w):
    p = F.softmax(w * np.array([730.0, 0.0]))
    return -F.log(p)[1]


def overflows(w):
    return F.mean((w * 1e200) ** 2)


def of_zero(w):
    return F.sum((w - 0.5) ** 0.5)


def by_zero(w):
    return F.sum(w / 0.0)


def by_little(w):
    return F.sum(1.0 / (w * 1e-310))


def of_itself(w):
    return F.sum(w**w)


@pytest.mark.parametrize(
    ("fn", "numbers", "line", "says", "never"),
    [
        (rounds_to_almost_zero, (1.0, 1.0), "F.log(p)", ["the slope of the logarithm", "log_softmax("], "row of -inf"),
        (overflows, (0.5, 2.0), "(w * 1e200) ** 2", ["a power that overflows", "smaller"], "above 0"),
        (of_zero, (0.5, 2.0), "(w - 0.5) ** 0.5", ["a power of 0"], "overflows"),
        (by_zero, (0.5, 2.0), "w / 0.0", ["a division by 0", "`w / (0 + 1e-8)`"], "(w + 1e-8)"),
        (by_little, (0.5, 2.0), "1.0 / (w * 1e-310)", ["a division that overflows"], "by 0"),
        (of_itself, (-0.5, 2.0), "w**w", ["negative number", "** w`"], "** None"),
    ],
)
def test_what_is_not_finite_has_its_own_cause(fn, numbers, line, says, never):
    (found,) = autolab.diagnose(fn, parameter(*numbers)).findings
    text = f"{found.message} {found.remedy}"
    assert found.kind == "not_finite" and f"`{line}`" in text
    assert [word for word in says if word not in text] == [] and never not in text


def test_rows_that_are_masked_altogether_are_still_to_blame():
    def loss(w):
        keep = np.array([[False, False], [True, True]])
        return F.sum(F.softmax(F.where(keep, w * np.ones((2, 2)), -np.inf), axis=1) * np.arange(2))

    (found,) = autolab.diagnose(loss, parameter(0.5, 2.0)).findings
    assert "a row of -inf only" in found.message


# ---------------------------------------------------------------------------------------------- nothing is learned
def test_what_was_computed_before_the_step_is_not_said_to_fail():
    model = net()
    optimizer = optimizers.SGD(0.1).setup(model)
    scores = model(X)

    def train_step():
        loss = F.softmax_cross_entropy(scores, T)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for _ in range(3):
        train_step()  # it does not raise
    kinds, text = told(train_step)
    assert kinds == ["graph_reused"]
    assert "`scores` was computed from model.0.W" in text and "raised" not in text and "Nothing on the way" not in text


def picked(model):
    return F.mean(F.log_softmax(model(X), axis=1)[np.arange(64), T])


def test_a_log_likelihood_without_its_minus_sign_is_named():
    kinds, text = told(training(picked))
    assert kinds == ["uphill"] and "as small as it can" in text and "minus sign" in text
    assert told(training(lambda model: -picked(model)))[0] == []
    assert told(training(lambda model: picked(model) / -1.0))[0] == []


def test_probabilities_picked_by_numpy_indices_without_a_logarithm_are_named():
    kinds, _ = told(training(lambda model: -F.mean(F.softmax(model(X), axis=1)[np.arange(64), T])))
    assert kinds == ["missing_log"]


def test_gradients_that_no_update_uses_are_named_also_without_an_optimizer():
    model = net()

    def train_step():
        loss = F.softmax_cross_entropy(model(X), T)
        model.cleargrads()
        loss.backward()
        for p in model.params():
            p = p - 0.1 * p.grad  # a new name, and the parameter stays
        return loss

    kinds, text = told(train_step)
    assert kinds == ["does_not_overfit"] and "no parameter changes." in text and "w.data = w.data" in text
    assert told(train_step, steps=5)[0] == []  # so few may be collected for one update


def test_an_update_without_gradients_is_named_also_where_the_program_catches_its_error():
    model = net()
    optimizer = optimizers.SGD(0.1).setup(model)

    def train_step():
        loss = F.softmax_cross_entropy(model(X), T)
        loss.backward()
        model.cleargrads()
        try:
            optimizer.update()
        except RuntimeError:
            print("no update")
        return loss

    kinds, text = told(train_step)
    assert kinds == ["gradients_cleared"] and "finds no gradient" in text and "is never called" not in text


def test_a_mask_that_leaves_nothing_over_is_named():
    mask = np.zeros(64)

    def loss(model):
        return F.sum(-F.log_softmax(model(X), axis=1)[np.arange(64), T] * mask)

    kinds, text = told(training(loss))
    assert kinds == ["cut_gradient"] and "multiplies by `mask`, which is 0: no gradient" in text
    mask[:9] = 1
    assert told(training(loss))[0] == []


@pytest.mark.parametrize("are_apart", [True, False])
def test_arrays_of_numpy_in_orders_of_their_own_are_named(are_apart):
    rng, x, t = np.random.default_rng(0), X, T

    def loss(model):
        i, j = rng.permutation(64), rng.permutation(64)
        return F.softmax_cross_entropy(model(x[i]), t[j] if are_apart else t[i])

    kinds, text = told(training(loss))
    assert kinds == ["shuffled_labels"] * are_apart
    assert ("get the target of another one" in text) == are_apart


@pytest.mark.parametrize(("rate", "kinds"), [(0.97, ["dropout"]), (0.5, [])])
def test_a_rate_of_dropout_that_leaves_little_over_is_named(rate, kinds):
    model = L.Sequential(L.Linear(4, 16), F.relu, L.Dropout(rate), L.Linear(16, 3))
    assert told(training(lambda model: F.softmax_cross_entropy(model(X), T), model))[0] == kinds


def test_several_targets_of_each_example_are_no_order_of_their_own():
    x, t = X[:2], np.arange(6) % 3

    def loss(model):
        return F.softmax_cross_entropy(F.reshape(model(x), (6, 3)), t)

    model = L.Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 9))
    assert "shuffled_labels" not in told(training(loss, model))[0]


def test_gradients_that_became_0_are_not_said_to_be_cleared():
    """The first update saturates every unit, and from then on all gradients are 0."""
    model = L.Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 1), F.sigmoid)
    optimizer = optimizers.SGD(1e5).setup(model)

    def train_step():
        loss = F.mean((model(X) - (T > 0)[:, None]) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    kinds, text = told(train_step)
    assert "gradients_cleared" not in kinds and "clears" not in text and "no parameter changes" not in text
