"""Build the site with the documentation: `make site` runs this, in the environment .docs-venv.

Sphinx reads one folder, and AutoLab's pages are in several. So all of them are gathered in build/site, at the places
that they have in the repository, where every link between them holds; notebooks have been executed by then.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pages
import versions

import autolab

ROOT = Path(__file__).resolve().parents[2]
STAGE = ROOT / "build" / "site"
SITE = ROOT / "dist" / "site"
LITE = ROOT / "dist" / "lite"
_LATER = ("build.py", "docstrings.py", "mathml.py", "pages.py", "versions.py", "site.css", "site.js")
"""What steps gather does not depend on these."""


def gathered(name: str, step: Callable[[Path], None]) -> Path:
    """The folder with what a step writes; one that an earlier build left is taken while nothing has changed."""
    folder, stamp = STAGE / name, STAGE / f"{name}.stamp"
    files = [file for part in ("autolab", "notebooks", "docs/site") for file in sorted((ROOT / part).rglob("*.*"))]
    kinds = (".py", ".js", ".css", ".toml", ".ipynb")
    files = [file for file in files if file.suffix in kinds and file.name not in _LATER]
    state = hashlib.sha256(b"".join([file.read_bytes() for file in files])).hexdigest()
    if not (stamp.is_file() and stamp.read_text("utf-8") == state):
        stamp.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        before = time.monotonic()
        step(folder)
        stamp.write_text(state, "utf-8")
        print(f"{name}: {time.monotonic() - before:.0f} s", flush=True)
    return folder


def sphinx(source: Path, target: Path) -> None:
    """Let Sphinx write the pages; a warning is an error."""
    options = ["-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-c", ROOT / "docs", "-d", STAGE / "doctrees"]
    subprocess.run([sys.executable, "-m", "sphinx", *options, source, target], check=True)


def tidy(target: Path) -> None:
    """Leave out what no page loads."""
    for name in (".buildinfo", "objects.inv", "_static/scripts/*.map", "_static/styles/*.map", "_static/*.LICENSE.txt"):
        for file in target.glob(name):
            file.unlink()
    shutil.rmtree(target / "_sources", ignore_errors=True)


def megabytes(folder: Path) -> float:
    return sum([file.stat().st_size for file in folder.rglob("*") if file.is_file()]) / 1e6


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=SITE, help="where to; dist/site by default")
    parser.add_argument("--versions", type=Path, help="a folder with the sites of older versions, each named after it")
    given = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    started = time.monotonic()
    source = STAGE / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(given.output, ignore_errors=True)
    pages.markdown(source)
    for name, step in pages.STEPS.items():
        shutil.copytree(gathered(name, step), source, dirs_exist_ok=True)
    try:
        sphinx(source, given.output)
    except subprocess.CalledProcessError:
        return "Sphinx has complained, as is said above."
    tidy(given.output)
    for name in ("playground", "jupyter"):
        if (LITE / name).is_dir():
            shutil.copytree(LITE / name, given.output / name)
    versions.join(given.output, autolab.__version__, given.versions)
    seconds, size = time.monotonic() - started, megabytes(given.output)
    print(f"Written: {given.output / 'index.html'}, {size:.1f} MB in {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
