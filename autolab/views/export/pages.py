"""export_html(): a view as one file that needs no kernel and no network.

The file holds the live view's own JavaScript, its state, and an answer to every message that needs no computing; the
parts of the view compute these answers here. A content policy in the file forbids everything else.

Pages of views in frames of another page, each with its own content policy and that of the page around it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import sys
import warnings
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ...engine import Variable, a_kind
from ...engine.argument_checks import unknown_keyword
from ...engine.display import NotShown, show
from ...recording.graph import graph_named, variables_in
from ...shared.files import write
from .. import mimebundle
from ..draw import say
from ..draw.escape import Markup, clean, document, element, escape, join
from ..draw.svg import Look
from ..live import notebook
from ..live.bundle import module_text, style_text, zipped
from ..live.saved_page import SavedPage
from ..live.widget import LiveView
from .playground_link import address, link
from .standalone import NotStandalone

STYLE = "iframe { display: block; width: 100%; height: 44rem; border: 0; }"
_FRAME_POLICY = (
    "default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
)


def frame(page: str) -> Markup:
    """A page in a frame."""
    srcdoc = Markup(html.escape(page, quote=True))
    return element("iframe", srcdoc=srcdoc, title=say("live_frame"), allow="fullscreen")


def page_around(title: str, style: str, body: Markup, views: Iterable[str], look: Look = "auto") -> str:
    """A page whose ``body`` has frames with ``views``, given by the names of their modules."""
    found = [digests(view, look) for view in sorted(set(views))]
    styles = " ".join([digest(style), *[own for own, _ in found]])
    scripts = " ".join([script for _, script in found if script != "'none'"]) or "'none'"
    policy = Markup(f"{_FRAME_POLICY}style-src {styles}; script-src {scripts}")
    return document(title, style, policy, element("main", body))


def several(title: str, pages: Iterable[tuple[str, str]], look: Look) -> str:
    """Pages one below the other, each with the name of its view, which is empty for a static page."""
    views, texts = zip(*pages, strict=True)
    style = f":root {{ color-scheme: {look.replace('auto', 'light dark')}; }} body {{ margin: 1rem; }} {STYLE}"
    return page_around(title, style, join([frame(text) for text in texts]), views, look)


_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
_MODULE = """\
const page = PAGE;
export default {
  render({ el }) {
    const frame = document.createElement("iframe");
    frame.title = "AutoLab";
    frame.srcdoc = page;
    frame.style.cssText = "display: block; width: 100%; height: 44rem; border: 0";
    el.append(frame);
    return () => frame.remove();
  },
};
"""
_TRUSTED = "require-trusted-types-for 'script'; trusted-types autolab"


def export_html(
    shown: Any,
    path: Any = None,
    look: Look = "auto",
    playground: str | None = None,
    title: str | None = None,
    **inputs: Any,
) -> str | None:
    """Save a view as a single HTML file that works anywhere, without a kernel and without a network.

    A view stays live as far as nothing has to be computed. The steps of a recording or an exploration can be selected,
    walked through, searched, enlarged and pointed at, and its groups opened and closed. The inputs of an exploration
    can be moved if the page can compute the results itself: it then holds the steps and their gradients as a program,
    which is compared with the function's own numbers when the page is saved and again when it is opened. Otherwise the
    page says what needs Python. Some results are computed for the page in advance, in a few seconds at most: elements
    and a few directions in the check lens, the order and points on the curves in the derivative explorer, many starting
    points of the ball on a loss surface, and some values of each input of `interact`. A heatmap shows the numbers in
    its cells. Anything else is written as a notebook displays it.

    Parameters
    ----------
    shown : Recording, GradientReport, Variable ..., or what explore(), derivatives(), heatmap() and interact() return
        What to save. For a computed Variable, the graph that computed it; for a list, its elements one below the other;
        for a function, its exploration at ``inputs``.
    path : str or path, optional
        The file, which is replaced if it exists. The suffix is ``.html``, and is added if missing. With ``.mjs`` the
        page is written as a module that shows it in a frame, for the directive ``{anywidget}`` of MyST sites. Without a
        path, the page is returned instead of written.
    look : {"auto", "light", "dark"}
        The colours; ``auto`` follows the reader's system.
    playground : str, optional
        The address of a playground (`autolab playground` makes one). The page of a view that computes then links to it,
        with the function's code, its current inputs (or the point of its derivatives) and what is shown. If the code
        does not run on its own because it needs other packages or large arrays, there is no link, and a warning says
        why. The default is the environment variable ``AUTOLAB_PLAYGROUND``, without the warning; an empty address means
        no playground.
    title : str, optional
        The page's title; by default, the name of what the view shows.
    **inputs
        The arguments of a function, as for `autolab.explore`.

    Returns
    -------
    str or None
        The page if no path was given.

    Raises
    ------
    ValueError
        If the suffix is another one, or ``playground`` is not the address of a web page.
    TypeError
        If the object can only be displayed as text.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x: x * x, 3.0)
    >>> autolab.export_html(recording, "square.html")
    >>> autolab.export_html(lambda x: x * x, "moving.html", x=3.0)
    """

    if isinstance(shown, str | os.PathLike):
        shown, path = path, shown
    if inputs and not callable(shown):
        raise TypeError(unknown_keyword("export_html", next(iter(inputs)), ["look", "playground", "title"]))
    if inputs:
        from ..graph.explorer import explorer_of

        with closing(explorer_of(shown, (), None, inputs)) as view:
            return export_html(view, path, look, playground, title)
    if isinstance(shown, Variable) and shown.creator is not None:
        shown = graph_named(shown, variables_in(sys._getframe(1)))
    target = Path("page" if path is None else path)
    target = target if target.suffix else target.with_suffix(".html")
    if target.suffix.lower() not in (".html", ".htm", ".mjs"):
        raise ValueError(f"export_html: got the path {clean(target, 100)!r}; expected one that ends in .html or .mjs")
    each = shown if isinstance(shown, list | tuple) and shown else [shown]
    pages = [_written(one, look, title, playground) for one in each]
    page = pages[0][1] if each is not shown else several(title or "AutoLab", pages, look)
    if path is None:
        return page
    write(target, _MODULE.replace("PAGE", json.dumps(page)) if target.suffix.lower() == ".mjs" else page)
    for view in each:
        if isinstance(view, LiveView):
            view.exported(target)
    return None


def _written(shown: Any, look: Look, title: str | None, playground: str | None) -> tuple[str, str]:
    """The module of the view on a page, or "" for a static page; and the page itself."""
    saved = saved_page(shown, playground)
    if saved is not None:
        return saved.view, page_of(saved.view, saved.title if title is None else title, saved.data(), look)
    bundle = mimebundle(shown)
    html = bundle.get("text/html")
    if html is None:
        told = "; write export_html(f, path, x=...)" if callable(shown) else ""
        raise TypeError(f"export_html: got {a_kind(shown)}; expected a recording, a view or a report{told}")
    return "", _page(title or _first_words(bundle["text/plain"]), Markup(html), look)


def _first_words(text: str) -> str:
    """The first sentence or line, without its full stop: the name that an object gives itself."""
    return clean(re.split(r"\n|(?<=[a-z)])\. ", text, maxsplit=1)[0].rstrip("."), 80)


_ZIPPED_FROM = 1_000_000  # characters; anything shorter stays readable in the page's source


# ---------------------------------------------------------------------------------------------------- what it holds
VIEWS = ("explorer", "heatmaps", "interact", "derivatives", "lens", "surface")
"""The live views that a page can hold, by the names of their modules."""


def saved_page(shown: Any, playground: str | None = None) -> SavedPage | None:
    """The part of an object that stays live in a page; None for a static one.

    If a link to a ``playground`` was asked for but cannot be made, a warning says why.
    """
    there = address(playground)
    try:
        saved: SavedPage = show(shown, "saved")
    except NotShown:
        return None
    opened = getattr(shown, "_session", shown)
    return replace(saved, playground=_link(opened, there, is_wanted=bool(playground)) if there else None)


def page_of(
    view: str, title: str, data: str, look: Look, picture: Markup | None = None, before: Markup | None = None
) -> str:
    """The page of one of the ``VIEWS``, which holds ``data``; without scripts it shows ``picture``.

    ``before`` goes above the view and never changes.
    """
    return _page(title, join([before or Markup(""), _held(data, picture)]), look, view)


def still_page(title: str, body: Markup, script: str = "") -> str:
    """A page without a live view; its policy allows one ``script``, AutoLab's own."""
    return _page(title, body, "auto", script=script)


