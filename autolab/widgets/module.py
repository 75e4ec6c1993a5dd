"""The front end's text: hand-written modules, joined into the one that anywidget sends."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n|/\*\* @type .*?\*/ ?|^// @ts-check\n", re.MULTILINE | re.DOTALL)
_REMARK = re.compile(r"""(?:^| )// [^"'`\n]*$""", re.MULTILINE)
_SPACE = re.compile(r"^ +|(?<=\n)\n+", re.MULTILINE)
_QUOTED = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_AROUND = re.compile(r" ?(=>|===|!==|&&|\|\||\?\?|[{}(),;:?=]) ?")
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


@cache
def module_text(entry: str) -> str:
    """The module ``entry`` of the folder ``static`` with what it imports from there in front of it.

    All of them share one scope, so a name may stand at the top level of one file only. Comments, types and indentation
    stay in the files: the text travels with every view and into every saved notebook. (So no text in backquotes may
    span lines.)
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            parts[name] = ""  # files may import each other's functions
            text = (STATIC / name).read_text(encoding="utf-8")
            for imported in _IMPORT.findall(text):
                add(imported)
            parts[name] = parts.pop(name)
            for dropped in (_IMPORT, _COMMENT, _REMARK, _SPACE):
                text = dropped.sub("", text)
            parts[name] += text

    add(entry)
    joined = "\n".join([text if name == entry else _EXPORT.sub("", text) for name, text in parts.items()])
    return "\n".join([_squeezed(line) for line in joined.splitlines()]) + "\n"


def _squeezed(line: str) -> str:
    """A line of JavaScript without the blanks around signs. One with backquotes, or perhaps a pattern, stays as is."""
    if "`" in line or "/" in line or line.startswith("export "):
        return line
    return "".join([part if part[:1] in ("'", '"') else _AROUND.sub(r"\1", part) for part in _QUOTED.split(line)])


@cache
def style_text(name: str) -> str:
    """A style sheet of the folder ``static``, without its comments and blanks between declarations."""
    text = (STATIC / name).read_text(encoding="utf-8")
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r" */\*.*?\*/", "", text, flags=re.DOTALL))
