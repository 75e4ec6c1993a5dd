"""The front end's text: hand-written modules, joined into the one that anywidget sends."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .shrink import shrink_css, shrink_js

STATIC = Path(__file__).parent / "static"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "\./(\w+\.css)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


@cache
def module_text(entry: str) -> str:
    """The module ``entry`` of the folder ``static`` with what it imports from there in front of it.

    All of them share one scope, so a name may stand at the top level of one file only. Comments, types and spaces stay
    in the files.
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            parts[name] = ""  # files may import each other's functions
            text = (STATIC / name).read_text(encoding="utf-8")
            for imported in _IMPORT.findall(text):
                add(imported)
            parts[name] = parts.pop(name) + _IMPORT.sub("", text)

    add(entry)
    return shrink_js("\n".join([text if name == entry else _EXPORT.sub("", text) for name, text in parts.items()]))


@cache
def style_text(entry: str) -> str:
    """A style sheet of the folder ``static`` with those that it imports from there, each once, without comments and
    spaces."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = (STATIC / name).read_text(encoding="utf-8")
        for imported in _STYLE_IMPORT.findall(text):
            if imported not in parts:
                add(imported)
        parts[name] = shrink_css(_STYLE_IMPORT.sub("", text))

    add(entry)
    return "".join(parts.values())
