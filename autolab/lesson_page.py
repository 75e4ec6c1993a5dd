"""A notebook as one HTML file that needs no kernel and no network: its cells run here, the page keeps what they show.

A live view stands in it as far as it goes on without a kernel: in a frame that holds its saved page. Where no script
runs, and for what moves only by computing, the page has the picture.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from typing import Any

from .display.escape import Markup, element, escape
from .display.messages import say
from .files import reading, write

SECONDS = 600
"""A cell that runs longer ends the export."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
_BRING = "from autolab.widgets.embedding import bring_pages as _bring; _bring(); del _bring"
_NONE = "'none'"
_SCRIPTS = re.compile(r"script-src ([^;]+);")
_STYLE = """
:root { color-scheme: light dark; --line: #c5ccd6; --quiet: #f3f5f8; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --line: #454d59; --quiet: #1d232b; --link: #8ab8f0; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1.05rem/1.6 system-ui, sans-serif; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
pre { overflow: auto; margin: 0.4rem 0; line-height: 1.45; }
a { color: var(--link); }
.anchor-link, .prompt { display: none; }
.input_area { padding: 0.3rem 0.8rem; background: var(--quiet); border: 1px solid var(--line); border-radius: 6px; }
.output_wrapper { overflow: auto; margin: 0.4rem 0 1.2rem; }
img { max-width: 100%; height: auto; }
iframe { display: block; width: 100%; height: 44rem; border: 0; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.7rem; text-align: left; }
"""


def save_notebook(notebook: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Run a notebook and write it as a page.

    Parameters
    ----------
    notebook : str or path
        It stays as it is. Its cells run in its own folder.
    path : str or path
        Where the page goes, with the suffix ``.html``; an existing file is replaced.

    Raises
    ------
    ValueError
        If the suffix is another one.
    RuntimeError
        If a cell raises; nothing is written then.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    source, target = Path(notebook), Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"save_notebook: got the path {str(target)!r:.100}; expected one that ends in .html")
    with reading(source):
        book = nbformat.read(source, as_version=4)
    try:
        folder = {"metadata": {"path": str(source.resolve().parent)}}
        client: Any = NotebookClient(book, timeout=SECONDS, resources=folder)
        client.on_notebook_start = lambda notebook: client.kc.execute(_BRING, silent=True)
        client.execute()
    except CellExecutionError as error:
        told = f"a cell of {source.name:.60} raised {error.ename}: {error.evalue:.150}"
        raise RuntimeError(f"save_notebook: {told}") from None
    page = _page(source.stem, book)
    write(target, page)


def _page(title: str, book: Any) -> str:
    """The executed notebook, with its live views in frames; links to other notebooks lead to their pages."""
    from nbconvert import HTMLExporter

    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace(".ipynb)", ".html)")
    scripts = _framed(book)
    book.metadata.pop("widgets", None)  # without the state of live views nbconvert shows their pictures
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(book)
    policy = f"{_POLICY}script-src {' '.join(sorted(scripts)) or _NONE}"
    head = [
        Markup('<meta charset="utf-8">'),
        element("meta", http_equiv="Content-Security-Policy", content=Markup(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", escape(title)),
        Markup(f"<style>{_STYLE}</style>"),
    ]
    page = element("html", element("head", *head), element("body", element("main", Markup(body))), lang="en")
    return f"<!doctype html>\n{page}\n"


def _framed(book: Any) -> set[str]:
    """Put each live view's page into a frame in place of its picture; the digests of the scripts in these pages.

    A frame keeps the policy of its page and has to keep that of the page around it: which therefore names its script.
    """
    from .widgets.embedding import PAGE

    outputs = [output for cell in book.cells for output in cell.get("outputs", ()) if PAGE in output.get("data", {})]
    scripts: set[str] = set()
    for output in outputs:
        page = output.data[PAGE]
        scripts.update(*[found.split() for found in _SCRIPTS.findall(html.unescape(page[: page.index("<title>")]))])
        srcdoc = Markup(html.escape(page, quote=True))
        output.data = {"text/html": element("iframe", srcdoc=srcdoc, title=say("live_frame"), allow="fullscreen")}
    return scripts
