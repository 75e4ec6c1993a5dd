"""Where the races are run: an environment of their own, one thread, one core, and what machine it was."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent
ENVIRONMENT = ROOT / ".bench-venv"
REQUIREMENTS = BENCHMARKS / "requirements.txt"
CHAINER = BENCHMARKS / "chainer-requirements.txt"

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class SetupError(Exception):
    """The environment could not be made; the message is for the person at the terminal."""


def prepare() -> Path:
    """Make `.bench-venv` from the package index, or renew it when the requirements changed; return its Python.

    Chainer alone may be missing from it: it is an old package, and building it is not certain everywhere.
    """
    scripts = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    wanted = "\n".join([sys.version, REQUIREMENTS.read_text(), CHAINER.read_text()])
    stamp = ENVIRONMENT / "made-from.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"making {ENVIRONMENT.name} with the libraries to race against (once; some minutes) ...", file=sys.stderr)
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    if not _install(python, "-r", REQUIREMENTS):
        raise SetupError(f"pip could not install {REQUIREMENTS.relative_to(ROOT)} (its message is above)")
    if not _install(python, "--no-build-isolation", "-r", CHAINER):
        said = "pip could not install Chainer (its message is above): the races go on without it"
        print(f"{said}. To try again, remove {ENVIRONMENT.name}.", file=sys.stderr)
    stamp.write_text(wanted)
    return python


def _install(python: Path, *what: str | Path) -> bool:
    """Whether pip, with its own settings, could install that."""
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    return not subprocess.run(command).returncode


def variables(tree: Path = ROOT) -> dict[str, str]:
    """Return the environment variables of a plain process, whose AutoLab is that of the checkout ``tree``."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MALLOC_", "AUTOLAB_"))}
    paths = os.pathsep.join([str(BENCHMARKS), str(tree)])
    return {**clean, **ONE_THREAD, "PYTHONPATH": paths}


def stay_on_one_core() -> None:
    """Pin this process, and with it those that it starts, where the system lets a process choose."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def machine() -> dict[str, str]:
    cores = f"{os.cpu_count()} cores"
    return {"cpu": f"{_cpu_model()}, {cores}", "system": platform.system(), "python": platform.python_version()}


def commit() -> str:
    """Return the short commit of this checkout, with a mark if files differ from it."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        return name + (" with changes" if _git("status", "--porcelain", "autolab") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
