"""The pages of the site, and where each comes from."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import moving
from api import reference
from gallery import gallery
from lessons import lessons

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

OTHERS = ("CONTRIBUTING.md", "CHANGELOG.md", "notebooks/README.md", "benchmarks/README.md", "benchmarks/history.md")
"""Pages outside docs/, at the places that they keep."""

FILES = ("LICENSE", "examples/data_parallel.py", "examples/many_checks.py", "benchmarks/speed/rows.py")
"""What pages link to that is none."""

_LESSONS = """
```{toctree}
:hidden:
:glob:

[01]*
```
"""
_PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img ([^>]*)>\s*</picture>'
)


def markdown(stage: Path) -> None:
    """The Markdown pages of the repository, and those that only the site has."""
    for name in (*OTHERS, *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md")))):
        text = for_sphinx((ROOT / name).read_text("utf-8"))
        put(stage / name, text + (_LESSONS if name == "notebooks/README.md" else ""))
    for name in FILES:
        (stage / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, stage / name)
    shutil.copytree(ROOT / "docs" / "images", stage / "extra" / "docs" / "images")
    frame = moving.frame("front", "The live graph of w = x * y + z", 0, loading="eager")
    put(stage / "index.md", (HERE / "index.md").read_text("utf-8").replace("FRAME", frame))
    put(stage / "404.md", (HERE / "404.md").read_text("utf-8"))
    put(stage / "docs" / "index.md", (HERE / "howto.md").read_text("utf-8"))


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def for_sphinx(text: str) -> str:
    """A page as Sphinx takes it: pictures follow the button for light and dark, and the README is the front page."""
    text = _PICTURE.sub(_two_pictures, text)
    text = re.sub(r"\]\((\.\./)?README\.md\)", r"](\1index.md)", text)
    return re.sub(r"^```console$", "```text", text, flags=re.MULTILINE)


def _two_pictures(found: re.Match[str]) -> str:
    dark = re.sub(r'src="[^"]+"', f'src="{found[1]}"', found[2])
    return f'<img class="only-light" {found[2]}>\n<img class="only-dark" {dark}>'


STEPS: dict[str, Callable[[Path], None]] = {
    "tutorials": lessons,
    "API": reference,
    "gallery": gallery,
}
"""What takes its time and is gathered before Sphinx runs, besides the Markdown."""
