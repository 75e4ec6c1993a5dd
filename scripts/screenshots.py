"""Take the pictures of the documents from a real JupyterLab: `python scripts/screenshots.py`.

The picture of the walk is animated. Names choose some of them: `live-graph`, `watch-backward`, `network`, and those of
lessons, such as `linear`. The picture of a lesson is the output of the cell that has a `picture` in its metadata, a
description in words for those who cannot see it. notebooks/README.md, the list of the lessons, is written as well.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal, cast

from PIL import Image, ImageOps
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import autolab  # noqa: E402
from autolab.lesson.shipped import notebooks  # noqa: E402
from autolab.shared.files import write  # noqa: E402
from tests.helpers.chromium import launch  # noqa: E402
from tests.views.lab import Lab, LabPage, lab_server  # noqa: E402


def muladd(x: Any, y: Any, z: Any) -> Any:
    h = x * y
    w = h + z
    return w


LAYER = """
import autolab
import numpy as np

rng = np.random.default_rng(0)


def layer(x, W, b):
    h = np.tanh(x @ W + b)
    loss = (h * h).mean()
    return loss


autolab.explore(layer, x=rng.normal(size=(4, 3)), W=rng.normal(size=(3, 2)), b=rng.normal(size=2))
"""
NETWORK = """
import autolab
import autolab.functions as F
import numpy as np
from autolab import links as L


