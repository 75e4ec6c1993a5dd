"""The notebooks: their form, and executed as they are, and with the solutions."""

from __future__ import annotations

import json
import re
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


def executed(notebook: Path, folder: Path, sources: dict[str, str], times: int = 1) -> tuple[dict[str, Any], float]:
    """The outputs of the code cells, and how many seconds of the processor the kernel took for them."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(notebook, as_version=4)
    for cell in book.cells:
        cell.source = sources.get(cell.id, cell.source)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    clock = "import time; print(time.process_time())"
    again = [nbformat.v4.new_code_cell(cell.source) for cell in code for _ in range(times - 1)]
    parts = [part for i, cell in enumerate(code) for part in (cell, *again[i * (times - 1) : (i + 1) * (times - 1)])]
    first, last = nbformat.v4.new_code_cell(clock), nbformat.v4.new_code_cell(clock)
    book.cells = [first, *parts, last]
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    start, end = (float(cell.outputs[0].text) for cell in (first, last))
    return {cell.id: cell.outputs for cell in parts}, end - start


def check_outputs(outputs: dict[str, Any]) -> None:
    """No error, nothing on stderr, nothing huge, and no cell that shows nothing."""
    for name, shown in outputs.items():
        assert shown, f"{name} shows nothing"
        assert not [o for o in shown if o.output_type == "error" or o.get("name") == "stderr"], name
        assert len(json.dumps(shown)) <= OUTPUT, name


def state(outputs: Any) -> str:
    return "".join(outputs[0].data["text/html"])


@pytest.mark.lab
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_as_it_is(notebook, tmp_path):
    outputs, seconds = executed(notebook, tmp_path, {})
    check_outputs(outputs)
    assert all("not yet" in state(outputs[name]) for name in answers(notebook))
    first = next(iter(outputs.values()))[0].data  # a picture: no page will talk to this kernel
    assert "<img" in first["text/html"] and "application/vnd.jupyter.widget-view+json" not in first
    assert seconds <= SECONDS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.lab
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_with_the_solutions(notebook, tmp_path):
    outputs, seconds = executed(notebook, tmp_path, {name: solved(notebook, name) for name in answers(notebook)})
    check_outputs(outputs)
    assert all("✓ Right" in state(outputs[name]) for name in answers(notebook))
    assert seconds <= SECONDS


@pytest.mark.lab
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_twice(notebook, tmp_path):
    outputs, _ = executed(notebook, tmp_path, {}, times=2)
    check_outputs(outputs)
