"""The front end's text: hand-written files, joined into one module or style sheet, zipped, and sent once for all views
of a kind.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

import ipywidgets
import traitlets

VIEWS = Path(__file__).parent.parent
"""Each view's JavaScript and style sheets lie beside its Python; no two files have the same name."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\.{1,2}/(?:\w+/)?(\w+\.js)";\n', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "\.{1,2}/(?:\w+/)?(\w+\.css)";\n', re.MULTILINE)
_SPACE = re.compile(r" ?([{}])\n?|(;)\n|^([\w-]+:) ", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


@cache
def module_text(entry: str) -> str:
    """The module ``entry`` of a view with what it imports in front of it.

    All of them share one scope, so a name may stand at the top level of one file only.
    """
    parts = _joined(entry, _IMPORT)
    return "\n".join([text if name == entry else _EXPORT.sub("", text) for name, text in parts.items()])


@cache
def style_text(entry: str) -> str:
    """A style sheet of a view with those that it imports, each once, without comments and white space between parts.

    A form feed, white space to a browser, is between two of them: `loader.js` adds those that a page does not have yet.
    """
    return "\f".join([_SPACE.sub(r"\1\2\3", text) for text in _joined(entry, _STYLE_IMPORT).values()])


def file_of(name: str) -> Path:
    """Where the module or style sheet of this name is.

    Examples
    --------
    >>> file_of("explorer.js").parent.name
    'graph'
    """
    return _files(VIEWS)[name]


@cache
def _files(views: Path) -> dict[str, Path]:
    return {path.name: path for path in views.glob("*/*") if path.suffix in (".js", ".css")}


def _joined(entry: str, imports: re.Pattern[str]) -> dict[str, str]:
    """The files that ``entry`` needs, those that are imported first; files may import each other's functions."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            parts[name] = ""
            text = file_of(name).read_text(encoding="utf-8")
            for imported in imports.findall(text):
                add(imported)
            parts[name] = parts.pop(name) + minified(imports.sub("", text))

    add(entry)
    return parts


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


def minified(text: str) -> str:
    """JavaScript or a style sheet without comments, empty lines and indentation. Strings, templates and regular
    expressions stay as they are, and no two lines become one.

    Examples
    --------
    >>> minified("if (a) {\\n  // why\\n  b = a / 2; /* half */\\n}\\n")
    'if (a) {\\nb = a / 2;\\n}\\n'
    """
    return _TOKEN.sub(lambda found: found["kept"] or "", text)


def zipped(text: str) -> bytes:
    """Text as ``unzipped`` of views/live/unzip.js reads it: gzip, the same bytes for the same text.

    Examples
    --------
    >>> import gzip
    >>> gzip.decompress(zipped("let a;")).decode()
    'let a;'
    """
    return gzip.compress(text.encode(), mtime=0)


def digest_of(kind: str) -> str:
    """The name of a front end's module and style together: the same wherever, though its zipped bytes may differ."""
    texts = f"{module_text(f'{kind}.js')}\f{style_text(f'{kind}.css')}"
    return hashlib.blake2b(texts.encode(), digest_size=12).hexdigest()


def kinds() -> list[str]:
    """The kinds of views that have a front end: their modules export what makes one.

    Examples
    --------
    >>> "explorer" in kinds()
    True
    """
    modules = [path for path in VIEWS.glob("*/*.js") if path.with_suffix(".css").exists()]
    return sorted(path.stem for path in modules if "\nexport default " in path.read_text("utf-8"))


class FrontEnd(ipywidgets.Widget):
    """The module and the style of a kind of view, zipped; ``digest`` names the two together.

    Parameters
    ----------
    kind : str
        The name of the module and of the style sheet, without their suffixes.
    """

    module = traitlets.Bytes().tag(sync=True)
    style = traitlets.Bytes().tag(sync=True)
    digest = traitlets.Unicode().tag(sync=True)

    def __init__(self, kind: str) -> None:
        text = f"{module_text(f'{kind}.js')}//# sourceURL=autolab/{kind}.js\n"  # its name in the browser's debugger
        module, style = zipped(text), zipped(style_text(f"{kind}.css"))
        super().__init__(module=module, style=style, digest=digest_of(kind))


_held: dict[str, FrontEnd] = {}


def front_end(kind: str) -> FrontEnd:
    """The front end of a kind of view. One that was closed, as ``Widget.close_all()`` does, is made anew."""
    held = _held.get(kind)
    if held is None or held.comm is None:
        held = _held[kind] = FrontEnd(kind)
    return held
