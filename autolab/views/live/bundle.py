"""The front end: hand-written files, joined into one module and one style sheet, compressed, and sent once for all
views of a kind.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import cache
from pathlib import Path

VIEWS = Path(__file__).parent.parent
"""Each view's JavaScript and style sheets are beside its Python; no two files have the same name."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\.{1,2}/(?:\w+/)?(\w+\.js)";\n', re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "\.{1,2}/(?:\w+/)?(\w+\.css)";\n', re.MULTILINE)
_SPACE = re.compile(r" ?([{}])\n?|(;)\n|^([\w-]+:) ", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)


@cache
def module_text(entry: str) -> str:
    """The module ``entry`` of a view, preceded by everything that it imports.

    All files share one scope, so a name may be declared at the top level of one file only.
    """
    parts = _joined(entry, _IMPORT)
    return "\n".join([text if name == entry else _EXPORT.sub("", text) for name, text in parts.items()])


@cache
def style_text(entry: str) -> str:
    """A style sheet of a view with all that it imports, each once, without comments and superfluous white space.

    A form feed, which is white space to a browser, separates the sheets: `loader.js` adds only those that a page lacks.
    """
    return "\f".join([_SPACE.sub(r"\1\2\3", text) for text in _joined(entry, _STYLE_IMPORT).values()])


def file_of(name: str) -> Path:
    """The file of the module or style sheet with this name.

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
    """The files that ``entry`` needs, imports first; files may import each other's functions."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            parts[name] = ""
            text = file_of(name).read_text(encoding="utf-8")
            for imported in imports.findall(text):
                add(imported)
            text = minified(imports.sub("", text))
            parts[name] = parts.pop(name) + (text if name.endswith(".css") else tight(text))

    add(entry)
    return parts


_STRING = r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
_NESTED = 3
"""Maximum depth of nested templates."""


def _template() -> str:
    """A pattern for a template literal, with the expressions in it."""
    pattern = "(?!)"
    for _ in range(_NESTED):
        part = rf"[^`\"'{{}}]|{_STRING}|{pattern}"
        pattern = rf"`(?:[^`\\$]|\\.|\$(?!\{{)|\$\{{(?:{part}|\{{(?:{part})*\}})*\}})*`"
    return pattern


_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
_REGEX = (
    r"(?:(?<=[(,=:\[!&|?;{\n])|(?<=[,=:&|?>] )|(?<=return ))"  # after a value, a slash is a division
    r"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
_TOKEN = re.compile(
    rf"(?P<kept>{_STRING}|{_template()}|{_REGEX})"
    rf"|^ *(?:(?:{_COMMENT}) *)*\n|^ +| *(?:{_COMMENT})",  # an empty line, indentation, a comment
    re.MULTILINE,
)


def minified(text: str) -> str:
    """JavaScript or a style sheet without comments, empty lines and indentation. Strings, templates and regular
    expressions are left as they are, and lines are never joined.

    Examples
    --------
    >>> minified("if (a) {\\n  // why\\n  b = a / 2; /* half */\\n}\\n")
    'if (a) {\\nb = a / 2;\\n}\\n'
    """
    return _TOKEN.sub(lambda found: found["kept"] or "", text)


_SPACED = re.compile(
    rf"(?P<kept>{_STRING}|{_template()}|{_REGEX})| ?(?P<sign>=>|[=!]==?|&&|\|\||\?\?=?|[?:,{{}}()<>=*]) ?"
)


def tight(script: str) -> str:
    """JavaScript without the spaces around its signs, except for those that may stand before a number.

    Examples
    --------
    >>> tight("const a = (b, c) => (b ? { c } : -c + ' = ');")
    "const a=(b,c)=>(b?{c}:-c + ' = ');"
    """
    return _SPACED.sub(lambda found: found["kept"] or found["sign"], script)


def zipped(text: str) -> bytes:
    """Text as ``unzipped`` of views/live/unzip.js reads it: gzip, with the same bytes for the same text.

    Examples
    --------
    >>> import gzip
    >>> gzip.decompress(zipped("let a;")).decode()
    'let a;'
    """
    return gzip.compress(text.encode(), mtime=0)


def digest_of(kind: str) -> str:
    """A name for a front end's module and style together. It is the same everywhere, although the compressed bytes may
    differ."""
    texts = f"{module_text(f'{kind}.js')}\f{style_text(f'{kind}.css')}"
    return hashlib.blake2b(texts.encode(), digest_size=12).hexdigest()


def kinds() -> list[str]:
    """The kinds of views that have a front end, that is, whose module exports what creates a view.

    Examples
    --------
    >>> "explorer" in kinds()
    True
    """
    modules = [path for path in VIEWS.glob("*/*.js") if path.with_suffix(".css").exists()]
    return sorted(path.stem for path in modules if "\nexport default " in path.read_text("utf-8"))


EXTENSION = "jupyter-autolab"
"""The name of the front ends on a Jupyter server, as its extension."""

_REGISTER = """\
{
  const { src } = document.currentScript;
  const address = (digest) => [digest, new URL(`${digest}.js`, src).href];
  globalThis[Symbol.for("autolab.host")] = Object.fromEntries(DIGESTS.map(address));
  (globalThis._JUPYTERLAB ??= {})[NAME] = { init() {} };
}
"""
"""Run by each page of JupyterLab: says which front ends the server has, by digest, and where."""


def extension_files(version: str) -> dict[str, str]:
    """The text of each file of an extension of JupyterLab with which a server offers all front ends, so that notebooks
    need not contain them. It depends on these files alone, as a wheel is built with it where nothing is installed.

    Examples
    --------
    >>> files = extension_files("1.0")
    >>> f"static/{digest_of('explorer')}.js" in files
    True
    """
    kind_of = {digest_of(kind): kind for kind in kinds()}
    register = _REGISTER.replace("DIGESTS", json.dumps([*kind_of])).replace("NAME", json.dumps(EXTENSION))
    package = {
        "name": EXTENSION,
        "version": version,
        "description": "Draws AutoLab's views in notebooks that are opened again.",
        "jupyterlab": {"_build": {"load": "static/host.js"}},
    }
    modules = {}
    for digest, kind in kind_of.items():
        style = json.dumps(style_text(f"{kind}.css"))
        modules[f"static/{digest}.js"] = f"{module_text(f'{kind}.js')}\nexport const style={style};\n"
    return {"package.json": json.dumps(package, indent=1), "static/host.js": register, **modules}
