"""The folder that mybinder.org builds from: its files, and the notebooks executed in an environment made from them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT, copy_checkout
from lesson.walking import walk
from views.lab import Lab, LabPage, lab_server

BINDER = ROOT / "binder"
LARGEST = 400  # megabytes; about 350 were measured
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# What a lesson may take there. The goals are 100 MB and, warm, 2 s from a new kernel to the first picture; the limit of
# time leaves room for a busy machine.
KERNEL_MB, FIRST_PICTURE = 100, 10.0


def requirements() -> dict[str, str]:
    """Names and exact versions of requirements.txt."""
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_requirements_are_what_the_lab_needs_without_what_is_large():
    packaging = pytest.importorskip("packaging.requirements")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["lab"]]
    floors = {floor.name: floor.specifier for floor in map(packaging.Requirement, needed)}
    del floors["matplotlib"], floors["typst"]  # large, and the lessons do without
    pinned = requirements()
    assert pinned.keys() - {"ipykernel"} == floors.keys()
    for name, floor in floors.items():
        assert floor.contains(pinned[name]), f"{name} {pinned[name]} is below {floor}"


def test_start_sets_one_thread_and_runs_its_arguments():
    command = [BINDER / "start", sys.executable, "-c", "import os, sys; print(*map(os.getenv, sys.argv[1:]))"]
    answer = subprocess.run([*command, "OPENBLAS_NUM_THREADS"], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["1"]


def test_start_shows_the_notebooks_alone(tmp_path):
    checkout = copy_checkout(tmp_path / "a checkout")
    command = ["binder/start", sys.executable, "-c", "import os; print(os.getcwd())"]
    answer = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    assert Path(answer.stdout.rstrip("\n")) == checkout / "notebooks"
    opened = re.findall(r"`lab/tree/(\S+)`", (ROOT / "docs" / "tour.md").read_text("utf-8"))
    assert opened == ["00_start.ipynb"] and (checkout / "notebooks" / opened[0]).is_file()


def test_post_build_stops_at_the_first_failure():
    assert (BINDER / "postBuild").read_text().splitlines()[:2] == ["#!/bin/bash", "set -e"]
    assert os.access(BINDER / "postBuild", os.X_OK)


@pytest.mark.parametrize("script", ["binder/start", "scripts/jupyterlite.py"])
def test_what_is_taken_from_the_package_is_there(script):
    """What needs a network to run is run seldom."""
    written = re.findall(r'"?autolab"?(?: ?/ ?"?[\w.]+"?)+', (ROOT / script).read_text("utf-8"))
    paths = [re.sub(r'[" ]', "", path) for path in written]
    assert any(["lab_settings" in path for path in paths])
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.fixture(scope="module")
def binder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Build what Binder builds; the answer runs a command in it as Binder does."""
    folder = tmp_path_factory.mktemp("binder")
    checkout = copy_checkout(folder / "checkout")
    subprocess.run([python_of_binder(), "-m", "venv", folder / "env"], check=True)
    path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": path,
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "PIP_NO_COMPILE": "1",  # most of it is not used here
    }

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        answer = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
        assert answer.returncode == 0, f"{command}\n{answer.stdout[-3000:]}{answer.stderr[-3000:]}"
        return answer

    run("python", "-m", "pip", "install", "--quiet", "--requirement", "binder/requirements.txt")
    run("binder/postBuild")
    run.environment = environment  # type: ignore[attr-defined]
    return run


