"""The notebooks: their form, and executed as they are, and with the solutions."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from .lessons import NOTEBOOKS, answers, cells, raw, solved

BYTES, CELLS, OUTPUT, SECONDS = 60_000, 40, 200_000, 10
DRAWING = ("autolab.explore(", "autolab.derivatives(", "autolab.interact(")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_form(notebook):
    found = raw(notebook)["cells"]
    assert notebook.stat().st_size <= BYTES and len(found) <= CELLS
    topic = notebook.stem.partition("_")[2]
    ids = [cell["id"] for cell in found]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(rf"{topic}(-[a-zA-Z]+)+", name) for name in ids), ids
    assert [cell["cell_type"] for cell in found[:2]] == ["markdown", "code"]
    assert next(iter(cells(notebook).values())).splitlines()[-1].startswith(DRAWING)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_text(notebook):
    text = ["".join(cell["source"]) for cell in raw(notebook)["cells"] if cell["cell_type"] == "markdown"]
    levels = [len(signs) for signs in re.findall(r"^(#+) ", "\n".join(text), re.MULTILINE)]
    assert levels.count(1) == 1 and levels[0] == 1 and set(levels) <= {1, 2}
    for target in re.findall(r"\]\(([^)#:]+)\)", "\n".join(text)):
        assert (notebook.parent / target).exists(), target


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_code_needs_no_network_no_matplotlib_and_no_hidden_generator(notebook):
    code = "\n".join(cells(notebook).values())
    assert not re.search(
        r"matplotlib|requests|urllib|https?:|np\.random\.(?!default_rng)|default_rng\(\)|#(?! <-- )", code
    )


CLOCK = "import time; print(time.process_time())"


def executed(notebook: Path, folder: Path, *rounds: dict[str, str], times: int = 1) -> list[dict[str, Any]]:
    """The outputs of the code cells in each round, all in one kernel.

    A round replaces the sources of some cells and runs each so many times; it takes the processor `SECONDS` at most.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell

    book = nbformat.read(notebook, as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code" for _ in range(times)]
    names = [cell.id + " again" * (i % times) for i, cell in enumerate(code)]
    runs = [[new_code_cell(sources.get(cell.id, cell.source), id=cell.id) for cell in code] for sources in rounds]
    clocks = [new_code_cell(CLOCK) for _ in range(len(runs) + 1)]
    book.cells = [clocks[0], *[cell for run, clock in zip(runs, clocks[1:], strict=True) for cell in (*run, clock)]]
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    told = [float(clock.outputs[0].text) for clock in clocks]
    assert max([end - begin for begin, end in pairwise(told)]) <= times * SECONDS
    return [{name: cell.outputs for name, cell in zip(names, run, strict=True)} for run in runs]


def check_outputs(outputs: dict[str, Any]) -> None:
    """No error, nothing on stderr, nothing huge, and no cell that shows nothing."""
    for name, shown in outputs.items():
        assert shown, f"{name} shows nothing"
        assert not [o for o in shown if o.output_type == "error" or o.get("name") == "stderr"], name
        assert len(json.dumps(shown)) <= OUTPUT, name


def state(outputs: Any) -> str:
    return "".join(outputs[0].data["text/html"])


@pytest.mark.whole
@pytest.mark.lab
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_as_it_is_and_then_with_the_solutions(notebook, tmp_path):
    outputs, right = executed(notebook, tmp_path, {}, {name: solved(notebook, name) for name in answers(notebook)})
    check_outputs(outputs)
    assert all("not yet" in state(outputs[name]) for name in answers(notebook))
    first = next(iter(outputs.values()))[0].data  # a picture: no page will talk to this kernel
    assert "<img" in first["text/html"] and "application/vnd.jupyter.widget-view+json" not in first
    assert list(tmp_path.iterdir()) == []
    check_outputs(right)
    assert all("✓ Right" in state(right[name]) for name in answers(notebook))


@pytest.mark.lab
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_twice(notebook, tmp_path):
    (outputs,) = executed(notebook, tmp_path, {}, times=2)
    check_outputs(outputs)
