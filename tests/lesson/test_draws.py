"""Whatever inputs are drawn, every typical mistake is recognised and every solution passes."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

from autolab.lesson import checking

from .lessons import mistaken, run_exercise, solved
from .test_answers import ALL, WRONG


@pytest.fixture
def judged(monkeypatch):
    """What comes out for the answers of exercises with that in their name, at a seed: those judged otherwise than they
    should be, and how many there are."""
    fresh = np.random.default_rng
    monkeypatch.setattr(checking, "_given", {})

    def at(seed, part=""):
        monkeypatch.setattr(np.random, "default_rng", lambda given=seed: fresh(given))
        cases = [(name, mistaken(notebook, name, wrong), wrong["kind"]) for notebook, name, wrong in WRONG]
        cases += [(name, solved(notebook, name), "") for notebook, name in ALL]
        notebooks = [notebook for notebook, *_ in (*WRONG, *ALL)]
        chosen = [(notebook, *case) for notebook, case in zip(notebooks, cases, strict=True) if part in case[0]]
        misjudged = []
        for notebook, name, source, kind in chosen:
            with contextlib.redirect_stdout(io.StringIO()):
                outcome = run_exercise(notebook, source)
            if (outcome.passed, outcome.kind) != (not kind, kind):
                misjudged.append((seed, name, kind, outcome.kind))
        return misjudged, len(chosen)

    return at


def test_no_draw_of_the_first_slope_is_misjudged(judged):
    assert [wrong for seed in range(30) for wrong in judged(seed, "start-slope")[0]] == []


@pytest.mark.full
def test_no_draw_of_3_000_of_the_first_slope_is_misjudged(judged):
    results = [judged(seed, "start-slope") for seed in range(400)]
    assert sum(count for _, count in results) >= 3_000
    assert [wrong for found, _ in results for wrong in found] == []


@pytest.mark.full
def test_no_draw_of_any_exercise_is_misjudged(judged):
    results = [judged(seed) for seed in range(20)]
    assert sum(count for _, count in results) >= 3_000
    assert [wrong for found, _ in results for wrong in found] == []
