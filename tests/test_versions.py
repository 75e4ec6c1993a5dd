"""The command that tests every declared Python with the lowest and the newest dependencies."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from helpers.checkout import ROOT


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("versions", ROOT / "scripts" / "versions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    return module


def test_what_is_declared_is_tested(versions: ModuleType) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    numbers = [versions.number(version) for version in versions.declared()]
    assert project["requires-python"] == f">={versions.declared()[0]}"
    assert numbers == [(3, minor) for minor in range(numbers[0][1], numbers[-1][1] + 1)]


def test_the_running_python_is_found_and_a_broken_one_is_not(
    versions: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONS", "/bin/false")
    found = versions.pythons()
    assert Path("/bin/false") not in found.values()
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in found


@pytest.mark.parametrize(("program", "passed", "counts"), [("pass", True, "1 0 0"), ("assert 0", False, "1 1 0")])
def test_a_line_tells_whether_tests_failed(
    program: str, passed: bool, counts: str, versions: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(f"def test_it(): {program}\n")
    options = ["-c", str(tmp_path / "none.ini"), "--rootdir", str(tmp_path), str(tmp_path)]
    (tmp_path / "none.ini").write_text("[pytest]\nmarkers =\n    full\n")
    result, line = versions.run("3.99-lowest", Path(sys.executable), options)
    assert result is passed
    assert re.search(f"^3.99-lowest +{counts.replace(' ', ' +')} ", line) and line.endswith(
        "passed" if passed else "FAILED"
    )
