"""Formulas in the text of a notebook as MathML, which browsers render natively: the page needs no program for TeX."""

from __future__ import annotations

import re
from secrets import token_hex
from typing import Any
from xml.etree import ElementTree

from ...views.draw.escape import Markup, element, escape

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
