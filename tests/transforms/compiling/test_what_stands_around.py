"""A compiled function notices what changes around it, however it reads it; or it says why it runs as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.each import each
from helpers.readings import COMPILED, FOLLOWED, FORMS, REFUSED, Reading, program, random_parts
from helpers.worlds import told

import autolab

OF_THE_WORLD = {"time", "clock", "date", "identity", "process"}
"""What is another at every call."""

CELLS = [
    pytest.param(reading, form, id=f"{reading.label}-{j}", marks=[] if j == i % len(FORMS) else pytest.mark.full)
    for i, reading in enumerate([*FOLLOWED, *REFUSED, *COMPILED])
    for j, form in enumerate(FORMS)
]


@each(("reading", "form"), CELLS)
def test_a_reading_is_followed_or_refused(reading: Reading, form: str, tmp_path: Path) -> None:
    parts = program([(reading, form)])
    compiled, plain = told(*parts, tmp_path / "a", autolab.compile), told(*parts, tmp_path / "b", lambda f: f)
    assert reading.label in OF_THE_WORLD or compiled.results == plain.results
    assert len(compiled.lines) == bool(compiled.refusals)
    assert not any(["different bits" in why for why in compiled.refusals])


@each("seed", [pytest.param(i, marks=[] if i < 10 else pytest.mark.full) for i in range(600)])
def test_readings_together(seed: int, tmp_path: Path) -> None:
    chosen = random_parts(seed)
    parts = program(chosen)
    compiled, plain = told(*parts, tmp_path / "a", autolab.compile), told(*parts, tmp_path / "b", lambda f: f)
    assert OF_THE_WORLD & {reading.label for reading, _ in chosen} or compiled.results == plain.results
