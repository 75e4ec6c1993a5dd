"""What cannot be compiled runs as it is written, once for each call, and one warning names it and its line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from helpers.each import each
from helpers.refused_by_compile import KINDS, SETTINGS, Kind, text
from helpers.worlds import told

import autolab

CELLS = [
    pytest.param(kind, setting, id=f"{kind.label}-{setting}", marks=[] if j == i % 5 else pytest.mark.full)
    for i, kind in enumerate(KINDS)
    for j, setting in enumerate(SETTINGS)
]
SETUP = "import io\nseen = []\nout = io.StringIO()\n"


def left(world: dict[str, Any], folder: Path) -> Any:
    """What calls have done to the world."""
    state = {name: world.get(name) for name in ("n", "seen", "l", "d", "s", "a", "i")}
    files = sorted([(path.name, path.read_bytes()) for path in folder.iterdir()])
    held = {name: repr(vars(world[name])) for name in ("c",) if name in world}
    return repr(state), files, held, io.StringIO.getvalue(world["out"])


@each(("kind", "setting"), CELLS)
def test_it_runs_as_it_is_written(kind: Kind, setting: str, tmp_path: Path) -> None:
    function = text(kind, setting)
    parts = SETUP + kind.setup, function, "pass"
    compiled = told(*parts, tmp_path / "a", autolab.compile, calls=3)
    plain = told(*parts, tmp_path / "b", lambda f: f, calls=3)
    assert compiled.results == plain.results
    assert left(compiled.world, tmp_path / "a") == left(plain.world, tmp_path / "b")
    assert compiled.refusals and kind.named in compiled.refusals[0]
    assert len(compiled.lines) == 1
    if "#!" in function:
        assert compiled.lines == [("function", function[: function.index("#!")].count("\n") + 1)]
