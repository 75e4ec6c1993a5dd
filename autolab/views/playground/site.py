"""The playground as a folder of files for any web server: nothing runs on the server, and nothing must be installed."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...shared.files import write
from ..draw.messages import SENTENCES, say
from ..live.bundle import digest_of, kinds, module_text, style_text

PYODIDE = "0.29.3"
"""The version of Pyodide: CPython 3.13 for browsers, with a compatible wheel of NumPy."""

DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
"""The URL of this version of Pyodide with its packages."""

RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_WIDGETS = ("anywidget", "comm", "ipywidgets", "psygnal", "traitlets", "typing_extensions")
_NEEDED = (*_WIDGETS, "executing", "graphviz", "tqdm")
_LEFT_OUT = ("tests", "testing", "labextension", "nbextension", "compat", "__pycache__", "bin", "share", "etc")
_KINDS = (".py", ".js", ".css", ".csv", ".npz", ".toml")
_LICENCE = ("LICENSE", "LICENCE", "COPYING")
_OWN = Path(__file__).resolve().parents[2]

EXAMPLES: dict[str, str] = {
    "Multiply and add": """\
import autolab

def muladd(x, y, z):
    h = x * y
    return h + z

autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
""",
    "A value used twice": """\
import autolab

def twice(x):
    h = x * x
    return h * x + h

autolab.explore(twice, x=1.5)
""",
    "A small network": """\
import numpy as np
import autolab
from autolab import functions as F

rng = np.random.default_rng(0)

def network(x, W1, b1, W2, b2, target):
    h = F.tanh(x @ W1 + b1)
    y = h @ W2 + b2
    return F.mean((y - target) ** 2)

autolab.explore(
    network,
    x=rng.normal(size=(4, 2)),
    W1=rng.normal(size=(2, 3)), b1=np.zeros(3),
    W2=rng.normal(size=(3, 1)), b2=np.zeros(1),
    target=rng.normal(size=(4, 1)),
)
""",
    "y, y' and y''": """\
import autolab
from autolab import functions as F

def wave(x):
    return F.sin(x) * F.exp(-x / 4)

autolab.derivatives(wave, x=1.0)
""",
    "A wrong gradient": """\
import numpy as np
import autolab

@autolab.elementwise(x=lambda g, y: g * (1 - y))  # wrong: what should be here?
def tanh(xp, x):
    return xp.tanh(x)

autolab.check_gradients(tanh, np.array([0.3, -1.2, 0.8]))
""",
    "An array as a heatmap": """\
import numpy as np
import autolab

