"""The front end's text: hand-written files, joined into one module or style sheet, and zipped for the way to a page.

Names, lines and indentation stay as they are in the files, so that the browser's debugger shows what was written; only
comments that fill lines of their own, and types, are left out. What makes the text small on its way is gzip.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "\./(\w+\.css)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
_STYLE_COMMENT = re.compile(r" ?/\*(?:[^*]|\*(?!/))*\*/")
_TYPES = re.compile(r"/\*\* @(?:type|param|returns) (?:[^*]|\*(?!/))*\*/ ?")
_COMMENT_LINES = re.compile(r"^ *(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)


@cache
def module_text(entry: str) -> str:
    """The module ``entry`` of the folder ``static`` with what it imports from there in front of it.

    All of them share one scope, so a name may stand at the top level of one file only.
    """
    parts = _joined(entry, _IMPORT)
    return "\n".join([text if name == entry else _EXPORT.sub("", text) for name, text in parts.items()])


@cache
def style_text(entry: str) -> str:
    """A style sheet of the folder ``static`` with those that it imports from there, each once, without comments."""
    return _STYLE_COMMENT.sub("", "".join(_joined(entry, _STYLE_IMPORT).values()))


def _joined(entry: str, imports: re.Pattern[str]) -> dict[str, str]:
    """The files that ``entry`` needs, those that are imported first; files may import each other's functions."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            parts[name] = ""
            text = (STATIC / name).read_text(encoding="utf-8")
            for imported in imports.findall(text):
                add(imported)
            parts[name] = parts.pop(name) + _TYPES.sub("", _COMMENT_LINES.sub("", imports.sub("", text)))

    add(entry)
    return parts


def zipped(text: str) -> bytes:
    """Text as ``unzipped`` of static/unzip.js reads it: gzip, the same bytes for the same text.

    Examples
    --------
    >>> import gzip
    >>> gzip.decompress(zipped("let a;")).decode()
    'let a;'
    """
    return gzip.compress(text.encode(), mtime=0)
