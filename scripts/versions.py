"""Run the tests that need neither a browser nor JupyterLab with every Python that AutoLab supports and that is
installed here, each with the lowest and with the newest versions of all dependencies.

    make test-versions                                   all of it
    make test-versions ONLY="3.11-lowest 3.13-newest"    some of it
    make test-versions TESTS="tests/engine -x"           with pytest's own arguments

PYTHONS lists interpreters to look at first. The environments are in artefacts/versions/ and are recreated by every run.
"Lowest" is the lowest that pyproject.toml allows and that has a wheel for that Python.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "artefacts" / "versions"
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
MARKS = "not browser and not lab and not full"
IDENTITY = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name)"


def declared() -> list[str]:
    """The Pythons that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))


def number(version: str) -> tuple[int, ...]:
    """A version as numbers, so that 3.9 comes before 3.10."""
    return tuple([int(part) for part in version.split(".")])


def pythons() -> dict[str, Path]:
    """The installed interpreters, by version; one that cannot be started does not count."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    named = [shutil.which(f"python{version}") for version in declared()]
    places = [*os.environ.get("PYTHONS", "").split(), sys.executable, *filter(None, named)]
    places += [str(path) for path in sorted(pyenv.glob("3.1[1-9]*/bin/python"))]
    found: dict[str, Path] = {}
    for place in places:
        done = subprocess.run([place, "-c", IDENTITY], capture_output=True, text=True)
        version, _, kind = done.stdout.strip().partition(" ")
        if done.returncode == 0 and kind == "cpython":
            found.setdefault(version, Path(place))
    return found


def resolver() -> Path:
    """uv, which can resolve to the lowest versions, in a separate environment."""
    folder = FOLDER / "uv"
    if not (folder / "bin" / "uv").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    return folder / "bin" / "uv"


def prepare(name: str, python: Path, resolution: str) -> Path:
    """Create an environment with AutoLab and what its tests need. Returns its Python."""
    folder = FOLDER / name
    uv = [str(resolver())]
    subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", str(python), str(folder)], check=True)
    install = [*uv, "pip", "install", "--quiet", "--python", str(folder), "--resolution", resolution]
    install += ["--only-binary", ":all:", "--no-binary", "jupyter-autolab", "--editable", f"{ROOT}[test]"]
    subprocess.run(install, check=True)
    return folder / "bin" / "python"


def run(name: str, python: Path, arguments: list[str]) -> tuple[bool, str]:
    """Run the tests. Returns whether they passed, and a line about them."""
    report = FOLDER / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", MARKS, f"--junitxml={report}", *arguments]
    start = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    passed = subprocess.run(command, cwd=ROOT, env=environment).returncode == 0
    minutes = (time.monotonic() - start) / 60
    counts = "".join([f"{number:>9}" for number in counted(report)])
    return passed, f"{name:<12}{counts}{minutes:>9.1f}  {'passed' if passed else 'FAILED'}"


def counted(report: Path) -> tuple[int, int, int]:
    """The numbers of tests, failures and skipped tests; zeros if pytest could not start."""
    suite = ElementTree.parse(report).getroot().find("testsuite") if report.exists() else None
    tests, failures, errors, skipped = [
        0 if suite is None else int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")
    ]
    return tests, failures + errors, skipped


def main() -> int:
    """The table, and 1 if something failed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    only, arguments = os.environ.get("ONLY", "").split(), shlex.split(os.environ.get("TESTS", ""))
    found, lines, good = pythons(), [], True
    newer = [version for version in found if number(version) > max(map(number, declared()))]
    for version in [*declared(), *newer]:
        for kind, resolution in RESOLUTIONS.items():
            name = f"{version}-{kind}"
            if only and name not in only:
                continue
            if version not in found:
                lines.append(f"{name:<12} not tested: there is no Python {version} here")
                continue
            print(f"--- {name}", flush=True)
            passed, line = run(name, prepare(name, found[version], resolution), arguments)
            good = good and passed
            lines.append(line)
    print("\nPython          tests   failed  skipped  minutes")
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
