"""Sphinx with myst-nb: a page that it builds from a notebook shows pictures, which need no network; a saved page moves
in a frame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autolab

from .hosts import PROGRAM, moves, needs, notebook, visited

pytestmark = [pytest.mark.lab, needs("myst_nb")]

CONFIG = """\
project = "Gradients"
extensions = ["myst_nb"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
html_extra_path = ["saved"]
"""
FRAME = """\
# A page that moves

```{raw} html
<iframe src="muladd.html" width="100%" height="800"></iframe>
```
"""
HEATMAP = "import numpy as np\nautolab.heatmap(np.eye(3))"


def muladd(x, y, z):
    h = x * y
    return h + z


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a notebook with two live views, which Sphinx has run, and a page around a saved view."""
    source = tmp_path_factory.mktemp("sphinx")
    (source / "conf.py").write_text(CONFIG)
    notebook(source / "index.ipynb", PROGRAM, HEATMAP)
    (source / "moving.md").write_text(FRAME)
    (source / "saved").mkdir()
    view = autolab.explore(muladd, x=2.0, y=3.0, z=1.0)
    autolab.export_html(view, source / "saved" / "muladd.html")
    view.close()
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(source / "built")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return source / "built"


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_shows_the_pictures_of_live_views(site: Path, browser: Any, theme: str) -> None:
    with visited(browser, (site / "index.html").as_uri(), theme) as page:
        pictures = page.locator(".cell_output img")
        assert pictures.count() == 2
        for i in range(2):
            assert pictures.nth(i).evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        page.screenshot(path=f"artefacts/sphinx-{theme}.png")


@pytest.mark.browser
def test_a_saved_page_moves_in_a_frame(site: Path, browser: Any) -> None:
    with visited(browser, (site / "moving.html").as_uri()) as page:
        moves(page.frame_locator("iframe"))
        page.screenshot(path="artefacts/sphinx-moving.png")
