"""What a notebook brings, as HTML that can only be read.

A page shows text, tables, pictures and links. Whatever else markup can do has no business in it: to run a program, to
fetch, to lead the reader away unasked, or to cover and restyle the rest of the page. So this is a list of what may
stay, kept by the library nh3, and not a list of what is known to be bad.
"""

from __future__ import annotations

import re

_TEXT = "p br hr div span blockquote pre code kbd samp var b strong i em u s del ins mark small sub sup q cite abbr"
_PARTS = "h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr th td figure figcaption"
TAGS = frozenset(f"{_TEXT} {_PARTS} details summary a img".split())

_ATTRIBUTES = {
    "*": {"class", "id", "lang", "style", "title"},
    "a": {"href"},
    "img": {"alt", "src", "width", "height"},
    "ol": {"start"},
    "details": {"open"},
    "th": {"colspan", "rowspan", "scope"},
    "td": {"colspan", "rowspan"},
}
# Properties that colour and shape text where it is: none of them moves or enlarges it.
_STYLE = {"background-color", "color", "font-style", "font-weight", "text-align", "text-decoration"}
# Elements that go with what they hold, which is no text for a reader. Of any other only the tags go.
_GONE = "script style svg math iframe object template noscript noembed noframes title textarea xmp select"
_WHOLE = frozenset(_GONE.split())
_SCHEMES = {"http", "https", "mailto", "data"}
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
_NOTEBOOK = re.compile(r"(?:[^:?#]*/)?(?P<name>[^:?#/]*)\.ipynb(?P<part>#.*)?")


def sanitised(html: str) -> str:
    """``html`` without what is not on the list; all its elements are closed.

    A link to a notebook leads to its page, wherever the notebook is: pages are saved beside each other.

    Examples
    --------
    >>> sanitised("<b onclick='f()'>bold<script>f()</script>")
    '<b>bold</b>'
    >>> sanitised("<i style='color: red; position: fixed'>here</i><meta http-equiv='refresh' content='0'>")
    '<i style="color:red">here</i>'
    """
    import nh3

    return nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags=_WHOLE,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        filter_style_properties=_STYLE,
        url_schemes=_SCHEMES,
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    """An attribute as it may stay; None if it may not. A picture is its own data: nothing is fetched."""
    if name == "src":
        return value if _PICTURE.fullmatch(value) else None
    if name in ("width", "height"):
        return value if value.isdecimal() else None
    if name == "href":
        if value.lstrip().lower().startswith("data:"):
            return None
        notebook = _NOTEBOOK.fullmatch(value)
        return f"{notebook['name']}.html{notebook['part'] or ''}" if notebook else value
    return value