def _link(opened: Any, playground: str, is_wanted: bool) -> dict[str, Any] | None:
    try:
        return link(opened, playground)
    except NotShown:  # it has no program
        return None
    except NotStandalone as reason:
        if is_wanted:
            warnings.warn(f"export_html: no link to the playground: {clean(reason, 300)}", stacklevel=4)
        return None


def _held(data: str, picture: Markup | None) -> Markup:
    """The initial data of a live page, and a picture or text for readers without scripts."""
    still_part = element("noscript", picture or element("p", escape(say("needs_script"))))
    kind = "application/json"
    if len(data) > _ZIPPED_FROM:
        data, kind = base64.b64encode(zipped(data)).decode(), "application/gzip"
    return join([still_part, element("script", Markup(data), type=kind, id="saved")])


# ---------------------------------------------------------------------------------------------------- as text
def _program(view_name: str, look: Look) -> str:
    """The live view's module, and the page that replaces the kernel."""
    view = module_text(f"{view_name}.js").replace("export default", "const view =", 1)
    page = module_text("saved_page.js").replace("export ", "", 1)
    scope = f"{{\n{page}\nopenPage(view, {json.dumps(look)});\n}}"  # its names are its own
    return f"{view}\n{scope}\n"


def _start(program: str) -> str:
    """A short script that unzips and runs the program."""
    held = base64.b64encode(zipped(program)).decode()
    return f'{module_text("start.js").replace("export ", "", 1)}start("{held}");\n'