class MLP(autolab.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(4, 6)
            self.l2 = L.Linear(6, 3)

    def forward(self, x):
        h = F.relu(self.l1(x))
        return self.l2(h)


rng = np.random.default_rng(0)
autolab.config.rng = rng
model = MLP()


def loss(x, t):
    y = model(x)
    loss = F.softmax_cross_entropy(y, t)
    return loss
"""
LOOK = "autolab.explore(loss, rng.normal(size=(3, 4)), rng.integers(0, 3, size=3))"
THEMES = {"": "JupyterLab Light", "-dark": "JupyterLab Dark"}
IMAGES = ROOT / "docs" / "images"
LESSON_SIZE, MARGIN = {"width": 1080, "height": 1800}, 15  # the window of a lesson, and the margin around its picture
LIST = """# Lessons

Each lesson is a notebook of 15 to 30 minutes: you predict, run, move what can be moved, and complete lines, and AutoLab
checks your answers. `make lab` opens the first lesson, and `autolab lab linear` opens one by its name
([more ways to start](../docs/tour.md#start)). [For instructors](../docs/INSTRUCTOR.md): what each lesson builds on, and
what students find hard.
"""
CELL = ".jp-NotebookPanel:visible .jp-Cell"


def main() -> None:
    """Photograph or film each prepared notebook in both themes: those named on the command line, or all."""
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        browser = launch(playwright)
        wanted = sys.argv[1:]
        if not wanted or "live-graph" in wanted:
            _film()
        for name, take in {"watch-backward": _walked, "network": _coloured}.items():
            if wanted and name not in wanted:
                continue
            context = browser.new_context(viewport={"width": 1240, "height": 1700}, device_scale_factor=1.5)
            view = LabPage(lab, context.new_page())
            take(lab, view)
            _photograph(view, name)
            context.close()
        lessons = [name for name in notebooks() if not wanted or name in wanted]
        if lessons:
            _photograph_lessons(lab, LabPage(lab, browser.new_context(device_scale_factor=1.5).new_page()), lessons)
        browser.close()
    write(ROOT / "notebooks" / "README.md", lesson_list())


def _change_theme(view: LabPage, theme: str) -> None:
    view.page.evaluate("() => document.activeElement.blur()")
    view.command("apputils:change-theme", theme=theme)
    view.page.wait_for_timeout(2000)  # until the highlight of the change has faded


def _photograph(view: LabPage, name: str) -> None:
    for suffix, theme in THEMES.items():
        _change_theme(view, theme)
        write(IMAGES / f"{name}{suffix}.png", view.page.locator(CELL).last.screenshot())


def _photograph_lessons(lab: Lab, view: LabPage, lessons: list[str]) -> None:
    """Run each lesson up to the cell with its picture, and photograph its output."""
    for name in lessons:
        notebook = notebooks()[name]
        view.open(Path(shutil.copy(notebook, lab.folder)))
        view.page.set_viewport_size(LESSON_SIZE)
        view.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        number = next(i for i, cell in enumerate(cells) if "picture" in cell["metadata"])
        for i in [i for i, cell in enumerate(cells[: number + 1]) if cell["cell_type"] == "code"]:
            view.run(i)
        output = view.page.locator(f'{CELL}[data-windowed-list-index="{number}"] .jp-OutputArea-output').last
        for suffix, theme in THEMES.items():
            _change_theme(view, theme)
            shot = Image.open(io.BytesIO(output.screenshot())).convert("RGB")
            picture = io.BytesIO()
            shot = ImageOps.expand(shot, MARGIN, shot.getpixel((0, 0)))
            shot.quantize(256, dither=Image.Dither.NONE).save(picture, "PNG", optimize=True)
            write(IMAGES / "lessons" / f"{notebook.stem}{suffix}.png", picture.getvalue())
            print(f"{notebook.stem}{suffix}.png", shot.size, f"{len(picture.getvalue()) / 1000:.0f} kB")
        view.clear()


def lesson_list() -> str:
    """notebooks/README.md: a link to each lesson, what the first lesson says about it, and its picture."""
    books = {path: json.loads(path.read_text("utf-8")) for path in notebooks().values()}
    first, *_ = books
    title, last = ["".join(books[first]["cells"][i]["source"]) for i in (0, -1)]
    begin = f"{title.splitlines()[0].partition(': ')[2]}. Begin here."
    links = [("00 start", first.name, begin), *re.findall(r"^\* \[(.+)\]\((.+)\): (.+)$", last, re.MULTILINE)]
    text = LIST
    for link, name, words in links:
        book, stem = books[first.with_name(name)], name.removesuffix(".ipynb")
        (told,) = [cell["metadata"]["picture"] for cell in book["cells"] if "picture" in cell["metadata"]]
        text += f"""
## [{link}]({name})

{words[0].upper()}{words[1:]}

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="../docs/images/lessons/{stem}-dark.png">
  <img width="640" alt="{told}" src="../docs/images/lessons/{stem}.png">
</picture>
"""
    return text


def _film() -> None:
    """The walk through the first graph that a reader sees."""
    for suffix, look in {"": "light", "-dark": "dark"}.items():
        path = IMAGES / f"live-graph{suffix}.gif"
        autolab.record(muladd, x=2.0, y=3.0, z=4.0).save(path, cast(Literal["light", "dark"], look))
        print(path.name, f"{path.stat().st_size / 1000:.0f} kB")


def _open(lab: Lab, view: LabPage, name: str, *cells: str) -> None:
    view.open(lab.write(f"{name}.ipynb", *cells))
    view.command("application:toggle-left-area")
    for cell in range(len(cells)):
        view.run(cell)


def _walked(lab: Lab, view: LabPage) -> None:
    """Walk backward to where the bias gets its gradient."""
    _open(lab, view, "layer", LAYER)
    slider = view.page.get_by_role("slider", name="Step of the walk")
    slider.focus()
    slider.press("End")
    for _ in range(3):
        slider.press("ArrowLeft")
    view.page.wait_for_timeout(800)


def _coloured(lab: Lab, view: LabPage) -> None:
    """Close one layer of a network, and colour by the gradient."""
    _open(lab, view, "network", NETWORK, LOOK)
    view.page.locator(".al-menu > summary").click()
    view.page.get_by_label("Colour by").select_option("gradient")
    view.page.get_by_role("button", name="Fit the whole graph").click()
    view.page.keyboard.press("Escape")
    view.page.locator(".al-tab", has_text="l2(h)").click()
    view.page.wait_for_timeout(500)


if __name__ == "__main__":
    main()
