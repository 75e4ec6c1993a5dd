"""`build`: the gallery as a folder of pages."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ... import functions as F
from ...functions.conventions import conventions
from ...shared.files import write
from .. import mimebundle
from ..derivatives.explorer import DerivativeExplorer
from ..derivatives.saved_page import curves_page
from ..derivatives.session import DerivativeSession
from ..draw.escape import Markup, element, escape, join, with_code
from ..export.pages import page_of, still_page
from ..live.bundle import module_text
from .examples import Moving, NothingMoves, moving

_TITLE = "Functions of AutoLab"


def build(
    folder: str | os.PathLike[str],
    names: Sequence[str] | None = None,
    tell: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> Path:
    """Write a page for each function, and an index.

    A page says what the function computes and what AutoLab does where it has no derivative, and shows its value, its
    gradient and its second derivative along one input, at a movable point. It needs no kernel and no network.

    Parameters
    ----------
    folder : path
        The target folder, which is created if needed. Files of an earlier gallery are replaced.
    names : sequence of str, optional
        Functions of `autolab.functions`; by default all.
    tell : callable, optional
        Called after each page with the number of pages written, that of all, and the function's name.

    Returns
    -------
    Path
        The index page.

    Raises
    ------
    ValueError
        If there is no function of one of the names.

    Examples
    --------
    >>> build("gallery", ["tanh", "softmax"]).name
    'index.html'
    """
    chosen = list(F.__all__ if names is None else names)
    unknown = [name for name in chosen if name not in F.__all__]
    if unknown:
        raise ValueError(f"gallery: there is no function {unknown[0]!r:.60}; see autolab.functions")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for done, name in enumerate(chosen, 1):
        write(target / f"{name}.html", function_page(name))
        tell(done, len(chosen), name)
    write(target / "index.html", index_page(chosen))
    return target / "index.html"


def function_page(name: str) -> str:
    """The page of a function."""
    try:
        shown = moving(name)
    except NothingMoves as why:
        return still_page(name, join([_about(name), _paragraph(f"There is no curve here: {why}.")]))
    before = join([_about(name), _paragraph(f"The curves are those of {shown.told}.")])
    return moving_page(name, shown, before)


def moving_page(name: str, shown: Moving, before: Markup | None = None) -> str:
    """The page of a function's curves; ``before`` goes above them and never changes."""
    return page_of("derivatives", name, _data(name, shown), "auto", before=before)


def _data(name: str, shown: Moving) -> str:
    """The initial data of the view: the curves of the function and of its first two derivatives."""

    def fn(x):  # type: ignore[no-untyped-def]
        return shown.fn(x)

    fn.__name__ = name
    with np.errstate(all="ignore"):  # the curves end where a function is undefined
        # Ctrl-C while a view waits stops its curves only; `curves_page` waits instead.
        view = DerivativeExplorer(DerivativeSession(fn, shown.x, 2, shown.domain), patience=0)
        try:
            data = json.loads(curves_page(view).data())
        finally:
            view.close()
    for one in data["answers"]['["formulas"]'][1] if shown.is_part else ():  # they are about arrays without a name
        one |= {"simplified": None, "computed": None}
    return json.dumps(data)


def index_page(names: Sequence[str]) -> str:
    """The searchable list of all functions."""
    links = {name: element("a", element("code", escape(name)), href=f"{name}.html") for name in sorted(names)}
    lines = [element("li", link, escape(" "), with_code(summary(name))) for name, link in links.items()]
    field = element("label", escape("Search: "), element("input", type="search"))
    body = [
        element("h2", escape(_TITLE)),
        _paragraph("Each page shows a function with its gradient and its second derivative. Move the point."),
        element("p", field, escape(" "), element("output")),
        element("ul", *lines),
    ]
    return still_page(_TITLE, join(body), module_text("search.js"))


def _about(name: str) -> Markup:
    """The link back, the signature, what is computed, and the conventions."""
    function = getattr(F, name)
    parts = [
        element("p", element("a", escape("All functions"), href="index.html")),
        element("h2", element("code", escape(f"{name}{_signature(function)}", 300))),
        element("p", with_code(summary(name))),
    ]
    rows = conventions(name)
    if rows:
        parts.append(Markup(mimebundle(rows)["text/html"]))
    return join(parts)


def summary(name: str) -> str:
    """The first paragraph of the docstring."""
    return " ".join((inspect.getdoc(getattr(F, name)) or "").partition("\n\n")[0].split())


def _signature(function: Callable[..., object]) -> inspect.Signature:
    """The signature without types."""
    found = inspect.signature(function)
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    return found.replace(parameters=plain, return_annotation=inspect.Signature.empty)


def _paragraph(text: str) -> Markup:
    return element("p", escape(text, 600))
