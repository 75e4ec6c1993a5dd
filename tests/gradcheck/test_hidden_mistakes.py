"""Mistakes as students make them are caught and named: those by which the rules were improved, and those put aside."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from hidden_aside import ASIDE
from hidden_mistakes import counts
from hidden_seen import SEEN
from hidden_statistics import STATISTICS

from autolab import Variable, check_gradients

SETS = {"seen": SEEN, "aside": ASIDE}


def test_there_are_two_hundred_of_them_and_none_twice():
    names = [h.name for h in (*SEEN, *ASIDE)]
    assert len(names) >= 200 and len(set(names)) == len(names)


@pytest.mark.parametrize("which", SETS)
def test_a_slice_of_them_is_caught_and_named(which):
    drawn, caught, kind, very = counts(SETS[which][::6], [0])
    assert caught == drawn and kind >= drawn - 1 and very >= drawn - 2


@pytest.mark.parametrize("seeds", [[0], pytest.param([1, 2, 3], marks=pytest.mark.full)])
def test_what_a_row_shares_one_path_and_products_are_named(seeds):
    drawn, caught, kind, very = counts(STATISTICS, seeds, verbose=True)
    assert caught == kind == very == drawn


def test_a_forward_that_fills_the_same_array_again_is_none():
    """Each result is a copy then."""
    kept = np.empty((4, 2))
    exp = node(lambda x: np.exp(x, out=kept), lambda g, x: g * np.exp(x))
    x = np.random.default_rng(0).normal(size=(4, 2))
    assert check_gradients(exp, x).verdict == "right"
    first, second = exp(Variable(x)), exp(Variable(2 * x))
    assert np.array_equal(first.data, np.exp(x)) and np.array_equal(second.data, np.exp(2 * x))


@pytest.mark.full
@pytest.mark.parametrize(("which", "named"), [("seen", 0.95), ("aside", 0.95)])
def test_all_of_them_are_caught_and_most_named(which, named):
    drawn, caught, kind, very = counts(SETS[which], range(3))
    assert caught == drawn and kind >= 0.99 * drawn and very >= named * drawn
