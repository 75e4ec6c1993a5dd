"""The Makefile, with a fake Python and a fake environment: what its commands run, whatever is exported for make."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from test_setup import FAKE_PYTHON, VENV, Setup, installed

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("make") is None, reason="make is not for Windows"
)

# Notes when a module or a script that it is told to run begins and ends.
NOTES = """
case "$*" in
*--collect-only*) echo collect >>../log; exit ;;
esac
case "$2" in
autolab.app.cli) shift 2; echo "$0 $*" >>../log ;;
ruff | mypy | pytest) echo "begin $2" >>../log; /bin/sleep 0.05; echo "end $2" >>../log ;;
esac
case "$1" in
scripts/javascript.py) echo "begin javascript" >>../log; /bin/sleep 0.05; echo "end javascript" >>../log ;;
esac
"""
OPENS = ".venv/bin/python lab notebooks/00_start.ipynb --port 8999 --browser none"


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    setup = Setup(tmp_path)
    shutil.copy(ROOT / "Makefile", setup.checkout)
    for tool in ("make", "cat"):
        (setup.bin / tool).symlink_to(str(shutil.which(tool)))
    setup.add_program("python3", FAKE_PYTHON + NOTES)
    for name in ("dot", "chromium-headless-shell"):
        setup.add_program(name, "")
    return setup


@pytest.mark.parametrize("flags", ["", "-j8", "-j8 --jobserver-auth=3,4", "-k --output-sync", "-s -r -R"])
def test_make_lab_makes_the_environment_and_then_opens_the_lab(setup, flags):
    answer = setup.run("make", "-C", "a checkout", "lab", "BROWSER=none", MAKEFLAGS=flags, PORT="8999", MAKELEVEL="1")
    assert answer.returncode == 0, answer.stderr
    assert setup.done() == [VENV, installed("lab"), OPENS]


@pytest.mark.parametrize("flags", ["", "-j8"])
def test_make_lab_opens_nothing_where_the_environment_could_not_be_made(setup, flags):
    answer = setup.run("make", "-C", "a checkout", "lab", PIP_STATUS="1", MAKEFLAGS=flags)
    assert answer.returncode == 2 and "pip could not install" in answer.stderr
    assert setup.done() == [VENV, installed("lab")]


def test_make_test_checks_style_and_runs_the_tests_and_beside_them_checks_the_types(setup):
    """In a new checkout the tests are compiled before."""
    answer = setup.run("make", "-C", "a checkout", "test", MAKEFLAGS="-j8")
    assert answer.returncode == 0, answer.stderr
    done = setup.done()
    assert done[:2] == [VENV, installed("lab,test")]
    types = ["begin mypy", "end mypy", "begin javascript", "end javascript"]
    assert [line for line in done[2:] if line in types] == types
    tests = ["collect", "begin ruff", "end ruff", "begin ruff", "end ruff", "begin pytest", "end pytest"]
    assert [line for line in done[2:] if line not in types] == tests


def test_make_test_says_which_types_are_wrong_when_the_tests_are_done(setup):
    setup.add_program("python3", FAKE_PYTHON + NOTES + '[ "$2" != mypy ] || { echo "wrong type"; exit 1; }\n')
    answer = setup.run("make", "-C", "a checkout", "test")
    assert answer.returncode == 2 and "end pytest" in setup.done()
    assert answer.stdout.index("-m pytest") < answer.stdout.index("wrong type")
