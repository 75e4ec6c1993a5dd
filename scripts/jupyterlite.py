"""JupyterLite with AutoLab, its lessons and examples: JupyterLab as files, with Python in the reader's browser.

The build tools are in a separate environment, .lite-venv, so that AutoLab's stays small.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from npm_packages import ROOT, alone

from autolab.lesson.shipped import notebooks
from autolab.shared.files import write

VENV = ROOT / ".lite-venv"
TOOLS = (
    *("jupyterlite-core==0.7.6", "jupyterlite-pyodide-kernel==0.7.2", "jupyter_server==2.21.1", "hatchling==1.33.0"),
    *("anywidget==0.11.0", "ipywidgets==8.1.8", "jupyterlab_widgets==3.0.16"),  # those that run in the page
)
WHEELS = (
    *("anywidget==0.11.0", "asttokens==3.0.2", "comm==0.2.3", "decorator==5.3.1", "executing==2.3.0"),
    *("graphviz==0.21", "ipython==9.0.2", "ipython_pygments_lexers==1.1.1", "ipywidgets==8.1.8"),
    *("matplotlib-inline==0.2.2", "micropip==0.11.1", "packaging==26.3", "parso==0.8.7", "prompt_toolkit==3.0.53"),
    *("psygnal==0.16.1", "pure_eval==0.2.4", "Pygments==2.21.0", "stack-data==0.6.3", "tqdm==4.70.1"),
    *("traitlets==5.16.1", "typing_extensions==4.16.0", "wcwidth==0.9.4"),
)
"""In the reader's Python. Later versions of IPython do not work with this kernel."""

LEFT_OUT = ("jedi", "sqlite3")
"""Asked for by the kernel, which runs without: completion is simpler, and no history is kept."""

_EXTENSION = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
_KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
# With the headers, the kernel waits for a promise also where an answer is there at once.
_WAITS = """<script>
{
  const wait = globalThis.crossOriginIsolated ? Atomics.waitAsync : null;
  if (wait) Atomics.waitAsync = (...given) => ({ value: Promise.resolve(wait(...given).value) });
}
</script>"""
# The kernel hands the None of Python's dictionaries to the page as undefined, where JSON has null, as views expect.
_KERNEL_SCRIPTS = "extensions/@jupyterlite/pyodide-kernel-extension/static"
_NULLS = (
    r"(\w) instanceof Array\?this\.mapToObject\(\1\):\1;",
    r"\1 instanceof Array||\1?.constructor===Object?this.mapToObject(\1):\1??null;",
)
_OVERRIDES = ROOT / "autolab" / "app" / "lab_settings" / "labconfig" / "default_setting_overrides.json"
_EXAMPLES = ("train_digits.py",)  # the others need PyTorch or JAX, which browsers do not have


def build(folder: Path, pyodide: str, info: dict[str, str], numpy: dict[str, Any]) -> None:
    """Write JupyterLite into a new folder.

    Parameters
    ----------
    folder : path
        The folder to create.
    pyodide : str
        The address of ``pyodide.js``; a relative one starts from the folder ``lab``.
    info : dict
        What the lock file of Pyodide says about Pyodide.
    numpy : dict
        NumPy's entry of such a file; a relative ``file_name`` starts from the folder ``python``.

    Raises
    ------
    RuntimeError
        If the tools or the wheels cannot be obtained.
    """
    with alone():
        _make_tools()
    with tempfile.TemporaryDirectory() as held:
        lite = Path(held)
        _run("-m", "pip", "wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={lite / 'wheels'}", str(ROOT))
        entries = {"numpy": numpy, **dict(_entries(lite / "wheels", lite / "files" / "python"))}
        _write_json(lite / "files" / "python" / "lock.json", {"info": info, "packages": entries})
        _write_contents(lite / "contents")
        _write_json(lite / "jupyter-lite.json", _settings(pyodide, [*entries]))
        options = ["--apps=lab", "--no-sourcemaps", "--no-unused-shared-packages", f"--settings-overrides={_OVERRIDES}"]
        places = [f"--lite-dir={lite}", f"--contents={lite / 'contents'}", f"--output-dir={folder}"]
        _run("-m", "jupyterlite_core", "build", *options, *places, cwd=lite)
        _copy((lite / "files" / "python").iterdir(), folder / "python")
    _mend([folder / "lab" / "index.html"], "<head>", f"<head>{_WAITS}")
    _mend(sorted((folder / _KERNEL_SCRIPTS).glob("*.js")), *_NULLS)


