"""Sanitises HTML from a notebook, so that it can only be read.

A page shows text, tables, pictures and links. Anything else that markup can do is not allowed: running programs,
fetching data, redirecting the reader, or covering and restyling the rest of the page. Therefore this is an allowlist,
enforced by the library nh3, and not a list of what is known to be harmful.
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
# Properties that colour and style text in place: none of them moves or enlarges it.
_STYLE = {"background-color", "color", "font-style", "font-weight", "text-align", "text-decoration"}
# Elements that are removed with their content, which is not text for a reader. Of others, only the tags are removed.
_GONE = "script style svg math iframe object template noscript noembed noframes title textarea xmp select"
_WHOLE = frozenset(_GONE.split())
_SCHEMES = {"http", "https", "mailto", "data"}
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE)
_NOTEBOOK = re.compile(r"(?:[^:?#]*/)?(?P<name>[^:?#/]*)\.ipynb(?P<part>#.*)?")


def sanitised(html: str) -> str:
    """``html`` without anything that is not on the allowlist, and with all elements closed.

    A link to a notebook is changed to its page, in the same folder: pages are saved next to each other.

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
    """The allowed value of an attribute, or None. Pictures must be data URLs, so that nothing is fetched."""
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
