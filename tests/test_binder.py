"""The folder that mybinder.org builds from: its files, and the notebooks executed in an environment made from them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.checkout import ROOT, copy_checkout

from autolab.cli import ALLOCATOR

BINDER = ROOT / "binder"
LARGEST = 400  # megabytes; about 350 were measured


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


def test_start_sets_what_autolab_lab_sets_and_runs_its_arguments():
    command = [BINDER / "start", sys.executable, "-c", "import os, sys; print(*map(os.getenv, sys.argv[1:]))"]
    names = [*ALLOCATOR, "OPENBLAS_NUM_THREADS"]
    answer = subprocess.run([*command, *names], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == [*ALLOCATOR.values(), "1"]


def test_post_build_stops_at_the_first_failure():
    assert (BINDER / "postBuild").read_text().splitlines()[:2] == ["#!/bin/bash", "set -e"]
    assert os.access(BINDER / "postBuild", os.X_OK)


@pytest.fixture(scope="module")
def binder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Build what Binder builds; the answer runs a command in it as Binder does."""
    folder = tmp_path_factory.mktemp("binder")
    checkout = copy_checkout(folder / "checkout")
    subprocess.run([python_of_binder(), "-m", "venv", folder / "env"], check=True)
    path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "HOME": str(folder), "IPYTHONDIR": str(folder / "ipython")}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        answer = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
        assert answer.returncode == 0, f"{command}\n{answer.stdout[-3000:]}{answer.stderr[-3000:]}"
        return answer

    run("python", "-m", "pip", "install", "--quiet", "--requirement", "binder/requirements.txt")
    run("binder/postBuild")
    return run


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
@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_on_binder(binder, notebook):
    binder("binder/start", "jupyter", "execute", notebook.relative_to(ROOT))


@pytest.mark.lab
def test_the_environment_is_lean(binder, capsys):
    binder("python", "-c", "import importlib.util as u; assert u.find_spec('matplotlib') is None")
    prefix = Path(binder("python", "-c", "import sys; print(sys.prefix)").stdout.strip())
    size = sum(file.lstat().st_size for file in prefix.rglob("*")) / 1e6
    with capsys.disabled():
        print(f"\nBinder's environment: {size:.0f} MB")
    assert size < LARGEST


@pytest.mark.lab
def test_autolab_is_whole_and_asks_nothing_about_news(binder):
    assert "AutoLab can work here." in binder("autolab", "doctor").stdout
    extensions = binder("jupyter", "labextension", "list")
    assert "@jupyterlab/apputils-extension:announcements" in extensions.stdout + extensions.stderr


@pytest.mark.lab
def test_live_views_are_saved_with_the_notebook(binder):
    program = "from jupyterlab_server.settings_utils import _get_overrides; print(_get_overrides('')[0])"
    assert "{'saveState': True}" in binder("python", "-c", program).stdout