def _page(title: str, body: Markup, look: Look, view: str = "", script: str = "") -> str:
    """A document, with a live view if one is named; its policy allows only its own scripts and style, by digest."""
    style, start, _ = _texts(view, look)
    styles, runs = digests(view, look)
    script, runs = (script, digest(script)) if script else (start, runs)
    policy = f"{_POLICY}style-src {styles}; script-src {runs}; {_TRUSTED}"
    scripts = [Markup(f'<script type="module">{script}</script>')] if script else []
    main = element("main", element("h1", escape(title)), body)
    return document(title, style, policy, main, *scripts, data_look=look)


@cache
def _texts(view: str, look: Look) -> tuple[str, str, str]:
    """The style sheet of a page, its first script, and the program that this script runs."""
    program = _program(view, look) if view else ""
    style = (style_text(f"{view}.css") if view else "") + style_text("saved_page.css")
    return style, _start(program) if view else "", program


def digests(view: str, look: Look) -> tuple[str, str]:
    """The digests of a page's style and scripts for its content policy. They do not depend on what is shown."""
    style, script, program = _texts(view, look)
    return digest(style), digest(script, program)


def digest(*texts: str) -> str:
    """The digests of styles or scripts, as a content policy lists them.

    Examples
    --------
    >>> digest("p { margin: 0 }")
    "'sha256-7IWhgxoOGTB5NQzjGk9OPt0FwhVeBvZGoWgF9xLLh8c='"
    >>> digest("")
    "'none'"
    """
    found = [hashlib.sha256(text.encode()).digest() for text in texts if text]
    return " ".join([f"'sha256-{base64.b64encode(one).decode()}'" for one in found]) or "'none'"


# ------------------------------------------------------------------------------------------ in a page of a notebook
PAGE = "application/vnd.autolab.page+json"
"""The MIME type for the contents of a view's page in the output of a cell: ``view``, ``title`` and ``data``."""


def bring_pages() -> None:
    """From now on, add what a page needs to the output of every live view that works without a kernel.

    It is called in the kernel that runs a notebook for a page. `lesson.pages` writes that page: its scripts are
    AutoLab's own, and nothing that comes from the kernel can add one.
    """
    shell = notebook.shell()
    assert shell is not None, "only a notebook has outputs"
    shell.display_formatter.mimebundle_formatter.for_type(LiveView, _with_page)


def _with_page(view: LiveView) -> Any:
    data, metadata = view._repr_mimebundle_()
    saved = None if view.closed else saved_page(view)
    if saved is None:
        return data, metadata
    return {**data, PAGE: {"view": saved.view, "title": saved.title, "data": saved.data()}}, metadata
