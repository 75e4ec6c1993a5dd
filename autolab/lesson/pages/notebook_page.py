"""A notebook as one HTML file that needs no kernel and no network: its cells are run, and the page shows their outputs.

Live views are included as far as they work without a kernel: in a frame with their saved page. Where scripts do not
run, and for views that need a kernel to move, the page has a picture.

The content of a notebook and the output of its kernel are untrusted data. They pass through `sanitised` before they
enter the page, and the page's content policy allows only AutoLab's own styles and scripts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any
from xml.etree import ElementTree

from ...shared.files import check_writable, reading, write
from ...views.draw import say
from ...views.draw.escape import Markup, clean, element, escape
from .sanitiser import sanitised

# Formulas in the text of a notebook as MathML, which browsers render natively: the page needs no program for TeX.

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_TABLE, _SCRIPTS = "mtable mtr mtd", "mover msub msubsup msup munder munderover"
TAGS = frozenset(
    f"math mfrac mi mn mo mpadded mphantom mroot mrow mspace msqrt mstyle mtext {_TABLE} {_SCRIPTS}".split()
)
_KNOWN = "display fence form largeop linethickness mathvariant movablelimits stretchy width"
_ATTRIBUTES = frozenset(_KNOWN.split())
_MOST = 2000
"""The longest formula that is converted, in characters."""

_FORMULA = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|\\\$"
    r"|\$\$(?P<block>[^$]+)\$\$"
    r"|(?<!\$)\$(?P<inline>[^\s$](?:[^$]*[^\s$])?)\$(?![\d$])",
    re.DOTALL,
)


def without_formulas(text: str, formulas: dict[str, Markup]) -> str:
    """Markdown with each formula replaced by a random mark, which no notebook can guess; code is left unchanged.

    The MathML of each mark is added to ``formulas``.
    """

    def marked(found: re.Match[str]) -> str:
        tex = found["block"] or found["inline"]
        if tex is None:
            return found[0]
        mark = token_hex(16)
        formulas[mark] = mathml(tex, "block" if found["block"] else "inline")
        return mark

    return _FORMULA.sub(marked, text)


def mathml(tex: str, display: str) -> Markup:
    """A formula as MathML, or as its source text if it is not valid TeX or contains more than a formula.

    Examples
    --------
    >>> "<mfrac>" in mathml(r"\\frac{1}{n}", "inline")
    True
    >>> mathml(r"\\href{https://example.org}{x}", "inline").startswith("<code>")
    True
    """
    from latex2mathml.converter import convert

    as_text = element("code", escape(tex))
    if len(tex) > _MOST:
        return as_text
    try:
        found: Any = ElementTree.fromstring(convert(tex, display=display))
    except Exception:  # the library raises exceptions of its own and Python's
        return as_text
    for part in found.iter():
        part.tag = part.tag.removeprefix(f"{{{_NAMESPACE}}}")
        if part.tag not in TAGS or not part.attrib.keys() <= _ATTRIBUTES:
            return as_text
    return Markup(ElementTree.tostring(found, "unicode"))


SECONDS = 600
"""Cells that run longer are interrupted."""

_BRING = "from autolab.views.export.pages import bring_pages as _bring; _bring(); del _bring"
# The formats in which an output can be shown, the best first.
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
        It is not changed. Its cells run in its own folder.
    path : str or path
        The file to write, with the suffix ``.html``; an existing file is replaced.
    playground : str, optional
        The address of a playground to which live graphs link, as in `export_html`.

    Returns
    -------
    list of str
        An error message for each cell that failed, which the page shows as well. Errors of cells with the tag
        ``raises-exception`` are intended, and not included.

    Raises
    ------
    ValueError
        If the suffix is another one, or ``playground`` is not an address; a `FileFormatError` if the file is not a
        notebook.
    RuntimeError
        If the notebook's kernel is not installed here.
    OSError
        If the notebook cannot be read or the page cannot be written.
    """
    from ...views.export.playground_link import address

    source, target, linked = Path(notebook), Path(path), address(playground)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"save_notebook: got the path {str(target)!r:.100}; expected one that ends in .html")
    check_writable(target, "save_notebook")
    book = executed(source, linked)
    failures = [failure for cell in book.cells for failure in _failures(cell)]
    page = _page(source.stem, book)
    write(target, page)
    return failures


# --------------------------------------------------------------------------------------------------- running the cells
def executed(source: Path, playground: str = "") -> Any:
    """The notebook with the outputs of its cells; that of a live view includes the data for its page (`PAGE`)."""
    from ...views.export.playground_link import ADDRESS

    book = _read(source)
    _run(book, source.resolve().parent, {**os.environ, ADDRESS: playground})
    return book


def _read(source: Path) -> Any:
    """The notebook without its outputs, which are computed again for the page."""
    import nbformat

    with reading(source):
        book = nbformat.read(source, as_version=4)
        nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return book


def _run(book: Any, folder: Path, variables: Mapping[str, str]) -> None:
    """Run all cells. If one fails or takes too long, its output is the error, and the next one is run."""
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
    except (DeadKernelError, AssertionError, ValidationError) as error:  # nbclient raises any of them for a dead kernel
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


# -------------------------------------------------------------------------------------------------- writing the page
def _page(title: str, book: Any) -> str:
    """The executed notebook as an HTML document, with its live views in frames."""
    from ...views.export.pages import STYLE, page_around

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
    """The cells as HTML. Each piece from the notebook is sanitised separately, so that elements that one leaves open do
    not affect the next."""
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import InvalidNotebook
    from traitlets.config import Config

    book.metadata = {key: book.metadata[key] for key in ("language_info",) if key in book.metadata}
    config = Config({"NbConvertBase": {"display_data_priority": list(_KINDS)}})
    exporter = HTMLExporter(template_name="basic", sanitize_html=True, config=config)
    exporter.register_filter("clean_html", _piece)
    try:
        return exporter.from_notebook_node(book)[0]
    except InvalidNotebook as error:  # a picture that a cell refers to is not attached to it
        raise ValueError(f"save_notebook: {clean(error, 160)}") from None


def _piece(text: str) -> str:
    """A sanitised piece of HTML from the notebook; a message if nothing is left of it."""
    kept = sanitised(text)
    return kept if kept.strip() or not text.strip() else element("p", element("em", escape(say("page_left_out"))))


def _keep(cell: Any, frames: dict[str, Mapping[str, str]]) -> None:
    """Reduce a cell to what a page shows. A live view is replaced by a random mark, which no notebook can guess, and
    added to ``frames``."""
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
    """The content of a live view's page, with its picture; None if the output is something else."""
    from ...views.export.pages import PAGE, VIEWS

    given = data.get(PAGE)
    texts = {**given, "picture": data.get("text/html")} if isinstance(given, Mapping) else {}
    held = {key: texts[key] for key in ("view", "title", "data", "picture") if isinstance(texts.get(key), str)}
    # The data is put into a script element, which a "<" could close; AutoLab's data never contains one.
    return held if len(held) == 4 and held["view"] in VIEWS and "<" not in held["data"] else None


def _frame(held: Mapping[str, str]) -> Markup:
    """A live view in a frame, to which the policies of its own page and of the surrounding page apply."""
    from ...views.export.pages import frame, page_of

    picture = Markup(sanitised(held["picture"]))
    return frame(page_of(held["view"], held["title"], held["data"], "auto", picture))
