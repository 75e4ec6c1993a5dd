"""The gallery: twelve showpieces, and a page for each function: its curves, its graph, its conventions, its example."""

from __future__ import annotations

import ast
import base64
import doctest
import html
import inspect
import os
import re
import runpy
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import gradients
import moving
import numpy as np
from api import FAMILIES
from graphs import graph

from autolab import functions as F
from autolab.analysis import Study
from autolab.engine.display import mimebundle
from autolab.functions.conventions import conventions
from autolab.views.export.pages import page_of, saved_page
from autolab.views.export.playground_link import ADDRESS
from autolab.views.gallery.site import NothingMoves, moving_page, summary
from autolab.views.gallery.site import moving as moving_example

HERE = Path(__file__).parent
SHOWPIECES = {
    "rnn": "0 150 440 275",
    "attention": "0 225 560 350",
    "dead_units": "130 200 520 325",
    "dropout": "0 15 560 350",
    "batch_norm": "0 30 560 350",
    "taylor": "0 2 440 275",
    "rosenbrock": "20 30 500 300",
    "wrong_backward": "0 0 520 114",
    "gpt_block": "0 45 430 269",
    "convolution": "0 40 540 337",
    "boundary": "130 835 500 312",
    "fourth": "0 2 440 275",
}
"""Each with the part of its picture (left, top, width, height) that its card shows."""
_THUMBNAIL = (96, 56)


def gallery(stage: Path) -> None:
    """Write the pages, and the index with a card for each."""
    os.environ[ADDRESS] = moving.PLAYGROUND  # graphs lead there with their code
    folder = stage / "gallery"
    folder.mkdir(parents=True)
    _front(stage)
    shows = [_showpiece(stage, name) for name in SHOWPIECES]
    groups = {
        title: [name for name in sorted(F.__all__) if getattr(F, name).__module__.split(".")[2] == family]
        for family, title in FAMILIES.items()
    }
    names = [name for group in groups.values() for name in group]
    with ProcessPoolExecutor(2) as executor:
        cards = dict(zip(names, executor.map(_function, [stage] * len(names), names), strict=True))
    lines = [_INDEX, _cards(shows, "shows")]
    lines += [f"## {title}\n\n{_cards([cards[name] for name in group])}" for title, group in groups.items()]
    pages = "\n".join([*(f"show_{name}" for name in SHOWPIECES), *names])
    (folder / "index.md").write_text("\n\n".join([*lines, f"```{{toctree}}\n:hidden:\n\n{pages}\n```\n"]), "utf-8")


_INDEX = """# Gallery

<form class="gallery-search" role="search" onsubmit="return false">
<label>Search the gallery <input type="search" autocomplete="off"></label> <output></output>
</form>

## Showpieces

Twelve small programs. Each page has the code, and its result, which moves."""


def _cards(cards: list[str], kind: str = "functions") -> str:
    return f'<ul class="gallery-cards {kind}">\n{"".join(cards)}</ul>'


def _card(page: str, title: str, text: str, picture: str) -> str:
    return f'<li><a href="{page}.html">{picture}<strong>{html.escape(title)}</strong></a> <span>{text}</span></li>\n'


# ---------------------------------------------------------------------------------------------------- showpieces
def _showpiece(stage: Path, name: str) -> str:
    """Run the program, and write its page; the answer is its card."""
    file = HERE / "showpieces" / f"{name}.py"
    source = file.read_text("utf-8")
    told = ast.get_docstring(ast.parse(source)) or ""
    title, _, text = told.partition("\n\n")
    code = source.partition('"""\n\n')[2]
    view = executed(file)
    if name == "rosenbrock":
        _race(view)
    kind = _save(stage, f"show_{name}", title, view)
    _draw(view, stage / "extra" / "gallery" / "pictures" / f"{name}.svg")
    view.close()
    frame = moving.frame(f"show_{name}", title, 1, kind)
    body = [f"# {title}", text, frame, f"```python\n{code.replace('view = ', '')}```", _MORE]
    (stage / "gallery" / f"show_{name}.md").write_text("\n\n".join(body), "utf-8")
    sentence = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(" ".join(text.split()).partition(". ")[0] + "."))
    return _card(f"show_{name}", title, sentence, f'<img src="pictures/{name}.svg" alt="" loading="lazy">')


def _race(view: Any) -> None:
    """What the button in the menu does."""
    look = view.look | {"balls": "SGD 0.002;MomentumSGD 0.002 0.9;Adam 0.1 0.9 0.999 1e-8"}
    rolls = ["roll", look["ball"], look["balls"], look["steps"]]
    view._look_at(look, [["surface", look["tone"]], rolls, ["slope", ""], ["arrows", False]])


def _front(stage: Path) -> None:
    """The graph that visitors meet first."""
    _save(stage, "front", "muladd", executed(HERE / "showpieces" / "front.py"))


def _save(stage: Path, name: str, title: str, view: Any) -> str:
    """Save a live view as a page that moves; the answer is its kind."""
    with np.errstate(all="ignore"):  # an example may stand where there is no number
        saved = saved_page(view)
    moving.save(stage / "extra", name, saved.view, page_of(saved.view, title, saved.data(), "auto"))
    return str(saved.view)


