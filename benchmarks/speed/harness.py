"""What all benchmarks share: their environment, a description of the machine, their options, the saved file."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from autolab.shared.files import write

BENCHMARKS = Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent
RESULTS = BENCHMARKS / "results"
ENVIRONMENT = ROOT / ".bench-venv"
REQUIREMENTS = BENCHMARKS / "requirements.txt"
CHAINER = BENCHMARKS / "chainer-requirements.txt"

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
Goals = Mapping[str, tuple[float | None, str]]
"""By the name of a figure: the number to reach, or None, and the unit."""


class SetupError(Exception):
    """Raised if the environment cannot be created; the message is for the person at the terminal."""


def prepare() -> Path:
    """Create `.bench-venv` from the package index, or renew it if the requirements changed. Returns its Python.

    Only Chainer may be missing from it: it is an old package that does not build everywhere.
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
    """Install packages with pip, with its own settings. Returns whether that succeeded."""
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    return not subprocess.run(command).returncode


def variables(tree: Path = ROOT) -> dict[str, str]:
    """Return the environment variables of a plain process, whose AutoLab is that of the checkout ``tree``."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MALLOC_", "AUTOLAB_"))}
    paths = os.pathsep.join([str(BENCHMARKS), str(tree)])
    return {**clean, **ONE_THREAD, "PYTHONPATH": paths}


def stay_on_one_core() -> None:
    """Pin this process, and those that it starts, to one core, if the system supports that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def machine() -> dict[str, str]:
    cores = f"{os.cpu_count()} cores"
    return {"cpu": f"{_cpu_model()}, {cores}", "system": platform.system(), "python": platform.python_version()}


def commit() -> str:
    """Return the short commit of this checkout, with a mark if files differ from it."""
    try:
        name = git("rev-parse", "--short", "HEAD").strip()
        return name + (" with changes" if git("status", "--porcelain", "autolab") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def load() -> float | None:
    """The load average over the last minute; the machine may be shared."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def git(*arguments: str) -> str:
    """The output of a git command in this checkout."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def keep(name: str, found: Mapping[str, Any]) -> None:
    """Write ``results/<name>.json``."""
    write(RESULTS / f"{name}.json", json.dumps(found, indent=1) + "\n")


def origin() -> dict[str, Any]:
    """What was measured, and on which machine."""
    return {"commit": commit(), "machine": machine()}


def racing_options(about: str | None, groups: Sequence[str]) -> argparse.ArgumentParser:
    """The options of a race."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=groups, default=groups, metavar="GROUP", help=", ".join(groups))
    parser.add_argument("--heats", type=int, default=5, help="how often the processes start anew (default 5)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each entrant per heat (default 6)")
    return parser


def tell(about: str | None, benchmarks: Mapping[str, tuple[Callable[[], Mapping[str, Any]], Goals]]) -> None:
    """Run the benchmarks named on the command line, or all of them, and print their figures beside their goals.

    ``--save`` writes the figures of each to ``results/<its name>.json``.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(benchmarks)} (default: all)")
    parser.add_argument("--save", action="store_true", help=f"write the figures under {RESULTS.name}")
    options = parser.parse_args()
    if unknown := set(options.names) - set(benchmarks):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    for name in options.names or benchmarks:
        measure, goals = benchmarks[name]
        found = measure()
        width = max(map(len, goals))
        for figure, (goal, unit) in goals.items():
            end = "" if goal is None else f"goal {goal:,}"
            print(f"{figure:{width}} {found[figure]:13,.2f} {unit:5} {end}".rstrip())
        if options.save:
            keep(name, {"benchmark": name, **origin(), **found})
