"""`make lab` and the scripts behind it: from nothing, again, after a change, and where something is missing."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.checkout import ROOT, copy_checkout
from helpers.lab_process import fetch, lab_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="make and sh are not for Windows")

# Answers what scripts/environment asks a Python, and notes what it is told to do in a log beside the checkout.
FAKE_PYTHON = """#!/bin/sh
case "$2" in *runpy*) shift 2; set -- -m "$@" ;; esac
case "$*" in
*"sys.version_info <"*) exit $TOO_OLD ;;
*fcntl*) shift 2; exec sh scripts/environment "$@" ;;
*_base_executable*) readlink -f "$0" ;;
*installed.py*) echo "$LACK"; exit $INSTALLED ;;
*"import ensurepip"*) exit $NO_VENV ;;
*base_prefix*) echo "$(readlink -f "$0")" | sed 's/.*python/version /' ;;
-V) echo Python ;;
"-m venv"*)
    echo "venv $*" >>../log
    mkdir -p .venv/bin
    ln -sf "$(readlink -f "$0")" .venv/bin/python ;;
"-m ensurepip"*) ;;
"-m pip"*)
    echo "pip $*" >>../log
    exit $PIP_STATUS ;;
esac
"""
TOOLS = ("sh", "dirname", "cksum", "head", "tail", "tr", "rm", "mkdir", "ln", "readlink", "sed", "env", "mv")


class Setup:
    """A copy of the scripts on a machine where nothing but the most basic tools and fake Pythons exist."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.checkout = folder / "a checkout"
        self.log = folder / "log"
        self.bin.mkdir()
        (self.checkout / "scripts").mkdir(parents=True)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        for script in ("environment", "system-packages"):
            shutil.copy(ROOT / "scripts" / script, self.checkout / "scripts")
        (self.checkout / "pyproject.toml").write_text("first")

    def add_program(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        settings = {"PATH": str(self.bin), "TOO_OLD": "0", "NO_VENV": "0", "PIP_STATUS": "0", "INSTALLED": "0"}
        settings |= {"LACK": "", **variables}
        return subprocess.run(
            command, cwd=self.checkout.parent, env=settings, capture_output=True, text=True, check=False
        )

    def environment(self, extras: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(str(self.checkout / "scripts" / "environment"), extras, **variables)

    def done(self) -> list[str]:
        """What was done since the last time that this was asked."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


VENV = "venv -m venv --clear --without-pip .venv"


def installed(extras: str) -> str:
    return f"pip -m pip install --quiet --disable-pip-version-check --no-input --no-user --editable .[{extras}]"


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def test_an_environment_is_made_once(setup):
    setup.add_program("python3", FAKE_PYTHON)
    assert setup.environment("lab").returncode == 0
    assert setup.done() == [VENV, installed("lab")]
    again = setup.environment("lab")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert setup.done() == []


def test_an_environment_follows_pyproject_and_grows_by_extras(setup):
    setup.add_program("python3", FAKE_PYTHON)
    setup.environment("lab")
    setup.environment("lab,test")
    setup.environment("lab")
    assert setup.done() == [VENV, installed("lab"), installed("lab,test")]
    (setup.checkout / "pyproject.toml").write_text("second")
    setup.environment("lab")
    assert setup.done() == [installed("lab,test")]


def test_a_checkout_that_was_moved_is_set_up_again(setup):
    """The commands of the old environment lead to where it was."""
    setup.add_program("python3", FAKE_PYTHON)
    setup.environment("lab")
    setup.checkout = setup.checkout.rename(setup.checkout.with_name("moved"))
    setup.environment("lab")
    assert setup.done() == [VENV, installed("lab")] * 2


def test_an_environment_of_the_user_is_kept(setup):
    python = setup.add_program("python3", FAKE_PYTHON)
    (setup.checkout / ".venv" / "bin").mkdir(parents=True)
    (setup.checkout / ".venv" / "bin" / "python").symlink_to(python)
    setup.environment("lab")
    assert setup.done() == [installed("lab")]


def test_a_newer_python_changes_nothing_unless_it_is_asked_for(setup):
    setup.add_program("python3.11", FAKE_PYTHON)
    setup.environment("lab")
    setup.add_program("python3.13", FAKE_PYTHON)
    setup.environment("lab")
    assert setup.done() == [VENV, installed("lab")]
    setup.environment("lab", PYTHON="python3.13")
    setup.environment("lab", PYTHON="python3.13")
    assert setup.done() == [VENV, installed("lab")]


def test_an_environment_whose_python_is_gone_is_made_again(setup):
    setup.add_program("python3.11", FAKE_PYTHON)
    setup.environment("lab")
    (setup.bin / "python3.11").unlink()
    setup.add_program("python3.12", FAKE_PYTHON)
    setup.environment("lab")
    assert setup.done() == [VENV, installed("lab")] * 2


def test_a_failed_installation_is_a_sentence_and_done_again(setup):
    setup.add_program("python3", FAKE_PYTHON)
    answer = setup.environment("lab", PIP_STATUS="1")
    assert answer.returncode == 1
    assert answer.stderr == (
        "pip could not install what AutoLab needs, as is said above; put that right and run this again.\n"
    )
    setup.done()
    assert setup.environment("lab").returncode == 0
    assert setup.done() == [installed("lab")]


def test_an_installation_that_failed_half_way_is_not_taken_for_the_old_one(setup):
    setup.add_program("python3", FAKE_PYTHON)
    setup.environment("lab")
    (setup.checkout / "pyproject.toml").write_text("second")
    setup.environment("lab", PIP_STATUS="1")
    (setup.checkout / "pyproject.toml").write_text("first")
    setup.done()
    setup.environment("lab")
    assert setup.done() == [installed("lab")]


@pytest.mark.parametrize(("answer", "expected"), [("3", [installed("lab")]), ("4", [VENV, installed("lab")])])
def test_what_is_missing_is_installed_and_what_is_damaged_made_anew(setup, answer, expected):
    setup.add_program("python3", FAKE_PYTHON)
    setup.environment("lab")
    setup.done()
    said = setup.environment("lab", INSTALLED=answer, LACK="pip is missing").stdout
    assert setup.done() == expected
    assert ("with Python; the old one is damaged (pip is missing) ..." in said) == (answer == "4")


def test_packages_that_went_elsewhere_are_a_sentence(setup):
    setup.add_program("python3", FAKE_PYTHON)
    answer = setup.environment("lab", INSTALLED="3", LACK="numpy is missing")
    assert answer.returncode == 1
    assert answer.stderr.startswith("pip has run, but numpy is missing: does a setting send its packages elsewhere?")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("stamp", [b"", b"\xff\x00\n\n\n", b"lab\n", b"$(touch x)\n`touch x`\n;touch x"])
def test_a_stamp_that_is_no_stamp_is_written_again(setup, stamp):
    setup.add_program("python3", FAKE_PYTHON)
    setup.environment("lab")
    written = (setup.checkout / ".venv" / "autolab-environment").read_bytes()
    (setup.checkout / ".venv" / "autolab-environment").write_bytes(stamp)
    setup.environment("lab")
    assert (setup.checkout / ".venv" / "autolab-environment").read_bytes() == written
    assert sorted(path.name for path in setup.checkout.iterdir()) == [".venv", "pyproject.toml", "scripts"]


@pytest.mark.parametrize("name", ["a:b", "a\nb"])
def test_a_folder_that_cannot_hold_an_environment_is_a_sentence(setup, name):
    setup.add_program("python3", FAKE_PYTHON)
    setup.checkout = setup.checkout.rename(setup.checkout.with_name(name))
    answer = setup.environment("lab")
    assert (answer.returncode, answer.stderr.count("\n"), setup.done()) == (1, 1, [])
    assert "move the checkout" in answer.stderr


def test_what_is_exported_for_others_does_not_reach_the_environment(setup):
    """CDPATH would lead elsewhere; the others would let pip look or install elsewhere."""
    setup.add_program("python3", FAKE_PYTHON.replace('"pip $*"', '"pip $* ${PYTHONPATH-}${PIP_USER-}${PIP_TARGET-}"'))
    elsewhere = setup.bin.parent / "elsewhere"
    (elsewhere / "a checkout" / "scripts").mkdir(parents=True)
    names = ("CDPATH", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")
    answer = setup.run("a checkout/scripts/environment", "lab", **dict.fromkeys(names, str(elsewhere)))
    assert (answer.returncode, setup.done()) == (0, [VENV, f"{installed('lab')} "])
    assert not (elsewhere / "a checkout" / ".venv").exists()


def test_no_python_is_a_sentence(setup):
    answer = setup.environment("lab")
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer and found none" in answer.stderr


def test_an_old_python_is_a_sentence(setup):
    setup.add_program("python3", FAKE_PYTHON)
    assert "found none" in setup.environment("lab", TOO_OLD="1").stderr
    answer = setup.environment("lab", TOO_OLD="1", PYTHON="python3")
    assert answer.returncode == 1
    assert answer.stderr == (
        "PYTHON=python3 is not a Python 3.11 or newer; give the path of one, or leave PYTHON out.\n"
    )


def test_a_missing_venv_module_is_a_sentence(setup):
    setup.add_program("python3", FAKE_PYTHON)
    answer = setup.environment("lab", NO_VENV="1")
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "apt install python3-venv" in answer.stderr
    assert setup.done() == []


APT = """#!/bin/sh
echo "$*" >>log
case "$*" in *headless*) [ -z "${NO_SHELL:-}" ] && /bin/cp "$0" "${0%/*}/chromium-headless-shell" ;; esac
"""


def system_packages(setup: Setup, user: int, **variables: str) -> subprocess.CompletedProcess[str]:
    setup.add_program("id", f"#!/bin/sh\necho {user}\n")
    setup.add_program("apt-get", APT)
    return setup.run(str(setup.checkout / "scripts" / "system-packages"), **variables)


SHELL, WHOLE, GRAPHVIZ = (f"install -qq -y {name}" for name in ("chromium-headless-shell", "chromium", "graphviz"))


def test_system_packages_are_installed_for_root(setup):
    assert system_packages(setup, user=0).returncode == 0
    assert setup.done() == ["update -qq", SHELL, GRAPHVIZ]


@pytest.mark.parametrize("there", [[], ["chromium"]])
def test_the_whole_browser_does_where_the_small_one_is_not_to_be_had(setup, there):
    for name in ("dot", *there):
        setup.add_program(name, "")
    assert system_packages(setup, user=0, NO_SHELL="1").returncode == 0
    assert setup.done() == ["update -qq", SHELL, *([] if there else [WHOLE])]


def test_system_packages_are_named_for_others(setup):
    setup.add_program("dot", "")
    answer = system_packages(setup, user=1000)
    assert answer.returncode == 1
    name = "chromium-headless-shell"
    assert answer.stderr == f"The tests need these programs: {name} (on Debian: sudo apt install {name}).\n"
    assert setup.done() == []


@pytest.mark.parametrize(("program", "user"), [("chromium-headless-shell", 0), ("chromium", 1000)])
def test_system_packages_that_are_there_cost_nothing(setup, program, user):
    for name in ("dot", program):
        setup.add_program(name, "")
    answer = system_packages(setup, user)
    assert (answer.returncode, answer.stdout, setup.done()) == (0, "", [])


@pytest.mark.full
@pytest.mark.lab
def test_make_lab_from_a_fresh_clone(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    clone = copy_checkout(tmp_path / "a fresh clone")
    assert "Installing AutoLab" in open_and_stop(clone, home)
    assert open_and_stop(clone, home).startswith("\nJupyterLab is running")
    unexpected = {path.name for path in clone.iterdir()} - {path.name for path in ROOT.iterdir()} - {".venv"}
    assert not unexpected


def open_and_stop(clone: Path, home: Path) -> str:
    """Wait until the lab's page answers, then stop it as by Ctrl-C. The answer is what was printed."""
    with lab_process(["make", "lab", "PORT=0", "BROWSER=none"], home=home, cwd=clone) as lab:
        status, _ = fetch(lab.wait_for_address(500))
        assert status == 200
        lab.interrupt(30)
        assert not lab.children()
        assert "Traceback" not in lab.output
        return lab.output


def test_two_runs_that_need_the_same_packages_download_them_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    npm_packages = importlib.import_module("npm_packages")
    runs = []

    def npm(arguments: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        runs.append(arguments)
        time.sleep(0.2)
        (Path(arguments[arguments.index("--prefix") + 1]) / "file").touch()
        return subprocess.CompletedProcess(arguments, 0, "added 1 package")

    monkeypatch.setattr(npm_packages, "ROOT", tmp_path)
    monkeypatch.setattr(npm_packages, "npm", npm)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(npm_packages.fetched, [{"some": "1.0"}] * 2, [["file"]] * 2)
    assert first == second and (first / "file").is_file() and len(runs) == 1