def _draw(view: Any, target: Path) -> None:
    """The picture of a card: a part of that of the view. That of a check is in what a notebook shows."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if held := re.search(r"data:image/svg\+xml;base64,([\w+/=]+)", mimebundle(view).get("text/html", "")):
        target.write_bytes(base64.b64decode(held[1]))
    else:
        view.save(target, look="auto")
    part = SHOWPIECES[target.stem]
    _, _, width, height = part.split()
    size = f'width="{width}" height="{height}" viewBox="{part}"'
    text, count = re.subn(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]+"', size, target.read_text("utf-8"), count=1)
    assert count == 1, f"{target.name} does not begin with its size"
    target.write_text(text, "utf-8")


def executed(file: Path) -> Any:
    """What a showpiece calls ``view``."""
    # Without a notebook, a view saves a page where it is and says so.
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
        return runpy.run_path(str(file))["view"]


_MORE = """Run it in a notebook, or in the [playground](../docs/playground.md)."""


# ---------------------------------------------------------------------------------------------------- functions
_GRAPH = "The call of the example below. The player goes through it step by step, forward and backward."


def _function(stage: Path, name: str) -> str:
    """Write the page of a function; the answer is its card."""
    function = getattr(F, name)
    parts = [
        f"# {name}",
        _words(summary(name)),
        f"{{py:func}}`autolab.functions.{name}` has its parameters and errors.",
    ]
    try:
        shown = moving_example(name)
        moving.save(stage / "extra", f"F_{name}", "derivatives", moving_page(name, shown))
        thumbnail = _thumbnail(shown)
        told = f"Move the point. The curves are those of {shown.told}."
        parts += [_escaped(told), moving.frame(f"F_{name}", f"The curves of {name}", 1, "derivatives")]
    except NothingMoves as why:
        thumbnail = _picture([])
        parts.append(_escaped(f"There is no curve here: {why}."))
    with gradients.Called() as called:
        view = graph(name)
    _save(stage, f"graph_{name}", name, view)
    view.close()
    parts += ["## Gradient", gradients.told(name, called)]
    parts += ["## Graph", _GRAPH, moving.frame(f"graph_{name}", f"The graph of {name}", 1)]
    rows = conventions(name)
    if rows:
        told = "What AutoLab gives where there is no derivative, or a formula has no number to give."
        table = f'<div class="pst-scrollable-table-container">{mimebundle(rows)["text/html"]}</div>'
        parts += ["## Conventions", told, table]
    parts += ["## Example", f"```python\n{_example(function)}```"]
    (stage / "gallery" / f"{name}.md").write_text("\n\n".join(parts), "utf-8")
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(summary(name)).replace("``", "`"))
    return _card(name, name, text, thumbnail)


def _words(text: str) -> str:
    """A sentence of a docstring as Markdown."""
    pieces = re.split("``?", text)
    return "".join([f"`{piece}`" if k % 2 else _escaped(piece) for k, piece in enumerate(pieces)])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_\[\]<>$])", r"\\\1", text)


def _example(function: Any) -> str:
    """The example of the docstring, with what it prints as comments."""
    lines: list[str] = []
    for one in doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""):
        lines += [one.source, *[f"# {line}\n" for line in one.want.splitlines()]]
    return "".join(lines)


def _thumbnail(shown: Any) -> str:
    """The curve of the value and that of the gradient, each in its own range."""

    def fn(t: Any) -> Any:
        return shown.fn(t)

    with np.errstate(all="ignore"):
        curves = Study(fn, shown.x, 1, shown.domain).data.curves
    if curves is None:
        return _picture([])
    places = np.linspace(curves.x[0], curves.x[-1], 49)
    taken = np.unique(np.abs(curves.x - places[:, None]).argmin(axis=1))  # they lie closer at kinks
    return _picture([(curves.x[taken], y[taken]) for y in curves.y[:2]])


def _picture(curves: list[Any]) -> str:
    width, height = _THUMBNAIL
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true"'
    return f'<svg class="thumbnail" {size}>{"".join([_path(*curve, k) for k, curve in enumerate(curves)])}</svg>'


def _path(x: Any, y: Any, k: int) -> str:
    """A curve; it ends where the numbers do."""
    width, height = _THUMBNAIL
    finite = np.isfinite(y)
    if not finite.any():
        return ""
    low, high = y[finite].min(), y[finite].max()
    inner = np.percentile(y[finite], [3, 97])
    if high - low > 3 * (inner[1] - inner[0]):  # it runs off at a pole
        low, high = inner
    if high - low < 1e-12 * max(1.0, abs(high)):
        low, high = low - 1.0, high + 1.0
    places = np.round(np.clip((height - 6) * (high - y) / (high - low) + 3, -9, height + 9), 1)
    x = np.round(2 + (width - 4) * (x - x[0]) / (x[-1] - x[0]), 1)
    pen, steps = "M", []
    for left, top, there in zip(x.tolist(), places.tolist(), finite.tolist(), strict=True):
        steps += [f"{pen}{left:g} {top:g}"] if there else []
        pen = "L" if there else "M"
    return f'<path class="curve-{k}" d="{"".join(steps)}"/>'
