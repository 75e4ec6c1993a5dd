"""The tutorials: the notebooks, executed, with pages that move and links to where exercises are answered."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import moving
import programs

from autolab.lesson.pages.notebook_page import executed
from autolab.lesson.shipped import notebooks
from autolab.views.export.pages import PAGE, page_of

ROOT = Path(__file__).resolve().parents[2]
_LAB = "../jupyter/lab/index.html?path=notebooks/{file}"
_TOP = """<p class="lesson-links">Read and move here, then answer the exercises
<a href="{address}">in your browser</a> (JupyterLab opens, with nothing to install)
or <strong>in the lab</strong>: <code>autolab lab {name}</code>.</p>"""
_EXERCISE = """<p class="exercise"><strong>Exercise.</strong> Answer it <a href="{address}">in your browser</a>
or in the lab; there it is checked.</p>"""
_CELL = (
    """<p class="cell-link"><a href="{address}">Open this cell in the playground</a>, where you can change it.</p>"""
)
_PLAYGROUND = "../playground/index.html"


def lessons(stage: Path) -> None:
    """Each notebook with what its cells show."""
    found = {name: ROOT / "notebooks" / Path(file).name for name, file in notebooks().items()}
    with ProcessPoolExecutor(2) as executor:
        for file, book in zip(found.values(), executor.map(_run, found.values()), strict=True):
            _tell(book, [*found][[*found.values()].index(file)], file, stage / "extra")
            (stage / "notebooks").mkdir(parents=True, exist_ok=True)
            (stage / "notebooks" / file.name).write_text(json.dumps(book), "utf-8")


def _run(file: Path) -> Any:
    return json.loads(json.dumps(executed(file, moving.PLAYGROUND)))


def _tell(book: Any, name: str, file: Path, extra: Path) -> None:
    """Make of an executed notebook what Sphinx is given."""
    links = {"address": _LAB.format(file=file.name), "name": name}
    cells: list[Any] = []
    sources: list[str] = []
    count = 0
    for cell in book["cells"]:
        sources += ["".join(cell["source"])] * (cell["cell_type"] == "code")
        if cell["cell_type"] == "code" and programs.CHECK.search(sources[-1]):
            cells.append(_words(f"links-{len(cells)}", _EXERCISE.format(**links)))
            cell["outputs"] = []
        is_linked = not cell.get("outputs")
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error" and "raises-exception" not in cell["metadata"].get("tags", ()):
                raise RuntimeError(f"{file.name}, cell {cell['id']}: {output['ename']}: {output['evalue']}")
            if held := output.get("data", {}).get(PAGE):
                count += 1
                is_linked = bool(json.loads(held["data"])["state"].get("playground"))
                output["data"] = {"text/html": _frame(held, f"{file.stem}_{count}", extra)}
        cells.append(cell)
        if not is_linked:
            address = programs.address(_PLAYGROUND, programs.program(sources, len(sources) - 1))
            cells.append(_words(f"links-{len(cells)}", _CELL.format(address=address)))
        if len(cells) == 1:
            cells.append(_words("links", _TOP.format(**links)))
    book["cells"] = cells
    book["metadata"].pop("widgets", None)


def _frame(held: Any, name: str, extra: Path) -> str:
    """A live view as a page that moves."""
    page = page_of(held["view"], held["title"], held["data"], "auto")
    moving.save(extra, name, held["view"], page)
    return moving.frame(name, held["title"], 1, held["view"])


def _words(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}
