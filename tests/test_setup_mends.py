"""`scripts/environment` on a real Python: in whatever state .venv was left, the next run mends it.

The project is a small one with AutoLab's name, which needs one small package from a folder, so that no network is used.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.small_project import BACKEND, Checkout, is_whole, stop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sh is not for Windows")


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    backend: dict[str, Callable[..., str]] = {}
    exec(BACKEND, backend)
    backend["wheel"](str(folder), "small_need", "1.5", "small_need/__init__.py", "here = True")
    assert zipfile.is_zipfile(folder / "small_need-1.5-py3-none-any.whl")
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, packages: Path) -> Checkout:
    """A checkout whose environment is whole; tests take a copy."""
    checkout = Checkout(tmp_path_factory.mktemp("made") / "checkout", packages)
    began = time.monotonic()
    assert "Making .venv with Python" in checkout.run()
    checkout.seconds = time.monotonic() - began
    checkout.check()
    return checkout


@pytest.fixture
def checkout(made: Checkout) -> Checkout:
    """The whole checkout, in which a test may break what it likes; it is as before when the test has ended."""
    kept = made.folder.with_name("kept")
    shutil.copytree(made.folder, kept, symlinks=True)
    yield made
    shutil.rmtree(made.folder)
    kept.rename(made.folder)


def site(checkout: Checkout) -> Path:
    return next(checkout.venv.glob("lib/python*/site-packages"))


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def a_file(checkout: Checkout) -> None:
    remove(checkout.venv)
    checkout.venv.write_text("precious")


def a_dangling_link(checkout: Checkout) -> None:
    remove(checkout.venv)
    checkout.venv.symlink_to(checkout.folder / "nowhere")


def a_link_to_another(checkout: Checkout) -> None:
    other = checkout.folder / "other"
    checkout.venv.rename(other)
    checkout.venv.symlink_to(other)
    (other / "pyvenv.cfg").write_text("")
    (other / "precious").write_text("")


def moved(checkout: Checkout) -> None:
    stamp = checkout.venv / "autolab-environment"
    stamp.write_text(stamp.read_text().replace("/checkout", "/elsewhere"))


def python_gone(checkout: Checkout) -> None:
    for link in checkout.venv.glob("bin/python*"):
        link.unlink()
        link.symlink_to("/nowhere/python3.11")


STATES: dict[str, Callable[[Checkout], object]] = {
    "no pip": lambda c: [remove(path) for path in site(c).glob("pip*")],
    "pip without its record": lambda c: remove(next(site(c).glob("pip-*.dist-info")) / "RECORD"),
    "half of pip": lambda c: remove(site(c) / "pip" / "_internal"),
    "no configuration": lambda c: remove(c.venv / "pyvenv.cfg"),
    "an empty configuration": lambda c: (c.venv / "pyvenv.cfg").write_text(""),
    "half a configuration": lambda c: (c.venv / "pyvenv.cfg").write_text("home = /usr/b"),
    "no python": python_gone,
    "an empty python": lambda c: [(remove(p), p.write_text(""), p.chmod(0o755)) for p in [c.venv / "bin" / "python"]],
    "no bin": lambda c: remove(c.venv / "bin"),
    "no lib": lambda c: remove(c.venv / "lib"),
    "an empty folder": lambda c: (remove(c.venv), c.venv.mkdir()),
    "a package's files are gone": lambda c: remove(site(c) / "small_need"),
    "a package's file is empty": lambda c: next(site(c).glob("pip/__main__.py")).write_text(""),
    "a package is gone": lambda c: [remove(path) for path in site(c).glob("small_need*")],
    "a package without metadata": lambda c: remove(next(site(c).glob("small_need-*")) / "METADATA"),
    "half unpacked": lambda c: [remove(path) for path in site(c).glob("small_need-*/*")],
    "the project's path is gone": lambda c: remove(site(c) / "_jupyter_autolab.pth"),
    "half removed": lambda c: next(site(c).glob("small_need-*")).rename(site(c) / "~mall_need-1.5.dist-info"),
    "no stamp": lambda c: remove(c.venv / "autolab-environment"),
    "a garbled stamp": lambda c: (c.venv / "autolab-environment").write_bytes(b"\xff\x00lab\n\xfe"),
    "a stamp that is a folder": lambda c: (remove(p := c.venv / "autolab-environment"), p.mkdir()),
    "moved": moved,
    "a file": a_file,
    "a dangling link": a_dangling_link,
    "a link to another": a_link_to_another,
}
UNSEEN = {"no stamp", "a garbled stamp", "a stamp that is a folder", "moved"}  # what the stamp is for


@pytest.mark.full
@pytest.mark.parametrize("state", STATES)
def test_every_state_is_mended(checkout, state):
    STATES[state](checkout)
    assert is_whole(checkout) == (state in UNSEEN)
    checkout.run()
    checkout.check()
    if state == "a file":
        assert (checkout.folder / ".venv.before").read_text() == "precious"
    if state == "a link to another":
        assert (checkout.folder / "other" / "precious").exists()


def test_an_interrupted_run_is_mended_and_damage_is_found(tmp_path, packages):
    """The ordinary run: Ctrl-C while pip enters the environment; then some of the states above, as they are found."""
    checkout = Checkout(tmp_path / "checkout", packages)
    process = checkout.start()
    while not list(checkout.venv.glob("lib/python*/site-packages/pip")):
        assert process.poll() is None
        time.sleep(0.01)
    said = stop(process, signal.SIGINT)
    assert process.returncode == 130 and said.endswith("Stopped; the next run mends what is half done.\n")
    assert "Traceback" not in said
    assert not is_whole(checkout)
    assert "Making .venv" in checkout.run()
    checkout.check()
    assert is_whole(checkout)
    for state in ("a package's file is empty", "a package's files are gone", "half removed", "no configuration"):
        STATES[state](checkout)
        assert not is_whole(checkout), state


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_was_ended_anywhere_is_mended_by_the_next(tmp_path, packages, made, how, seed):
    checkout = Checkout(tmp_path / "checkout", packages)
    process = checkout.start()
    time.sleep(random.Random(f"{how}{seed}").uniform(0, 1) * made.seconds)
    stop(process, how)
    checkout.run()
    checkout.check()


@pytest.mark.full
def test_two_runs_wait_for_each_other(tmp_path, packages):
    checkout = Checkout(tmp_path / "checkout", packages)
    runs = [checkout.start(extras) for extras in ("lab", "test", "lab")]
    said = [run.communicate(timeout=300)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert sum("Making .venv" in text for text in said) == 1
    assert sum("Another run is making .venv; waiting" in text for text in said) >= 1
    checkout.check()


@pytest.mark.full
def test_any_path_will_do(tmp_path, packages):
    checkout = Checkout(tmp_path / "-x a'b\"c $HOME `d` ünï ☂ ;e&f [g]* %s #", packages)
    checkout.run(LC_ALL="C")
    checkout.check()


OTHERS = {
    "another environment": {
        "PYTHONPATH": "{packages}/small_need-1.5-py3-none-any.whl",
        "PYTHONHOME": "/nowhere",
        "PYTHONWARNINGS": "error",
        "PYTHONINSPECT": "1",
        "PIP_USER": "1",
        "PIP_TARGET": "{folder}/x",
        "PIP_PREFIX": "{folder}/x",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PIP_REQUIRE_HASHES": "1",
        "VIRTUAL_ENV": "/nowhere",
        "CONDA_PREFIX": "/nowhere",
        "CDPATH": "{folder}:/",
    },
    "nowhere to write": dict.fromkeys(["HOME", "XDG_CACHE_HOME", "PIP_CACHE_DIR", "TMPDIR"], "/dev/null"),
    "plain words": {"LANG": "C", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
}


@pytest.mark.full
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_exported_does_no_harm(tmp_path, packages, name):
    checkout = Checkout(tmp_path / "ünï checkout", packages)
    (tmp_path / "scripts").mkdir()
    checkout.run(**{key: value.format(packages=packages, folder=tmp_path) for key, value in OTHERS[name].items()})
    checkout.check()
    assert not (tmp_path / "x").exists()


@pytest.mark.full
def test_without_a_home_and_with_private_files(tmp_path, packages, monkeypatch):
    checkout = Checkout(tmp_path / "checkout", packages)
    monkeypatch.delenv("HOME")
    before = os.umask(0o077)
    try:
        checkout.run()
        checkout.check()
    finally:
        os.umask(before)
    assert not [path for path in checkout.venv.rglob("*.py") if path.stat().st_mode & 0o077]


def fill(file: Path) -> None:
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(2**20))


@pytest.mark.full
@pytest.mark.parametrize("room", ["40k", "9m", "64m"], ids=["environment", "pip", "package"])
def test_a_full_disk_is_mended_when_there_is_room(tmp_path, packages, room):
    """The disk is full when the environment is made, when pip comes into it, and when pip installs a package."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={room}", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        checkout = Checkout(disk / "checkout", packages)
        filler = disk / "filler"
        if room == "64m":
            checkout.run()
            STATES["a package is gone"](checkout)
            fill(filler)
        process = checkout.start(TMPDIR=str(tmp_path))
        said = process.communicate(timeout=300)[0]
        assert process.returncode == 1 and said.count("No space left on device") == 1, said
        assert ("pip could not install" in said) == (room == "64m") and said.endswith("run this again.\n"), said
        assert "Traceback" not in said
        filler.unlink(missing_ok=True)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        checkout.run()
        checkout.check()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
