"""The one way in which text becomes part of HTML or SVG.

Names, expressions and messages come from users: they are data. `escape` turns them into `Markup`; the builders accept
nothing else, so forgetting to escape is an error and not a hole.
"""

from __future__ import annotations

import html
import unicodedata

NAME_LIMIT = 200
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_WHITE_SPACE = str.maketrans("\t\n\r\v\f\x85\u2028\u2029", " " * 8)
# Controls, invisible format characters (bidirectional controls, tags), lone surrogates, private use, unassigned.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINER = "\N{ZERO WIDTH JOINER}"


class Markup(str):
    """Text that is safe to put into HTML or SVG: already escaped, or written by AutoLab itself."""

    __slots__ = ()


def clean(text: object, limit: int = NAME_LIMIT) -> str:
    """One line of visible text: white space becomes a blank, what cannot be seen a replacement mark, the end is cut
    at ``limit``.

    Examples
    --------
    >>> clean("a\\u202eb\\nc")
    'a\N{REPLACEMENT CHARACTER}b c'
    >>> clean("x" * 9, limit=5)
    'xxxx…'
    """
    head = str(text)[: limit + 1].translate(_WHITE_SPACE)
    seen = "".join(_REPLACEMENT if unicodedata.category(c) in _UNSEEN and c != _JOINER else c for c in head)
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def escape(text: object, limit: int = NAME_LIMIT) -> Markup:
    """``text`` as visible text for the inside of an element or of a quoted attribute.

    Examples
    --------
    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(clean(text, limit), quote=True))


def require(*parts: str) -> None:
    """Refuse text that did not come from `escape` or from a builder."""
    for part in parts:
        if not isinstance(part, Markup):
            raise TypeError(f"display: got the plain text {clean(part, 40)!r}, expected Markup. Use escape(text).")


def join(parts: list[Markup] | tuple[Markup, ...], separator: str = "") -> Markup:
    """Concatenate pieces of markup."""
    require(*parts)
    return Markup(separator.join(parts))


def element(tag: str, *children: Markup, **attributes: object) -> Markup:
    """One element of HTML or SVG. A trailing ``_`` in an attribute's name is dropped, an inner one becomes ``-``;
    None leaves it out.

    Examples
    --------
    >>> element("text", escape("a < b"), class_="name", text_anchor="end")
    '<text class="name" text-anchor="end">a &lt; b</text>'
    """
    require(*children)
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    start = tag + "".join(f' {key}="{_attribute(value)}"' for key, value in given.items())
    return Markup(f"<{start}/>" if tag in _VOID else f"<{start}>{''.join(children)}</{tag}>")


_VOID = frozenset({"img", "br", "rect", "path", "circle", "line", "image", "meta"})


def _attribute(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(value, limit=20_000)
