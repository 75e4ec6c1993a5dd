"""A notebook as one HTML file that needs no kernel and no network: its cells run here, the page keeps what they show.

A live view is in it as far as it works without a kernel: in a frame that holds its saved page. Where no script
runs, and for what moves only by computing, the page has the picture.

What a notebook holds and what its kernel sends is data. It passes `sanitised` before it enters the page, and the page's
content policy names AutoLab's own styles and scripts and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from ...shared.files import reading, write
from ...views.draw.escape import Markup, clean, element, escape
from ...views.draw.messages import say
from .formulas_as_mathml import without_formulas
from .sanitiser import sanitised

SECONDS = 600
"""A cell that runs longer is interrupted."""

_BRING = "from autolab.views.export.pages import bring_pages as _bring; _bring(); del _bring"
# What an output is shown as, the best first.
_KINDS = (
    *("text/html", "text/markdown", "image/svg+xml", "text/latex"),
    *("image/png", "image/jpeg", "text/plain"),
)
_STYLE = """
:root { color-scheme: light dark; --line: #c5ccd6; --quiet: #f3f5f8; --link: #0b57a4; --failed: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --line: #454d59; --quiet: #1d232b; --link: #8ab8f0; --failed: #ff8a80; }
}
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1.05rem/1.6 system-ui, sans-serif; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
pre { overflow: auto; margin: 0.4rem 0; line-height: 1.45; }
a { color: var(--link); }
.anchor-link, .prompt { display: none; }
.input_area { padding: 0.3rem 0.8rem; background: var(--quiet); border: 1px solid var(--line); border-radius: 6px; }
.output_wrapper { overflow: auto; margin: 0.4rem 0 1.2rem; }
.output_error { padding-left: 0.8rem; border-left: 4px solid var(--failed); }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.7rem; text-align: left; }
"""


def save_notebook(
    notebook: str | os.PathLike[str], path: str | os.PathLike[str], playground: str | None = None
) -> list[str]:
    """Run a notebook and write it as a page.

    Parameters
    ----------
    notebook : str or path
        It stays as it is. Its cells run in its own folder.
    path : str or path
        Where the page goes, with the suffix ``.html``; an existing file is replaced.
    playground : str, optional
        The address of a playground to which live graphs link, as `export_html` takes it.

    Returns
    -------
    list of str
        What went wrong in cells, an entry for each that failed; the page shows it too. Errors that a cell announces
        with the tag ``raises-exception`` belong to the lesson.

    Raises
    ------
    ValueError
        If the suffix is another one, or ``playground`` is no address; a `FileFormatError` if the file is no notebook.
    RuntimeError
        If the notebook's kernel is not installed here.
    OSError
        If the notebook cannot be read or the page cannot be written.
    """
    from ...views.export.playground_link import address

    source, target, linked = Path(notebook), Path(path), address(playground)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"save_notebook: got the path {str(target)!r:.100}; expected one that ends in .html")
    if not os.access(target.absolute().parent, os.W_OK):  # better now than when all cells have run
        raise OSError(f"save_notebook: the folder of {str(target)!r:.100} is not there or cannot be written")
    book = executed(source, linked)
    failures = [failure for cell in book.cells for failure in _failures(cell)]
    page = _page(source.stem, book)
    write(target, page)
    return failures


# ------------------------------------------------------------------------------------------------------- its cells run
def executed(source: Path, playground: str = "") -> Any:
    """The notebook with what its cells show; the output of a live view also holds what its page needs (`PAGE`)."""
    from ...views.export.playground_link import ADDRESS

    book = _read(source)
    _run(book, source.resolve().parent, {**os.environ, ADDRESS: playground})
    return book


def _read(source: Path) -> Any:
    """The notebook without its outputs: what the page shows is computed now."""
    import nbformat

    with reading(source):
        book = nbformat.read(source, as_version=4)
        nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return book


def _run(book: Any, folder: Path, variables: Mapping[str, str]) -> None:
    """Run all cells. One that fails or takes too long shows its error, and the next one runs."""
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError
    from nbformat import ValidationError
    from nbformat.v4 import new_output

    last: list[Any] = []
    client: Any = NotebookClient(
        book,
        timeout=SECONDS,
        interrupt_on_timeout=True,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=lambda cell, cell_index: last.append(cell),
    )
    client.on_notebook_start = lambda notebook: client.kc.execute(_BRING, silent=True)
    try:
        client.execute(env=variables)
    except NoSuchKernel as error:
        name = clean(error.name, 60)
        raise RuntimeError(f"save_notebook: the notebook's kernel {name!r} is not installed here") from None
    except (DeadKernelError, AssertionError, ValidationError) as error:  # nbclient may trip over a kernel that is gone
        if not last:
            raise
        lived = isinstance(error, ValidationError)
        name, told = ("OutputError", "page_no_output") if lived else ("DeadKernelError", "page_kernel_died")
        last[-1].outputs.append(new_output("error", ename=name, evalue=say(told), traceback=[f"{name}: {say(told)}"]))


def _failures(cell: Any) -> list[str]:
    if "raises-exception" in cell.metadata.get("tags", ()):
        return []
    errors = [output for output in cell.get("outputs", ()) if output.output_type == "error"]
    return [clean(f"{error.ename}: {error.evalue}", 160) for error in errors[:1]]


# ------------------------------------------------------------------------------------------------ the page is written
def _page(title: str, book: Any) -> str:
    """The executed notebook as a document, with its live views in frames."""
    from ...views.export.framed_pages import STYLE, page_around

    frames: dict[str, Mapping[str, str]] = {}
    formulas: dict[str, Markup] = {}
    for cell in book.cells:
        _keep(cell, frames)
        if cell.cell_type == "markdown":
            cell.source = without_formulas(cell.source, formulas)
    body = sanitised(_exported(book))
    for mark, formula in formulas.items():
        body = body.replace(mark, formula)
    for mark, held in frames.items():
        body = body.replace(mark, _frame(held))
    return page_around(title, f"{_STYLE}{STYLE}", Markup(body), [held["view"] for held in frames.values()])


def _exported(book: Any) -> str:
    """The cells as HTML. Each piece of it that the notebook wrote is sanitised by itself, so that what one leaves open
    does not reach the next."""
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import InvalidNotebook
    from traitlets.config import Config

    book.metadata = {key: book.metadata[key] for key in ("language_info",) if key in book.metadata}
    config = Config({"NbConvertBase": {"display_data_priority": list(_KINDS)}})
    exporter = HTMLExporter(template_name="basic", sanitize_html=True, config=config)
    exporter.register_filter("clean_html", _piece)
    try:
        return exporter.from_notebook_node(book)[0]
    except InvalidNotebook as error:  # a picture that a cell names is not attached to it
        raise ValueError(f"save_notebook: {clean(error, 160)}") from None


def _piece(text: str) -> str:
    """A part of the page as the notebook wrote it; words where nothing is left of it."""
    kept = sanitised(text)
    return kept if kept.strip() or not text.strip() else element("p", element("em", escape(say("page_left_out"))))


def _keep(cell: Any, frames: dict[str, Mapping[str, str]]) -> None:
    """Leave of a cell what a page shows. A live view becomes a mark in its place, which no notebook can know, and goes
    to ``frames``."""
    cell.metadata = {key: cell.metadata[key] for key in ("raw_mimetype",) if isinstance(cell.metadata.get(key), str)}
    for output in cell.get("outputs", ()):
        if "data" not in output:
            continue
        if held := _held(output.data):
            mark = f"<p>{token_hex(16)}</p>"
            frames[mark] = held
            output.data, output.metadata = {"text/html": mark}, {}
            continue
        kept = {kind: text for kind in _KINDS if isinstance(text := output.data.get(kind), str)}
        output.metadata = {kind: _size(output.metadata.get(kind)) for kind in kept}
        output.data = kept or {"text/plain": say("page_left_out")}


def _size(metadata: Any) -> dict[str, Any]:
    """Width, height and description of a picture."""
    wanted = {"width": int, "height": int, "alt": str}
    known = metadata if isinstance(metadata, Mapping) else {}
    return {key: known[key] for key, kind in wanted.items() if type(known.get(key)) is kind}


def _held(data: Mapping[str, Any]) -> dict[str, str] | None:
    """What the page of a live view holds, with its picture; None if the output is something else."""
    from ...views.export.pages import PAGE, VIEWS

    given = data.get(PAGE)
    texts = {**given, "picture": data.get("text/html")} if isinstance(given, Mapping) else {}
    held = {key: texts[key] for key in ("view", "title", "data", "picture") if isinstance(texts.get(key), str)}
    # The data is in a script element, which a "<" could end; AutoLab writes none.
    return held if len(held) == 4 and held["view"] in VIEWS and "<" not in held["data"] else None


def _frame(held: Mapping[str, str]) -> Markup:
    """A live view, in a frame that keeps the policy of its own page and that of the page around it."""
    from ...views.export.framed_pages import frame
    from ...views.export.pages import page_of

    picture = Markup(sanitised(held["picture"]))
    return frame(page_of(held["view"], held["title"], held["data"], "auto", picture))
