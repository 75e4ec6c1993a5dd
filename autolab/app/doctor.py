"""`autolab doctor`: reports what is installed, what is missing, what that disables, and how to install it."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TextIO

from autolab import __version__
from autolab.engine.memory import keep_blocks

YELLOW, RED = "33", "31"


@dataclass(frozen=True)
class Requirement:
    """Something that AutoLab can use, and whether it was found.

    Parameters
    ----------
    name : str
        Its name in the report.
    found : str or None
        The version, or other information; None if it is missing.
    cost : str
        What does not work without it.
    remedy : str
        The command that installs or repairs it.
    essential : bool
        Whether AutoLab itself is incomplete without it.
    """

    name: str
    found: str | None
    cost: str = ""
    remedy: str = ""
    essential: bool = False


def doctor(out: TextIO) -> int:
    """Write the report to ``out``; returns the exit status, 1 if something essential is missing."""
    findings = list(examine())
    coloured = out.isatty() and "NO_COLOR" not in os.environ
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        out.write(_lines(finding, width, coloured) + "\n")
    broken = [finding.name for finding in findings if finding.found is None and finding.essential]
    out.write(f"\nAutoLab is incomplete: {', '.join(broken)}.\n" if broken else "\nAutoLab can work here.\n")
    return 1 if broken else 0


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution, None if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def install_command(extra: str = "") -> str:
    """The command that installs AutoLab with an extra into the current environment.

    An installed AutoLab, even from a checkout, is only extended by the extra; pip does not look for another version.
    """
    project = "jupyter-autolab" if version_of("jupyter-autolab") else str(Path(__file__).resolve().parents[2])
    target = f"{project}[{extra}]" if extra else project
    return shlex.join([sys.executable, "-m", "pip", "install", target])


def examine() -> Iterator[Requirement]:
    """Look for everything that AutoLab can use, essential packages first."""
    mend = install_command()
    lab = install_command("lab")
    yield Requirement("AutoLab", f"{__version__} at {Path(__file__).parents[1]}")
    yield Requirement("Python", f"{platform.python_version()} at {sys.executable}")
    yield Requirement("NumPy", _numpy(), "nothing works", mend, essential=True)
    yield Requirement("memory allocator", keep_blocks())
    for distribution, cost in BASE.items():
        yield Requirement(distribution, version_of(distribution), cost, mend, essential=True)
    yield Requirement("JupyterLab", version_of("jupyterlab"), "`autolab lab` cannot start", lab)
    yield Requirement("widget front end", _widget_front_end(), "explore() shows no live view in this JupyterLab", lab)
    yield Requirement("matplotlib", version_of("matplotlib"), "notebooks that plot with it stop with an error", lab)
    yield Requirement("dot", _dot(), "Graphviz draws no graphs; AutoLab's own drawing does", _system("graphviz"))
    yield _gpu()
    yield _home()
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    yield Requirement("chromium", browser, "the browser tests cannot run", _system("chromium"))


BASE = {
    "ipywidgets": "explore() cannot be live",
    "anywidget": "explore() cannot be live",
    "executing": "graphs do not show your cell's lines of code",
    "graphviz": "graphs cannot be handed to Graphviz",
    "pillow": "no PNG pictures",
    "tqdm": "no progress bars",
}


def _numpy() -> str | None:
    version = version_of("numpy")
    if version is None:
        return None
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{version} with {blas.get('name', 'an unknown BLAS')} {blas.get('version', '')}"


def _widget_front_end() -> str | None:
    """The two JupyterLab extensions that draw widgets, installed with ipywidgets and anywidget."""
    try:
        from jupyter_core.paths import jupyter_path
    except ModuleNotFoundError:
        return None
    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    names = ("@jupyter-widgets/jupyterlab-manager", "anywidget")
    complete = all(any((folder / name / "package.json").is_file() for folder in folders) for name in names)
    found = f"jupyterlab_widgets {version_of('jupyterlab_widgets')} and anywidget, for a JupyterLab that runs from here"
    return found if complete else None


def _dot() -> str | None:
    path = shutil.which("dot")
    if path is None:
        return None
    try:
        answer = subprocess.run([path, "-V"], capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stderr.strip().removeprefix("dot - ")


def _gpu() -> Requirement:
    from autolab.engine.backend import gpu_status

    status = gpu_status()
    remedy = install_command("cuda12") if status.state == "absent" else "nvidia-smi (it shows whether the driver works)"
    return Requirement("CuPy and GPU", status.detail if status.state == "ok" else None, status.detail, remedy)


def unwritable_home() -> str | None:
    """Why the folders in which Jupyter keeps a user's files cannot be written, with their name; None if they can.

    Only a temporary file is created there, and removed at once.
    """
    try:
        folders = _home_folders()
    except RuntimeError:  # neither HOME nor the system names one
        return "there is no home folder"
    for folder in folders:
        nearest = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
        try:
            with tempfile.TemporaryFile(dir=nearest, buffering=0) as file:
                file.write(b"x")
        except OSError as error:
            return f"{folder} cannot be written ({os.strerror(error.errno or 0)})"
    return None


def _home_folders() -> list[Path]:
    ipython = Path(os.environ.get("IPYTHONDIR") or Path.home() / ".ipython")
    try:
        from jupyter_core import paths
    except ModuleNotFoundError:
        return [ipython]
    return [*map(Path, (paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir())), ipython]


def _home() -> Requirement:
    why = unwritable_home()
    cost = f"{why}; JupyterLab's settings and history are lost when it stops"
    return Requirement(
        "home folder", None if why else os.path.expanduser("~"), cost, "choose another: export HOME=/path/to/a/folder"
    )


def _system(package: str) -> str:
    if sys.platform == "darwin":
        return f"brew install {package}"
    return f"winget install {package}" if sys.platform == "win32" else f"sudo apt install {package}"


def _lines(finding: Requirement, width: int, coloured: bool) -> str:
    """``name  found``, or ``name  missing: cost`` with the remedy below."""
    head = f"{finding.name:<{width}}  "
    if finding.found is not None:
        return head + _plain(finding.found)
    word = "missing"
    if coloured:
        word = f"\x1b[{RED if finding.essential else YELLOW}m{word}\x1b[0m"
    return f"{head}{word}: {_plain(finding.cost)}\n{'':<{width}}  -> {finding.remedy}"


def _plain(text: str) -> str:
    """One line without control characters, which paths and drivers' messages may contain."""
    words = "".join(letter if letter.isprintable() else " " for letter in text)
    return textwrap.shorten(words, 120, placeholder=" ...")
