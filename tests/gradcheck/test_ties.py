"""Equal elements: each may get any slope between those of its sides, but all together only what their joint move
says. Right functions with kinks and ties are not accused, whatever convention they follow."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from right_families import kinks_and_ties

from autolab import check_gradients
from autolab import functions as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def causes(report):
    return [finding.evidence.get("cause") for finding in report.findings if not finding.innocent]


@pytest.mark.parametrize("count", [24, pytest.param(2_000, marks=pytest.mark.full)])
def test_no_tie_is_held_against_a_right_function(count):
    for seed in range(count):
        function, inputs = kinks_and_ties(np.random.default_rng([seed, 32]))
        report = check_gradients(function, *inputs)
        assert "tie" not in causes(report), (seed, inputs, report)


SHARES = {
    "all of it": lambda tied: tied * 1.0,
    "none of it": lambda tied: tied * (tied.sum(axis=-1, keepdims=True) == 1.0),
    "half of it": lambda tied: np.where(tied.sum(axis=-1, keepdims=True) == 1.0, tied, 0.5 * tied),
    "equal shares": lambda tied: tied / tied.sum(axis=-1, keepdims=True),
    "the first": lambda tied: tied * (np.cumsum(tied, axis=-1) == 1.0),
}
POINTS = (
    [[1.0, 1, 0], [2, 0, 2]],
    [[1.5] * 3] * 2,
    [[0.0] * 3] * 2,
    [[0.0, 0, -1], [3, 0, 3]],
    [[1.0] * 3, [0, 1, 2]],
)


def pooling(share):
    def backward(g, a):
        return g[..., None] * share(a == a.max(axis=-1, keepdims=True))

    return node(lambda a: a.max(axis=-1), backward)


def largest_size(share):
    def backward(g, a):
        return g * np.sign(a) * share(abs(a) == abs(a).max())

    return node(lambda a: np.asarray(abs(a).max()), backward)


@pytest.mark.parametrize("share", SHARES)
def test_tied_elements_share_one_gradient(share):
    rule = SHARES[share]
    pairs = share == "half of it"  # which is right for two, and not for three
    right = share in ("equal shares", "the first")
    for point in POINTS:
        is_right = right or (pairs and not any(row.count(max(row)) > 2 for row in point))
        report = check_gradients(pooling(rule), point)
        assert report.verdict == ("right" if is_right else "wrong"), report
        assert is_right or "tie" in causes(report)
    for point in ([1.0, -1.0, 0.5], [-2.0, 2.0, 2.0], [3.0, 3.0, 3.0]):
        is_right = right or (pairs and sum(abs(v) == abs(point[0]) for v in point) == 2)
        assert check_gradients(largest_size(rule), point).verdict == ("right" if is_right else "wrong")


def larger(of_first, of_second):
    return node(np.maximum, lambda g, a, b: (g * of_first(a, b), g * of_second(a, b)))


def test_ties_of_different_inputs_count_too():
    a, b = np.array([1.0, 2, 0]), np.array([1.0, 0, 0])
    for right in (larger(np.greater_equal, np.less), larger(np.greater, np.less_equal), np.maximum):
        assert check_gradients(right, a, b).passed
    for wrong in (larger(np.greater_equal, np.less_equal), larger(np.greater, np.less)):
        report = check_gradients(wrong, a, b)
        assert [report[k].verdict for k in ("inputs[0]", "inputs[1]")] == ["wrong", "wrong"]
        (finding,) = [f for f in report.findings if f.evidence.get("cause") == "tie"]
        assert "inputs[0][0] and inputs[1][0] are equal" in finding.message or "[2]" in finding.message
        assert "lies outside" not in str(report)


def test_a_tie_that_is_wrong_is_found_beside_others():
    """A tie among many values; before and after other functions; of a pooling over windows that overlap."""
    wrong = pooling(SHARES["all of it"])
    x = np.array([[0.3, 2.0, 2.0, -1.0], [0.1, 0.2, 0.3, 0.4]])
    for function in (lambda x: np.tanh(wrong(x)), lambda x: wrong(np.exp(x)) * 2.0, lambda x: F.sum(wrong(x) ** 2)):
        assert check_gradients(function, x).verdict == "wrong"
    for function in (lambda x: np.tanh(np.max(x, axis=-1)), lambda x: F.max_pool2d(x[None, None], (1, 3), stride=1)):
        assert check_gradients(function, x).passed