def _mend(files: list[Path], pattern: str, replacement: str) -> None:
    """Patch a mistake in the pinned versions.

    Raises
    ------
    RuntimeError
        If none of the files matches.
    """
    mended = 0
    for file in files:
        text, count = re.subn(pattern, replacement, file.read_text("utf-8"))
        mended += count
        if count:
            write(file, text.encode())
    if not mended:
        raise RuntimeError(f"{pattern} is in none of the files of JupyterLite: has its version changed?")


def _settings(pyodide: str, packages: list[str]) -> dict[str, Any]:
    kernel = {
        "pyodideUrl": pyodide,
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"lockFileURL": "./python/lock.json", "packages": packages},
    }
    config = {"appName": "AutoLab", "exposeAppInBrowser": True, "litePluginSettings": {_KERNEL: kernel}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}


def _write_contents(folder: Path) -> None:
    """Write the files that the reader finds."""
    _copy(notebooks().values(), folder / "notebooks")
    _copy([ROOT / "examples" / name for name in _EXAMPLES], folder / "examples")


def _copy(files: Iterable[Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        write(folder / file.name, file.read_bytes())


def _make_tools() -> None:
    """The environment with the tools, and the folder of wheels; created once for these versions."""
    stamp, wanted = VENV / "made", json.dumps([sys.version, TOOLS, WHEELS])
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    _run("-m", "venv", "--clear", str(VENV), python=sys.executable)
    _run("-m", "pip", "install", *TOOLS)
    pure = ["--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.13"]
    _run("-m", "pip", "download", *pure, f"--dest={VENV / 'wheels'}", *WHEELS)
    write(stamp, wanted.encode())


def _run(*arguments: str, python: str | Path = VENV / "bin" / "python", cwd: Path = ROOT) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    quiet = ["--quiet", "--disable-pip-version-check"] if arguments[1] == "pip" else []
    command = [str(python), *arguments[:2], *quiet, *arguments[2:]]
    done = subprocess.run(command, cwd=cwd, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout}{done.stderr}\n`{' '.join(command)}` failed, as is said above")


def _entries(built: Path, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Copy the wheels into the folder. Returns what Pyodide must know about each."""
    wheels = sorted([*built.glob("*.whl"), *(VENV / "wheels").glob("*.whl"), *_own_wheels()])
    _copy(wheels, folder)
    for wheel in wheels:
        yield _entry(wheel.name, wheel.read_bytes())
    for name in LEFT_OUT:
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as empty:
            empty.writestr(zipfile.ZipInfo(f"{name}-0.dist-info/METADATA"), f"Name: {name}\nVersion: 0\n")
        wheel = folder / f"{name}-0-py3-none-any.whl"
        write(wheel, held.getvalue())
        yield _entry(wheel.name, held.getvalue())


def _own_wheels() -> Iterable[Path]:
    """The wheels of the kernel."""
    return [path for path in (VENV / _EXTENSION).glob("*.whl") if not path.name.startswith("widgetsnbextension-3")]


def _entry(wheel: str, content: bytes) -> tuple[str, dict[str, Any]]:
    name, version = wheel.split("-")[:2]
    return re.sub(r"[-_.]+", "-", name).lower(), lock_entry(name, version, wheel, content)


def lock_entry(name: str, version: str, address: str, content: bytes) -> dict[str, Any]:
    """A package as lock files of Pyodide describe it."""
    return {
        "name": name,
        "version": version,
        "file_name": address,
        "install_dir": "site",
        "sha256": hashlib.sha256(content).hexdigest(),
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, json.dumps(content, indent=1).encode())
