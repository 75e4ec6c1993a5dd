"""What running a function changes around it is found and named, however it is kept; what is only read is no change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.readings import FOLLOWED, REFUSED, Reading

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms.compiling.walk import changes_around, reads

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of functions that catch such an error

MORE = (
    *("itertools' counter", "generator", "queue", "random number", "generator of its own"),
    *("NumPy's random number", "NumPy's generator"),
)
COUNTERS = {
    reading.label: reading for reading in REFUSED if reading.label.startswith("counter") or reading.label in MORE
}


def _found(reading: Reading, tmp_path: Any) -> str | None:
    world: dict[str, Any] = {"np": np, "autolab": autolab, "F": F, "folder": tmp_path, "__name__": "lesson"}
    setup, read, then = [text.replace("$", "p_") for text in (reading.setup, reading.read, reading.then)]
    exec(setup, world)
    exec(f"def f(x):\n    {then or 'pass'}\n    return x * {read}", world)
    changed = changes_around(world["f"])
    world["f"](Variable(np.ones(2)))
    return changed()


@each("label", COUNTERS)
def test_what_a_run_changes_is_named(label: str, tmp_path: Any) -> None:
    named = COUNTERS[label].named or ""
    assert named.replace("$", "p_").partition(".")[0] in (_found(COUNTERS[label], tmp_path) or "-")


@each("reading", FOLLOWED, ids=[reading.label for reading in FOLLOWED])
def test_what_is_only_read_is_no_change(reading: Reading, tmp_path: Any) -> None:
    assert _found(reading, tmp_path) is None


def test_it_is_bounded_and_takes_no_copy_of_what_is_large() -> None:
    large, many = np.zeros(10**6), [[i] for i in range(10**5)]
    found = reads(lambda x: x * large[0] * many[0][0], [], goes_on=True)
    assert len(found.spots) <= 3_000 and not found.arrays
