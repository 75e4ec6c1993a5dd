"""What docs/compile.md shows is what happens."""

from __future__ import annotations

import doctest
import itertools

import numpy as np
import pytest
from helpers.checkout import ROOT

import autolab
from autolab.transforms.compiling import traced_run


def test_the_examples_of_the_page_are_right() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "compile.md"), module_relative=False)
    assert found.attempted > 15 and not found.failed


def test_the_time_that_other_threads_take_is_none_of_the_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = itertools.count(step=5)  # by the clock on the wall each call takes 5 seconds
    monkeypatch.setattr(traced_run, "perf_counter", lambda: next(waits))
    fast = autolab.compile(lambda x: np.sin(x) + 1)
    for i in range(3):
        fast(np.full(4, float(i)))
    assert 0 <= fast.report().programs[0].written < 1