@pytest.fixture(scope="module")
def binder_lab(binder: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab as Binder starts it."""
    python = Path(binder("python", "-c", "import sys; print(sys.executable)").stdout.strip())
    variables = {**binder.environment, "JUPYTER_CONFIG_PATH": ""}  # the settings are those of the environment
    with lab_server(tmp_path_factory.mktemp("lab"), [BINDER / "start", python], variables) as server:
        yield server


def python_of_binder() -> str:
    """The Python that runtime.txt names."""
    version = (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(f"python{version}")
    if found is None or subprocess.run([found, "-V"], capture_output=True).returncode:
        pytest.skip(f"binder/runtime.txt names Python {version}, which is not here")
    return found


@pytest.mark.lab
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_on_binder(binder, notebook):
    binder("binder/start", "jupyter", "execute", notebook.name)


@pytest.mark.lab
@pytest.mark.full
def test_the_environment_is_lean(binder, capsys):
    binder("python", "-c", "import importlib.util as u; assert u.find_spec('matplotlib') is None")
    prefix = Path(binder("python", "-c", "import sys; print(sys.prefix)").stdout.strip())
    size = sum(file.lstat().st_size for file in prefix.rglob("*")) / 1e6
    with capsys.disabled():
        print(f"\nBinder's environment: {size:.0f} MB")
    assert size < LARGEST


@pytest.mark.lab
@pytest.mark.full
def test_autolab_is_whole_and_asks_nothing_about_news(binder):
    assert "AutoLab can work here." in binder("autolab", "doctor").stdout
    extensions = binder("jupyter", "labextension", "list")
    assert "@jupyterlab/apputils-extension:announcements" in extensions.stdout + extensions.stderr


@pytest.mark.lab
@pytest.mark.full
def test_live_views_are_saved_with_the_notebook(binder):
    program = "from jupyterlab_server.settings_utils import _get_overrides; print(_get_overrides('')[0])"
    assert "{'saveState': True}" in binder("binder/start", "python", "-c", program).stdout


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_open_and_move_on_binder(binder_lab, browser, capsys, notebook):
    shutil.copy(notebook, binder_lab.folder / notebook.name)
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    view = LabPage(binder_lab, context.new_page())
    view.open(binder_lab.folder / notebook.name)
    assert [name for name, _ in walk(view, notebook)]
    memory = kernel_memory(binder_lab)
    start = time.monotonic()
    view.restart()
    view.run(1)
    view.page.locator('.jp-Cell[data-windowed-list-index="1"] .al-root').wait_for()
    seconds = time.monotonic() - start
    with capsys.disabled():
        print(f"\n{notebook.stem}: kernel {memory:.0f} MB, {seconds:.1f} s from a new kernel to the first picture")
    assert memory <= KERNEL_MB and seconds <= FIRST_PICTURE
    assert view.problems == []
    view.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    context.close()


def kernel_memory(lab: Lab) -> float:
    """Megabytes that the kernels of a server take."""
    found = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = lab.token.encode() in (folder / "environ").read_bytes()
            is_kernel = b"ipykernel_launcher" in (folder / "cmdline").read_bytes()
            status = (folder / "status").read_text()
        except OSError:
            continue
        if is_ours and is_kernel:
            found += int(status.partition("VmRSS:")[2].split()[0]) / 1000
    return found


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.full
def test_a_lesson_works_in_voila(binder, browser, tmp_path):
    """Voila is put into the environment when all else has been seen there: it is no part of it."""
    binder("python", "-m", "pip", "install", "--quiet", "voila>=0.5.8")
    notebook = tmp_path / "lesson.ipynb"
    shutil.copy(ROOT / "notebooks" / "03_linear.ipynb", notebook)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1", "--show_tracebacks=True"]
    log = tmp_path / "voila.log"
    with (
        log.open("w") as out,
        subprocess.Popen(
            ["voila", notebook, *options], env=binder.environment, stdout=out, stderr=subprocess.STDOUT, cwd=tmp_path
        ) as process,
    ):
        try:
            page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
            page.route(lambda url: "127.0.0.1" not in url, lambda route: route.abort())  # its icon font is on the net
            problems: list[str] = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(wait_for(f"http://127.0.0.1:{port}/", log, process), timeout=60_000)
            views = page.locator(".al-root")
            views.first.wait_for(timeout=60_000)
            batch = page.get_by_role("slider", name="batch")
            batch.wait_for(timeout=60_000)
            batch.press("ArrowRight")
            page.locator(".al-heat-about", has_text="all 6").wait_for()
            assert views.count() >= 2 and problems == []
            page.context.close()
        finally:
            process.terminate()
            process.wait(20)


def wait_for(address: str, log: Path, process: subprocess.Popen[bytes]) -> str:
    """The address, as soon as something listens there."""
    port = int(address.rstrip("/").rpartition(":")[2])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return address
        time.sleep(0.1)
    raise AssertionError(f"Voila did not start:\n{log.read_text()[-3000:]}")
