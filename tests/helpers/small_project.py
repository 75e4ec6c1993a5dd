"""A checkout of a small project with AutoLab's name and scripts, which needs one small package from a folder: what
`scripts/environment` does to it, it does without a network and in a few seconds."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from .checkout import ROOT

PROJECT = """
[project]
name = "jupyter-autolab"
version = "1"
dependencies = ["small-need>=1"]
[project.optional-dependencies]
lab = ["small-need>=1.5"]
test = ["jupyter-autolab[lab]"]
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# Writes a wheel whose one module leads to the folder of the project; the same code makes the small package.
BACKEND = '''
import zipfile, os

def wheel(folder, name, version, module, text, needs=""):
    info = f"{name}-{version}.dist-info"
    files = {
        f"{module}": text,
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name.replace('_', '-')}\\nVersion: {version}\\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    lines = [f"{path},," for path in (*files, f"{info}/RECORD")]
    files[f"{info}/RECORD"] = "\\n".join(lines)
    path = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, path), "w") as archive:
        for inside, content in files.items():
            archive.writestr(inside, content)
    return path

NEEDS = """Requires-Dist: small-need>=1
Provides-Extra: lab
Requires-Dist: small-need>=1.5; extra == "lab"
Provides-Extra: test
Requires-Dist: jupyter-autolab[lab]; extra == "test"
"""

def build_editable(folder, settings=None, metadata=None):
    return wheel(folder, "jupyter_autolab", "1", "_jupyter_autolab.pth", os.getcwd() + "\\n", NEEDS)

build_wheel = build_editable
'''
CHECK = "import pathlib, small_need, autolab_here; print(small_need.__file__, autolab_here.__file__)"


class Checkout:
    """A checkout of the small project; `seconds` is how long a first run took, where that was measured."""

    seconds = 0.0

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder = folder
        self.packages = packages
        (folder / "scripts").mkdir(parents=True)
        for script in ("environment", "installed.py"):
            shutil.copy(ROOT / "scripts" / script, folder / "scripts")
        (folder / "pyproject.toml").write_text(PROJECT)
        (folder / "backend.py").write_text(BACKEND)
        (folder / "autolab_here.py").write_text("")

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def start(self, extras: str = "lab", **variables: str) -> subprocess.Popen[str]:
        settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.packages), "PYTHON": BASE, **variables}
        environment = {**os.environ, **settings}
        environment.pop("PYTHONPATH", None)
        environment.update(variables)
        return subprocess.Popen(
            ["scripts/environment", extras],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, extras: str = "lab", **variables: str) -> str:
        """What a run that succeeds says."""
        process = self.start(extras, **variables)
        said = process.communicate(timeout=300)[0]
        assert process.returncode == 0, said
        return said

    def check(self) -> None:
        """The environment works by itself, from any folder, and a further run has nothing to do."""
        python = self.venv / "bin" / "python"
        answer = subprocess.run([python, "-I", "-c", CHECK], cwd="/", capture_output=True, text=True, check=True)
        need, project = answer.stdout.rstrip("\n").rsplit(" " + str(self.folder), 1)
        assert Path(need).is_relative_to(self.venv) and project == "/autolab_here.py"
        subprocess.run([python, "-I", "-m", "pip", "check"], cwd="/", capture_output=True, check=True)
        assert self.run() == ""


BASE = os.path.realpath(sys._base_executable)  # type: ignore[attr-defined]


def is_whole(checkout: Checkout) -> bool:
    """What scripts/installed.py says."""
    command = [checkout.venv / "bin" / "python", "-I", "scripts/installed.py", "lab"]
    try:
        return subprocess.run(command, cwd=checkout.folder, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def stop(process: subprocess.Popen[str], how: signal.Signals) -> str:
    """End all processes of a run, as Ctrl-C in its terminal does, or the end of the machine. What it has said."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
    return process.communicate(timeout=60)[0]
