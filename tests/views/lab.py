"""A private JupyterLab and what a test does in its page: open a notebook, run cells, read outputs, save."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Locator, Page, ViewportSize

from autolab.app.cli import LAB_SETTINGS
from autolab.views.live.bundle import EXTENSION, extension_files

START_SECONDS = 60
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
NOTIFICATION = {"fetchNews": "false", "checkForUpdates": False}
READY = """async () => {
  await window.jupyterapp?.restored;
  const panel = window.jupyterapp?.shell?.currentWidget;
  if (!panel?.content?.widgets?.length) return false;
  await panel.context.ready; await panel.revealed; await panel.sessionContext.ready;
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) return false;
  await kernel.info;
  return kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
RUN = """i => {
  const panel = window.jupyterapp.shell.currentWidget, notebook = panel.content;
  notebook.activeCellIndex = i;
  notebook.widgets[i].model.sharedModel.execution_count = null;
  void window.jupyterapp.commands.execute('notebook:run-cell');
}"""
RAN = """i => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[i];
  return cell.model.executionCount !== null && cell.model.executionState !== 'running';
}"""
EXECUTE = """([name, arguments_]) => {
  window.done = false;
  window.jupyterapp.commands.execute(name, arguments_).finally(() => { window.done = true; });
}"""
CLEAR = """async () => {
  for (const widget of [...window.jupyterapp.shell.widgets('main')]) widget.dispose();
  await window.jupyterapp.serviceManager.sessions.shutdownAll();
}"""
FORGET = """hasFrontEnds => {
  const host = Symbol.for('autolab.host');
  globalThis[Symbol.for('autolab.modules')]?.clear();
  window.ofHost ??= globalThis[host];
  globalThis[host] = hasFrontEnds ? window.ofHost : {};
}"""
CUT_OFF = re.compile(
    r"^(Error: )?Disposed$|Canceled future for \w+ message before replies were done|^Comm not found for"
)
"""What JupyterLab itself complains of, sometimes late, when a kernel ends or restarts before it has answered, or
answers when JupyterLab no longer waits."""
OUTPUT = "i => window.jupyterapp.shell.currentWidget.content.widgets[i].outputArea?.node.innerText ?? ''"


@dataclass(frozen=True)
class Lab:
    """A running server."""

    folder: Path
    address: str
    token: str
    environment: dict[str, str]

    def write(self, name: str, *cells: str) -> Path:
        """A notebook with these code cells, not yet run."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = self.folder / name
        nbformat.write(notebook, path)
        return path

    def until(self, name: str) -> str:
        """A cell that runs until the test makes this file in the notebook's folder."""
        return f"import pathlib, time\nwhile not pathlib.Path({name!r}).exists():\n    time.sleep(0.05)"

    def trust(self, path: Path) -> None:
        """What the menu's Trust Notebook does."""
        notary = NotebookNotary(data_dir=self.environment["JUPYTER_DATA_DIR"])
        notary.sign(nbformat.read(path, as_version=4))
        notary.store.close()


