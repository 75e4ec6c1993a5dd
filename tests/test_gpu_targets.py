"""`make test-gpu`: what it installs, how it is cut into parts, and what it skips."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helpers.checkout import ROOT
from helpers.lean import missing_package

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="make is not for Windows")


def test_gpu_tests_install_nothing():
    answer = subprocess.run(["make", "--dry-run", "test-gpu"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pytest" in answer.stdout
    assert "pip" not in answer.stdout
    assert "scripts/" not in answer.stdout


def collected(half: str, part: str = "1/1") -> list[str]:
    command = [sys.executable, "-m", "pytest", "tests/engine/test_devices.py", "-p", "helpers.lean", f"--gpu={half}"]
    command.append(f"--part={part}")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": True}
    found = subprocess.run([*command, "--collect-only", "-q"], **options).stdout
    return [line.partition("::")[2] for line in found.splitlines() if "::" in line]


def test_gpu_tests_come_in_two_halves():
    only, without = collected("only"), collected("without")
    assert only and all("[cupy" in name or "-cupy]" in name for name in only), only
    assert [name.replace("cupy", "stand-in") for name in only] == without
    assert collected("only", "1/2") + collected("only", "2/2") == only


def chained(error: Exception) -> Exception:
    try:
        raise RuntimeError("the module could not be collected") from error
    except RuntimeError as outer:
        return outer


@pytest.mark.parametrize(
    ("error", "package"),
    [
        (ModuleNotFoundError("", name="ipywidgets.widgets"), "ipywidgets"),
        (chained(ModuleNotFoundError("", name="autograd")), "autograd"),
        (chained(ModuleNotFoundError("", name="autolab.nothing")), None),
        (ModuleNotFoundError("", name="cupy"), None),
        (subprocess.CalledProcessError(1, [], "", "ModuleNotFoundError: No module named 'IPython.core'"), "IPython"),
        (subprocess.CalledProcessError(1, [], "", "AssertionError"), None),
        (AssertionError(), None),
        (None, None),
    ],
)
def test_gpu_tests_skip_for_a_missing_package_only(error, package):
    assert missing_package(error) == package
