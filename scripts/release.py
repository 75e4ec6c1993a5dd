"""Build the source archive and the wheel, and check them as users get them: `make release-check`.

The wheel is built from the archive, so that what is missing there is missed here. Both are checked for what an index
asks of them. Then, in an environment with nothing but Python, the wheel is installed; the README's first screen, a
program with typing and `autolab doctor` run in an empty folder; and mypy, from outside, reads AutoLab's types. Last,
rattler-build makes the conda package from the archive, and tests it: with packages from CONDA_CHANNEL=conda-forge, or,
without, with those that pip installs; scripts/conda/build.py says how.

The files are in dist/release. To release: set the version wherever `version` below looks for it, date its heading in
CHANGELOG.md, run this and `make site`, tag the commit `v<version>`, and upload the files with the site
(`tar -czf site.tar.gz -C dist/site .`), which later sites list beside their own. On conda-forge the recipe has the
archive's address and `sha256` for `path`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "dist" / "release"
FOLDER = ROOT / "artefacts" / "release"
TOOLS = ["build>=1.2", "mypy>=1.16", "twine>=6"]
CONDA_TOOLS = ["hatchling>=1.27", "packaging>=24", "py-rattler>=0.28", "py-rattler-build>=0.73"]

TYPED = """
import numpy as np
import autolab
import autolab.functions as F
from autolab import links, optimizers

x: autolab.Variable = autolab.Variable(np.array([1.0, 2.0]))
y: autolab.Variable = F.sum(x * x)
y.backward()
slope: autolab.Variable | None = x.grad
model: links.Linear = links.Linear(3, 2)
optimizer = optimizers.Adam(lr=0.01).setup(model)
report = autolab.check_gradients(F.tanh, np.array([0.5]))
"""
MISTYPED = """
import autolab

x: str = autolab.Variable(1.0)
y: int = autolab.check_gradients(autolab.functions.tanh, 1.0)
"""


def run(*command: str | Path, fails: bool = False, cwd: Path = FOLDER) -> str:
    """Run a command. Returns its output, which is also in the message if it did not end as expected."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(name: str, *packages: str | Path) -> Path:
    """Create an environment with these packages and their requirements. Returns its Python."""
    venv.create(FOLDER / name, with_pip=True)
    python = FOLDER / name / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", *packages)
    return python


def version() -> str:
    """AutoLab's version, which must be the same wherever it is written."""
    found = {
        place: re.search(pattern, (ROOT / place).read_text("utf-8"), re.MULTILINE)
        for place, pattern in (
            ("autolab/__init__.py", r'^__version__ = "(.+)"'),
            ("CITATION.cff", r"^version: (.+)$"),
            ("CHANGELOG.md", r"^## (\S+)"),
            ("scripts/conda/recipe.yaml", r"^  version: (.+)$"),
            ("docs/cite.md", r"^  version = \{(.+)\},$"),
        )
    }
    versions = {place: match[1].strip('"') if match else "none" for place, match in found.items()}
    if len(set(versions.values())) > 1:
        sys.exit("The versions differ: " + ", ".join(f"{one} in {place}" for place, one in versions.items()))
    return versions["CITATION.cff"]


def check_types(tools: Path, user: Path) -> None:
    """Check that mypy, from outside the user's environment, finds AutoLab's types: it accepts right code only."""
    for program, fails in ((TYPED, False), (MISTYPED, True)):
        said = run(
            tools, "-m", "mypy", "--config-file=", "--strict", "--python-executable", user, "-c", program, fails=fails
        )
        if fails and said.count("[assignment]") != 2:
            sys.exit(f"mypy does not see AutoLab's types:\n{said}")


def check_conda(wheel: Path) -> str:
    """Check that the recipe builds a conda package whose tests pass. Returns a description of the result."""
    python = environment("conda", *CONDA_TOOLS, wheel)
    channel = os.environ.get("CONDA_CHANNEL")
    options = ["--channel", channel] if channel else []
    return run(python, ROOT / "scripts" / "conda" / "build.py", FOLDER / "conda-packages", *options)


def main() -> None:
    """Build and check; stop at the first error."""
    expected = version()
    for folder in (FILES, FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tools = environment("tools", *TOOLS)
    run(tools, "-m", "build", "--outdir", FILES, ROOT)
    archive, wheel = (
        FILES / f"jupyter_autolab-{expected}.tar.gz",
        FILES / f"jupyter_autolab-{expected}-py3-none-any.whl",
    )
    run(tools, "-m", "twine", "check", "--strict", archive, wheel)
    user = environment("user", wheel)
    screen = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert screen, "README.md has no program"
    (FOLDER / "first.py").write_text(screen[1], "utf-8")
    run(user, "-I", "-W", "error", "first.py")
    check_types(tools, user)
    run(user, "-I", "-W", "error", "-c", TYPED)
    said = run(user.parent / "autolab", "--version")
    if expected not in said:
        sys.exit(f"autolab --version says {said}")
    run(user, "-m", "pip", "check")
    print(check_conda(wheel), end="")
    for file in (archive, wheel):
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