x = np.linspace(-3, 3, 40)
autolab.heatmap(wave=np.sin(x) * np.cos(x)[:, None])
""",
}
"""The programs that the playground offers, by name; the first is shown when the page opens."""


@dataclass(frozen=True)
class Offline:
    """Files to build a site that does not depend on any other site.

    Parameters
    ----------
    pyodide : path
        The folder of the npm package ``pyodide``, version `PYODIDE`.
    numpy : path
        A compatible wheel of NumPy.
    """

    pyodide: Path
    numpy: Path


def build(folder: str | Path, offline: Offline | None = None) -> Path:
    """Write the playground into a folder, which is created if needed; files of an earlier one are replaced.

    Parameters
    ----------
    folder : path
        The target folder. Its contents can be put on any web server.
    offline : Offline, optional
        Copy Pyodide and NumPy from here. Without it, the page loads both from Pyodide's own server.

    Returns
    -------
    Path
        The page, ``index.html``.

    Raises
    ------
    FileNotFoundError
        If one of the files of ``offline`` is missing.
    OSError
        If a file cannot be written.
    """
    target = Path(folder)
    missing = [] if offline is None else [p for p in (*_runtime(offline.pyodide), offline.numpy) if not p.is_file()]
    if missing:
        raise FileNotFoundError(f"playground: {', '.join(map(str, missing))} is missing")
    target.mkdir(parents=True, exist_ok=True)
    sources = _sources(target, offline)
    archive = _packed()
    sources["build"] = hashlib.sha256(json.dumps([PYODIDE, sources]).encode() + archive).hexdigest()[:16]
    content = {
        "index.html": _page(sources),
        "playground.js": module_text("playground.js"),
        "worker.js": module_text("worker.js"),
        "playground.css": style_text("playground.css"),
        "views/loader.js": module_text("loader.js"),
        **{f"views/{kind}.js": module_text(f"{kind}.js") for kind in kinds()},
        **{f"views/{kind}.css": style_text(f"{kind}.css") for kind in kinds()},
    }
    (target / "views").mkdir(exist_ok=True)
    for name, text in content.items():
        write(target / name, text.encode())
    write(target / "autolab.zip", archive)
    write(target / "LICENSES.txt", _licences(offline).encode())
    return target / "index.html"


def _runtime(folder: Path) -> list[Path]:
    return [folder / name for name in RUNTIME]


def _sources(target: Path, offline: Offline | None) -> dict[str, str]:
    """The addresses at which the page finds Pyodide and NumPy."""
    if offline is None:
        return {"pyodide": DISTRIBUTION, "numpy": "numpy"}
    (target / "pyodide").mkdir(exist_ok=True)
    for path in _runtime(offline.pyodide):
        write(target / "pyodide" / path.name, path.read_bytes())
    write(target / offline.numpy.name, offline.numpy.read_bytes())
    return {"pyodide": "pyodide/", "numpy": offline.numpy.name}


def _licences(offline: Offline | None) -> str:
    """The packages in the site, with versions and licences."""
    parts: list[str] = []
    for package in _NEEDED:
        metadata = importlib.metadata.metadata(package)
        texts = [file for file in importlib.metadata.files(package) or () if file.name.startswith(_LICENCE)]
        held = [Path(str(file.locate())).read_text("utf-8") for file in texts]
        parts.append("\n".join([f"{metadata['Name']} {metadata['Version']}", *held]))
    if offline is not None:
        with zipfile.ZipFile(offline.numpy) as wheel:
            held = [wheel.read(name).decode() for name in wheel.namelist() if Path(name).name.startswith(_LICENCE)]
        parts.append("\n".join([offline.numpy.name, *held]))
        parts.append(
            f"Pyodide {PYODIDE}: Mozilla Public License 2.0; its source is at https://github.com/pyodide/pyodide"
        )
    return f"\n\n{'-' * 80}\n".join(parts)


def _page(sources: dict[str, str]) -> str:
    """The page; what it must know is data in it, which its module reads."""
    words = {key.removeprefix("play_"): text for key, text in SENTENCES.items() if key.startswith("play_")}
    known = {**sources, "examples": EXAMPLES, "words": words, "front_ends": {digest_of(kind): kind for kind in kinds()}}
    elsewhere = "" if sources["pyodide"].startswith("pyodide") else f" {DISTRIBUTION}"
    policy = (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{elsewhere}; worker-src 'self' blob:; "
        f"connect-src 'self'{elsewhere}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'"
    )
    data = json.dumps(known).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{say("play_title")}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="playground.css">
<script type="application/json" id="known">{data}</script>
<script type="module" src="playground.js"></script>
</head>
<body></body>
</html>
"""


def _packed() -> bytes:
    """AutoLab and the pure Python packages that its live views need, as installed here, in one archive."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, name in sorted(_modules(), key=lambda pair: pair[1]):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # so that the same files give the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return held.getvalue()


def _modules() -> Iterator[tuple[Path, str]]:
    for path in _OWN.rglob("*"):
        name = path.relative_to(_OWN.parent)
        if path.suffix in _KINDS and not set(name.parts) & {*_LEFT_OUT, "lesson", "lessons"}:
            yield path, name.as_posix()
    for package in _NEEDED:
        for file in importlib.metadata.files(package) or ():
            kept = file.suffix == ".py" or file.name == "METADATA" or file.name.endswith(".schema.json")
            if kept and not set(file.parts) & {*_LEFT_OUT, ".."}:
                yield Path(str(file.locate())), file.as_posix()
