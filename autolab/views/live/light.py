"""Source text without what only its readers need, as it travels: comments and indentation."""

from __future__ import annotations

import re

_STRING = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
_NESTED = 3
"""So deep templates stand in each other."""


def _template() -> str:
    """A pattern for text between backquotes, with the expressions in it."""
    pattern = "(?!)"
    for _ in range(_NESTED):
        part = rf"[^`\"'{{}}]|{_STRING}|{pattern}"
        pattern = rf"`(?:[^`\\$]|\\.|\$(?!\{{)|\$\{{(?:{part}|\{{(?:{part})*\}})*\}})*`"
    return pattern


_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
_REGEX = (
    r"(?:(?<=[(,=:\[!&|?;{\n])|(?<=[,=:&|?>] )|(?<=return ))"  # behind a value it would be a division
    r"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
_TOKEN = re.compile(
    rf"(?P<kept>{_STRING}|{_template()}|{_REGEX})"
    rf"|^ *(?:(?:{_COMMENT}) *)*\n|^ +| *(?:{_COMMENT})",  # a line with nothing else, indentation, a comment
    re.MULTILINE,
)


def light(text: str) -> str:
    """JavaScript or a style sheet without comments, empty lines and indentation. Strings, templates and regular
    expressions stay as they are, and no two lines become one.

    Examples
    --------
    >>> light("if (a) {\\n  // why\\n  b = a / 2; /* half */\\n}\\n")
    'if (a) {\\nb = a / 2;\\n}\\n'
    """
    return _TOKEN.sub(lambda found: found["kept"] or "", text)
