"""Ways to start besides `make lab`: the wheel in an empty environment, and the development container's description."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT, copy_checkout
from helpers.lab_process import fetch, lab_process
from lesson.lessons import NOTEBOOKS

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def container() -> Any:
    return json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))


def test_the_container_is_made_as_make_lab_makes_the_environment() -> None:
    recipe = re.search(r"^lab:\n\t@(.+)$", MAKEFILE, re.MULTILINE)
    python = re.search(r"^python = (.+)$", MAKEFILE, re.MULTILINE)
    assert recipe and python
    described = container()
    assert described["postCreateCommand"] == recipe[1]
    assert described["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"] == python[1]
    assert f"PORT={described['forwardPorts'][0]}" in MAKEFILE


def test_the_container_has_a_python_that_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = container()["image"].rpartition(":")[2]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


@pytest.mark.lab
@pytest.mark.full
def test_the_wheel_runs_the_readmes_first_screen_and_brings_the_lessons_to_an_empty_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    checkout = copy_checkout(tmp_path / "checkout")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, checkout)
    (wheel,) = tmp_path.glob("*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    where = run(python, "-c", "import autolab; print(autolab.__file__)")
    assert where.startswith(str(tmp_path / "env"))

    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert code
    (tmp_path / "first.py").write_text(code[1])
    assert "explore: no notebook to draw in; open " in run(python, "first.py")
    page = (tmp_path / "autolab_pages" / "explore_muladd.html").read_text("utf-8")
    assert 'id="saved"' in page  # it goes on by itself: what it shows is in it
    autolab = tmp_path / "env" / "bin" / "autolab"
    assert "AutoLab" in run(autolab, "--version")

    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[lab]")
    folder = tmp_path / "a student's folder"
    folder.mkdir()
    copied = f"Copied {len(NOTEBOOKS)} lessons into the folder autolab-notebooks\n"
    for wanted, name, told in (([], "00_start.ipynb", copied), (["linear"], "03_linear.ipynb", "")):
        command = [str(autolab), "lab", *wanted, "--port", "0", "--browser", "none"]
        with lab_process(command, home=tmp_path, cwd=folder) as lab:
            address = lab.wait_for_address(60)
            assert f"/lab/tree/{name}?token=" in address and fetch(address)[0] == 200
            contents = address.replace("/lab/tree/", "/api/contents/")
            assert len(json.loads(fetch(contents)[1])["content"]["cells"]) > 10
            shown = json.loads(fetch(contents.replace(name, ""))[1])["content"]
            assert sorted([one["name"] for one in shown]) == [path.name for path in NOTEBOOKS]
            assert lab.interrupt(30) == 0
        assert lab.output.startswith(f"{told}\nJupyterLab is running") and "Traceback" not in lab.output
    assert [path.name for path in folder.iterdir()] == ["autolab-notebooks"]