@contextlib.contextmanager
def lab_server(
    folder: Path,
    command: Sequence[str | Path] = (sys.executable,),
    variables: Mapping[str, str] | None = None,
    app: str = "jupyterlab",
) -> Iterator[Lab]:
    """A server with folders, settings and a token of its own, on a free port of the loopback. It has the extension with
    the front ends of the views, as from a wheel of this state.

    ``command`` is the Python that runs it, or how that is started; ``variables`` go before the test's own; ``app`` is
    the module of JupyterLab, or that of Notebook 7.
    """
    own = folder / "own"
    places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    lab_places = {"SETTINGS_DIR": "settings", "WORKSPACES_DIR": "workspaces"}
    token = secrets.token_hex(16)
    environment = {
        **os.environ,
        **{f"JUPYTER_{key}": str(own / name) for key, name in places.items()},
        **{f"JUPYTERLAB_{key}": str(own / name) for key, name in lab_places.items()},
        "JUPYTER_CONFIG_PATH": str(LAB_SETTINGS),
        "JUPYTER_PATH": os.pathsep.join([str(own), *filter(None, [os.environ.get("JUPYTER_PATH")])]),
        "IPYTHONDIR": str(own / "ipython"),
        "JUPYTER_TOKEN": token,
        **(variables or {}),
    }
    settings = own / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(NOTIFICATION))
    extension = own / "labextensions" / EXTENSION
    (extension / "static").mkdir(parents=True)
    for name, text in extension_files("0").items():
        (extension / name).write_text(text)
    work = folder / "work"
    work.mkdir()
    options = ["--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root", f"--ServerApp.root_dir={work}"]
    kind = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}[app]
    options += [f"--{kind}.expose_app_in_browser=True", "--ServerApp.log_level=WARN"]
    options += ["--LabApp.extension_manager=readonly"] * (app == "jupyterlab")
    log = own / "server.log"
    with (
        log.open("w") as out,
        subprocess.Popen(
            [*command, "-m", app, *options],
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            address = _wait_until_up(process, own / "runtime", token, log)
            yield Lab(work, address, token, environment)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _wait_until_up(process: subprocess.Popen[bytes], runtime: Path, token: str, log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        file = runtime / f"jpserver-{process.pid}.json"
        with contextlib.suppress(OSError, ValueError):
            address = str(json.loads(file.read_text())["url"])
            urllib.request.urlopen(f"{address}api/status?token={token}", timeout=2).read()
            return address
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


class LabPage:
    """A notebook in the browser."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.lab = lab
        self.page = page
        self.problems: list[str] = []
        self._is_loaded = False
        page.set_default_timeout(20_000)
        page.on("console", lambda m: self._note(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self._note(str(error)))

    def _note(self, problem: str) -> None:
        if not CUT_OFF.search(problem):
            self.problems.append(problem)

    def open(self, path: Path, kernel: bool = True) -> None:
        """Show a notebook; without ``kernel`` it is only looked at."""
        if self._is_loaded:
            self.command("docmanager:open", path=path.name)
        else:
            workspace = secrets.token_hex(4)  # else the tabs of the last page come back
            self.page.goto(f"{self.lab.address}lab/workspaces/{workspace}/tree/{path.name}?token={self.lab.token}")
            self._is_loaded = True
        if kernel:
            self._wait_for_kernel()
        else:
            self.page.wait_for_selector(".jp-NotebookPanel:visible .jp-Cell")

    def clear(self) -> bool:
        """Close all notebooks, unsaved, and end their kernels; whether the page is then as good as a new one."""
        self.page.evaluate(CLEAR)
        self.page.set_viewport_size(VIEWPORT)
        self.page.mouse.move(0, 0)
        return not (self.problems or self.page.locator(".jp-Dialog, .jp-Notebook").count())

    def save(self, path: Path) -> None:
        """Save the notebook with its widgets: their state comes into it while it is saved, sometimes after that."""
        for _ in range(10):
            self.command("docmanager:save")
            if "widgets" in json.loads(path.read_text("utf-8"))["metadata"]:
                return
        raise AssertionError("the notebook was saved without its widgets")

    def reopen(self, path: Path) -> None:
        """Close all notebooks and look at one without a kernel."""
        assert self.clear()
        self.open(path, kernel=False)

    def forget(self, front_ends: bool) -> None:
        """The code of views, as in a page that has just been loaded; without ``front_ends`` the server has none."""
        self.page.evaluate(FORGET, front_ends)

    def restart(self) -> None:
        """Start the kernel anew."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
        self._wait_for_kernel()

    def _wait_for_kernel(self) -> None:
        """Until the session is really ready; its idle sign shows earlier."""
        deadline = time.monotonic() + START_SECONDS
        while not self.page.evaluate(READY):
            assert time.monotonic() < deadline, "the kernel did not start"
            self.page.wait_for_timeout(100)

    def run(self, cell: int) -> str:
        """Run a cell; its output as text."""
        self.page.evaluate(RUN, cell)
        self.page.wait_for_function(RAN, arg=cell)
        return self.output(cell)

    def output(self, cell: int) -> str:
        return str(self.page.evaluate(OUTPUT, cell)).strip()

    def command(self, name: str, **arguments: Any) -> None:
        """Execute one of JupyterLab's commands, and wait until it is done."""
        self.page.evaluate(EXECUTE, [name, arguments])
        self.page.wait_for_function("() => window.done")

    def node(self, name: str) -> Locator:
        """The box of a step of the live graph, by its name."""
        return self.page.locator(".al-node", has=self.page.locator(".al-own", has_text=name)).first

    def number(self, name: str, which: str = "value") -> str:
        return self.node(name).locator(f".al-{which} .al-number").text_content() or ""


class LabPages:
    """Hands out pages of a server's JupyterLab. One is kept and cleared after each test: to load JupyterLab takes five
    times as long as to open a notebook in it."""

    def __init__(self, lab: Lab, browser: Browser) -> None:
        self._lab = lab
        self._browser = browser
        self._kept: LabPage | None = None

    def take(self, fresh: bool = False) -> LabPage:
        """The page that was kept, or a new one."""
        if self._kept is not None and not fresh:
            kept, self._kept = self._kept, None
            return kept
        return LabPage(self._lab, self._browser.new_context(viewport=VIEWPORT).new_page())

    def give_back(self, view: LabPage) -> None:
        """Keep the page if none is kept and it can be cleared."""
        if not view.page.is_closed() and self._kept is None and view.clear():
            self._kept = view
        else:
            view.page.context.close()
