"""Mistakes as students make them are caught and named: those by which the rules were improved, and those put aside."""

from __future__ import annotations

import pytest
from hidden_aside import ASIDE
from hidden_mistakes import counts
from hidden_seen import SEEN

SETS = {"seen": SEEN, "aside": ASIDE}


def test_there_are_two_hundred_of_them_and_none_twice():
    names = [h.name for h in (*SEEN, *ASIDE)]
    assert len(names) >= 200 and len(set(names)) == len(names)


@pytest.mark.parametrize("which", SETS)
def test_a_slice_of_them_is_caught_and_named(which):
    drawn, caught, kind, very = counts(SETS[which][::6], [0])
    assert caught == drawn and kind >= drawn - 1 and very >= drawn - 2


@pytest.mark.full
@pytest.mark.parametrize(("which", "named"), [("seen", 0.95), ("aside", 0.95)])
def test_all_of_them_are_caught_and_most_named(which, named):
    drawn, caught, kind, very = counts(SETS[which], range(3))
    assert caught == drawn and kind >= 0.99 * drawn and very >= named * drawn
