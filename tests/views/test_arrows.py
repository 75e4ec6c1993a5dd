"""Which views may import which: `draw` serves all, `live` all that move; one imports another only as is said here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from helpers.checkout import ROOT
from helpers.each import each

VIEWS = ROOT / "autolab" / "views"
FOLDERS = {path.name for path in VIEWS.iterdir() if (path / "__init__.py").exists()}
MODULES = sorted(VIEWS.glob("*/**/*.py"))
SCRIPTS = sorted(VIEWS.glob("*/*.js"))

# What each may import besides itself, `draw` and `live`.
ALLOWED = {
    "draw": set(),
    "live": set(),
    "steps": {"graph"},  # a walk through a graph
    "check": {"graph"},  # where the gradient comes from
    "derivatives": {"graph", "steps"},  # the orders of a function are shown term by term
    "plots": {"graph"},  # a layer of a plot is opened in its graph
    "interact": {"heatmap", "plots"},  # what a function returns is shown by these
    "export": FOLDERS,
    "playground": FOLDERS,
    "gallery": FOLDERS,
}
# JavaScript: an entry puts the parts of its view together, so that it imports those of others, too.
ENTRIES = {
    "graph/explorer.js": {"steps"},
    "graph/graph.js": {"steps"},  # numbers that travel along its lines
    "live/saved_page.js": {"graph"},  # the saved page of a graph moves
    "graph/open_blocks.js": {"steps"},  # whether anything is to move
    "graph/picture.js": {"steps"},  # what the boxes show at one step of the walk
}


def imported(module: Path) -> set[tuple[str, bool]]:
    """The folders that a module imports from, and whether it does so only when a function runs."""
    tree = ast.parse(module.read_text("utf-8"))
    package = list(module.relative_to(ROOT).parent.parts)
    at_top = {id(node) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} - {
        id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            for name in ([*base, alias.name] for alias in node.names):
                if name[:2] == ["autolab", "views"] and name[2] in FOLDERS:
                    found.add((name[2], id(node) not in at_top))
    return found


def forbidden(folder: str, found: set[tuple[str, bool]]) -> set[str]:
    """What must not be imported. Pages are written by `export`, which is loaded when something is saved."""
    allowed = {folder, "draw", *([] if folder == "draw" else ["live"]), *ALLOWED.get(folder, ())}
    return {target for target, lazily in found if target not in allowed and not (target == "export" and lazily)}


@each("module", MODULES, ids=lambda path: str(path.relative_to(VIEWS)))
def test_a_view_imports_what_it_may(module: Path) -> None:
    assert forbidden(module.relative_to(VIEWS).parts[0], imported(module)) == set()


@each("script", SCRIPTS, ids=lambda path: str(path.relative_to(VIEWS)))
def test_a_script_imports_what_it_may(script: Path) -> None:
    name, folder = str(script.relative_to(VIEWS)), script.parent.name
    text = script.read_text("utf-8")
    found = {(target, False) for target in re.findall(r'^import .* from "\.\./(\w+)/', text, re.MULTILINE)}
    assert forbidden(folder, found) <= ENTRIES.get(name, set())


def test_an_arrow_that_runs_back_is_found(tmp_path: Path) -> None:
    assert forbidden("graph", {("steps", False), ("draw", False)}) == {"steps"}
    assert forbidden("draw", {("live", False)}) == {"live"}
    assert forbidden("live", {("export", True)}) == set() and forbidden("live", {("export", False)}) == {"export"}
    assert ("graph", False) in imported(VIEWS / "steps" / "share.py")
    assert ("graph", True) in imported(VIEWS / "export" / "pages.py")
