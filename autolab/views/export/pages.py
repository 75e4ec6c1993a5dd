"""export_html(): a view as one file that needs no kernel and no network.

The file holds the live view's own JavaScript, its state, and an answer to every message that needs no computing: those
are found by letting the view's parts obey them here. A content policy in the file forbids everything else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import warnings
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ...engine.display import NotShown, show
from ...engine.errors import a_kind
from ...engine.keyword_aliases import unknown_keyword
from ...engine.variable import Variable
from ...recording.graph import graph_named, variables_in
from ...shared.files import write
from .. import mimebundle
from ..draw.escape import Markup, clean, document, element, escape, join
from ..draw.messages import say
from ..draw.svg import Look
from ..live import notebook
from ..live.bundle import module_text, style_text, zipped
from ..live.saved_page import SavedPage
from ..live.widget import LiveView
from .playground_link import address, link
from .standalone import NotStandalone

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
    """Write a view as one HTML file that works anywhere, without a kernel and without a network.

    A view stays live as far as nothing has to be computed. The steps of a recording or an exploration can be chosen,
    walked through, searched, enlarged and pointed at, its groups opened and closed. The inputs of an exploration move
    where the page can compute what follows by itself: its steps and their gradients are then in it as a program, which
    gave the function's own numbers when it was saved and has to give them again when it is opened. Elsewhere the page
    says what needs Python. In the
    check lens elements and a few directions can be chosen, in the derivative explorer the order and a
    point on the curves; on a loss surface the ball starts from many places, and what `interact` moves stands at some
    values: what they show is computed
    for the page, in a few seconds at most. A heatmap reads its cells out. Anything else is written as a notebook
    shows it.

    Parameters
    ----------
    shown : Recording, GradientReport, Variable ..., or what explore(), derivatives(), heatmap() and interact() return
        What to write; of a Variable that was computed, the graph that made it. Those of a list stand below one another.
        A function is explored at its ``inputs``.
    path : str or path, optional
        Where to, with the suffix ``.html``, which is added where there is none; an existing file is replaced. With
        ``.mjs`` the page is written as a module that shows it in a frame: what the directive ``{anywidget}`` of MyST's
        sites loads. Without a path the page is not written, but returned.
    look : {"auto", "light", "dark"}
        ``auto`` follows the reader's system.
    playground : str, optional
        The address of a playground (`autolab playground` makes one). The page of a view that computes links to it, with
        the function's code, its inputs and what is looked at; those of an exploration and the point of derivatives are
        where they have been moved to. Where the code does not stand on its own, as it needs other packages or large
        arrays, there is no link, and a warning says why. Without it the environment variable ``AUTOLAB_PLAYGROUND`` is
        looked up, without a warning; an empty address means none.
    title : str, optional
        The page's title; by default what the view shows.
    **inputs
        Of a function: its arguments, as for `autolab.explore`.

    Returns
    -------
    str or None
        The page, where no path was given.

    Raises
    ------
    ValueError
        If the suffix is another one, or ``playground`` is no address of a page on the web.
    TypeError
        If there is nothing to show for the object but text.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x: x * x, 3.0)
    >>> autolab.export_html(recording, "square.html")
    >>> autolab.export_html(lambda x: x * x, "moving.html", x=3.0)
    """
    from .framed_pages import several

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
    """What a page shows, by the name of its module, empty where it stands still; and the page."""
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
    """The first sentence or line, without its full stop: what an object calls itself."""
    return clean(re.split(r"\n|(?<=[a-z)])\. ", text, maxsplit=1)[0].rstrip("."), 80)


_ZIPPED_FROM = 1_000_000  # characters; what is shorter can be read in the page's text


# ---------------------------------------------------------------------------------------------------- what it holds
VIEWS = ("explorer", "heatmaps", "interact", "derivatives", "lens", "surface")
"""The live views that a page can hold, by the names of their modules."""


def saved_page(shown: Any, playground: str | None = None) -> SavedPage | None:
    """What stays live of an object in a page; None for what stands still.

    If the link to a ``playground`` is asked for, a warning says why there is none.
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

    What comes ``before`` the view stays as it is.
    """
    return _page(title, join([before or Markup(""), _held(data, picture)]), look, view)


def still_page(title: str, body: Markup, script: str = "") -> str:
    """A page without a view; its policy allows a ``script`` of AutoLab's own."""
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
    """The data that a live page begins with, and a picture or words for where no script runs."""
    still_part = element("noscript", picture or element("p", escape(say("needs_script"))))
    kind = "application/json"
    if len(data) > _ZIPPED_FROM:
        data, kind = base64.b64encode(zipped(data)).decode(), "application/gzip"
    return join([still_part, element("script", Markup(data), type=kind, id="saved")])


# ---------------------------------------------------------------------------------------------------- as text
def _program(view_name: str, look: Look) -> str:
    """The live view's module and the page that takes the kernel's place."""
    view = module_text(f"{view_name}.js").replace("export default", "const view =", 1)
    page = module_text("saved_page.js").replace("export ", "", 1)
    scope = f"{{\n{page}\nopenPage(view, {json.dumps(look)});\n}}"  # its names are its own
    return f"{view}\n{scope}\n"


def _start(program: str) -> str:
    """A short script that runs the program, which it holds zipped."""
    held = base64.b64encode(zipped(program)).decode()
    return f'{module_text("start.js").replace("export ", "", 1)}start("{held}");\n'


def _page(title: str, body: Markup, look: Look, view: str = "", script: str = "") -> str:
    """A document, of a live view if one is named; its policy allows its own scripts and style, by their digests."""
    style, start, _ = _texts(view, look)
    styles, runs = digests(view, look)
    script, runs = (script, digest(script)) if script else (start, runs)
    policy = f"{_POLICY}style-src {styles}; script-src {runs}; {_TRUSTED}"
    scripts = [Markup(f'<script type="module">{script}</script>')] if script else []
    main = element("main", element("h1", escape(title)), body)
    return document(title, style, policy, main, *scripts, data_look=look)


@cache
def _texts(view: str, look: Look) -> tuple[str, str, str]:
    """The style sheet of a page, the script that it begins with, and the program that this one runs."""
    program = _program(view, look) if view else ""
    style = (style_text(f"{view}.css") if view else "") + style_text("saved_page.css")
    return style, _start(program) if view else "", program


def digests(view: str, look: Look) -> tuple[str, str]:
    """The style and the scripts of a page as a content policy names them. They are AutoLab's own, whatever is shown."""
    style, script, program = _texts(view, look)
    return digest(style), digest(script, program)


def digest(*texts: str) -> str:
    """Styles or scripts as a content policy names them.

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
"""The type under which a view's output says what its page holds: ``view``, ``title`` and ``data``."""


def bring_pages() -> None:
    """From now on, the output of a live view that goes on without a kernel holds what its page needs, too.

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
