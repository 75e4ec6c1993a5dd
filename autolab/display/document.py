"""The outside of every picture: an SVG document that stands alone, with its words, its styles and a card behind all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from .escape import Markup, element, escape
from .style import Look, line_sheet, style_sheet

_documents = count(1)


def new_scope() -> str:
    """An id for a document that no other one of this process has; the ids inside begin with it."""
    return f"autolab-{next(_documents)}"


def document(
    parts: Sequence[Markup],
    size: tuple[float, float],
    title: str,
    words: str,
    look: Look = "auto",
    *,
    scope: str | None = None,
    shades: Collection[int] = (),
    lines: bool = False,
    sheets: Sequence[Markup] = (),
) -> Markup:
    """The text of an SVG document: no scripts, no fonts or pictures from elsewhere.

    Parameters
    ----------
    parts
        What stands on the card.
    size
        Width and height.
    title, words
        What it is, and what is to be seen in it, for those who do not see it.
    look
        ``light``, ``dark``, or ``auto``: light, and dark where the page that shows it is dark.
    scope
        Its id, if the parts refer to it; by default a new one.
    shades
        The shades of cells that the parts use.
    lines
        Whether they use the colours of lines.
    sheets
        Style sheets of their own.
    """
    scope = scope or new_scope()
    width, height = size
    return element(
        "svg",
        element("title", escape(title), id=f"{scope}-title"),
        element("desc", escape(words, limit=20_000), id=f"{scope}-desc"),
        style_sheet(scope, look, shades),
        *([line_sheet(scope, look)] if lines else []),
        *sheets,
        element("rect", class_="card", width=width, height=height, rx=10),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        id=scope,
        width=width,
        height=height,
        viewBox=f"0 0 {width:.1f} {height:.1f}",
        role="img",
        aria_labelledby=f"{scope}-title {scope}-desc",
    )


def words_at(x: float, y: float, words: str, style: str | None = None) -> Markup:
    """A line of text that begins, or with another anchor ends, at a point."""
    return element("text", escape(words), x=x, y=y, class_=style)
