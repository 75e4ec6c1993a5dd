"""The layout of the package: what may import what, what `import autolab` loads, and what files must not hold."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.checkout import ROOT, tracked_files

import autolab

PACKAGE = ROOT / "autolab"

# A part may import parts of a lower rank and itself, at the top of a module or inside a function.
RANKS = {
    "engine": 0,
    "shared": 0.25,
    "gpu": 0.5,
    "authoring": 0.5,
    "debug": 0.5,
    "initializers": 1,
    "functions": 1,
    "serializers": 2,
    "transforms": 2,
    "links": 2.5,
    "data": 3,
    "optimizers": 3,
    "recording": 3,
    "gradcheck": 3,
    "training": 4,
    "analysis": 4,
    "plots": 5,
    "views": 5,
    "lesson": 6,
    "lessons": 7,
    "bridges": 7,
    "compat": 7,
    "app": 8,
}
MOST_ENTRIES = 24
LARGEST_CIRCLE = 12


@cache
def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@dataclass
class Contents:
    """What a module holds: its imports, those for type checkers alone, its classes."""

    imports: list[tuple[ast.stmt, str]] = field(default_factory=list)
    for_types: set[ast.AST] = field(default_factory=set)
    classes: list[str] = field(default_factory=list)


@cache
def contents(module: Path) -> Contents:
    """Read once for all tests."""
    found, package = Contents(), ".".join(module.parent.parts[len(ROOT.parts) :])
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        found.imports += imported_names(node, package)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            found.for_types.update(*map(ast.walk, node.body))
        if isinstance(node, ast.ClassDef):
            found.classes.append(node.name)
    return found


def part_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_names(node: ast.AST, package: str) -> Iterator[tuple[ast.stmt, str]]:
    """An import statement, with the absolute names that it asks for; nothing for any other."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield node, alias.name
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: -(node.level - 1) or None] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            yield node, f"{base}.{alias.name}"


def upward_imports(imports: Iterable[tuple[ast.stmt, str]], part: str) -> list[str]:
    """Import statements that point upwards, wherever they stand."""
    found = []
    for node, name in imports:
        owner, _, target = name.partition(".")
        target = target.partition(".")[0]
        if owner == "autolab" and target != part and RANKS.get(target, -1) >= RANKS[part]:
            found.append(ast.unparse(node))
    return found


def test_imports_point_one_way():
    found = {}
    for module in modules():
        if module == PACKAGE / "__init__.py":
            continue  # the public face imports whom it likes
        part = part_of(module)
        assert part in RANKS, f"give {part} its rank in RANKS"
        found[str(module)] = upward_imports(contents(module).imports, part)
    assert {module: upwards for module, upwards in found.items() if upwards} == {}


@pytest.mark.parametrize(
    ("source", "part", "package", "found"),
    [
        ("from ..views import svg", "engine", "autolab.engine", 1),
        ("def f():\n    from ..views import svg", "engine", "autolab.engine", 1),
        ("def f():\n    from ..views.export.pictures import save", "recording", "autolab.recording", 1),
        ("import autolab.lesson", "views", "autolab.views", 1),
        ("from .. import gradcheck", "recording", "autolab.recording", 1),
        ("from autolab.recording.model import Step", "gradcheck", "autolab.gradcheck", 1),
        ("from .escape import clean\nfrom ..recording import record", "views", "autolab.views", 0),
        ("import os\nfrom autolab import __version__", "engine", "autolab.engine", 0),
    ],
)
def test_an_import_upwards_is_found(source, part, package, found):
    imports = [pair for node in ast.walk(ast.parse(source)) for pair in imported_names(node, package)]
    assert len(upward_imports(imports, part)) == found


def test_the_package_has_few_entries_and_each_loose_module_is_public():
    entries = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))]
    assert len(entries) <= MOST_ENTRIES, sorted([path.name for path in entries])
    loose = {path.stem for path in entries if path.suffix == ".py"} - {"__init__"}
    assert loose <= set(autolab.__all__)


def test_the_top_level_holds_what_a_stranger_looks_for():
    names = {Path(path).parts[0] for path in tracked_files()}
    folders = {"autolab", "benchmarks", "binder", "docs", "examples", "notebooks", "scripts", "tests"}
    texts = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"}
    assert {name for name in names if name[0] != "."} == folders | texts | {"Makefile", "conftest.py", "pyproject.toml"}


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """The groups of modules of which each reaches each by its imports, the largest first."""
    reached: dict[str, set[str]] = {}
    for module in imports:
        found, waiting = set(), [module]
        while waiting:
            further = imports[waiting.pop()] - found
            found |= further
            waiting.extend(further)
        reached[module] = found
    groups = {frozenset([other for other in reached[m] if m in reached[other]] + [m]) for m in imports}
    return sorted([set(group) for group in groups if len(group) > 1], key=len, reverse=True)


def imports_of_modules() -> dict[str, set[str]]:
    """Which modules each module imports, inside functions too; not what only type checkers read."""
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in modules()
    }
    found: dict[str, set[str]] = {}
    for module, path in names.items():
        asked = [name for node, name in contents(path).imports if node not in contents(path).for_types]
        targets = [name if name in names else name.rpartition(".")[0] for name in asked]
        found[module] = {name for name in targets if name in names and name != module}
    return found


def test_circles_of_imports_are_small():
    assert [sorted(circle) for circle in circles(imports_of_modules()) if len(circle) > LARGEST_CIRCLE] == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == [{"a", "b", "c"}]
    assert circles({"a": {"b"}, "b": set()}) == []
    found = imports_of_modules()
    assert {"autolab.engine.display", "autolab.engine.backend"} <= found["autolab.engine.variable"]
    assert "autolab.gradcheck.report" in found["autolab.gradcheck"]


def test_the_engine_needs_numpy_only():
    allowed = sys.stdlib_module_names | {"numpy", "autolab"}
    for module in sorted(PACKAGE.glob("engine/*.py")):
        names = {name.partition(".")[0] for _, name in contents(module).imports}
        assert names <= allowed | ({"cupy", "cupyx"} if module.name == "backend.py" else set()), module.name


def test_only_the_backend_imports_cupy():
    importers = {
        str(module.relative_to(PACKAGE))
        for module in modules()
        for _, name in contents(module).imports
        if name.partition(".")[0] in ("cupy", "cupyx")
    }
    assert importers == {"engine/backend.py"}


HEAVY = (
    "IPython",
    "PIL",
    "anywidget",
    "cupy",
    "executing",
    "graphviz",
    "ipywidgets",
    "matplotlib",
    "tqdm",
    "traitlets",
    "typst",
)


def test_importing_and_differentiating_load_nothing_heavy():
    program = f"""
import sys, autolab
x = autolab.Variable([1.0, 2.0])
autolab.functions.sum(x * x).backward()
print(*(set({HEAVY}) & set(sys.modules)))
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []


LATER = (
    "autolab.analysis",
    "autolab.views.export.pictures",
    "autolab.gradcheck",
    "autolab.lesson.judge",
    "autolab.views.derivatives.explorer",
    "autolab.views.export.pages",
    "autolab.views.heatmap.heatmap",
    "autolab.views.interact.interact",
    "autolab.views.plots.surface_view",
    "autolab.views.check.lens",
)


def test_the_first_picture_of_a_lesson_waits_for_no_other_view():
    pytest.importorskip("anywidget")
    program = (
        f"import sys, autolab\nfrom autolab import lesson\nautolab.explore\nprint(*(set({LATER}) & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []
    assert [name for name in LATER if not find_spec(name)] == []


SHARED_CLASS_NAMES = {
    "LiveMonitor": "one view: of a link, and of a torch module",
    "Flatten": "of an example, as a transform of data; of a batch, as a layer",
    "Step": "of a recording, and of a traced program: each is what its readers know by that name",
}


def test_the_name_of_a_class_has_one_meaning():
    """Facades in compat, and `autolab.nn`, have the names of other libraries."""
    places: dict[str, list[str]] = {}
    for module in modules():
        if part_of(module) != "compat" and module.stem != "nn":
            for name in contents(module).classes:
                places.setdefault(name.lstrip("_"), []).append(str(module.relative_to(PACKAGE)))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in shared.items() if name not in SHARED_CLASS_NAMES} == {}


# The addresses are put together here, so that this file does not hold them.
FORBIDDEN = {
    "a package index's address": re.compile(
        "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "--index" + "-url"])
    ),
    "an absolute path of a machine": re.compile(r"(?<![\w.~/-])/(?:home|root|Users|work|opt)" + r"/[\w.-]"),
}


def offences(text: str) -> list[str]:
    return [f"{what}: {found[0]}" for what, pattern in FORBIDDEN.items() for found in pattern.finditer(text)]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a copy of the files, without their history")
def test_tracked_files_hold_no_index_address_and_no_path_of_a_machine():
    found = {}
    for file in tracked_files():
        try:
            text = (ROOT / file).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if offences(text):
            found[str(file)] = offences(text)
    assert found == {}


@pytest.mark.parametrize("folder", ["home", "root", "Users", "work"])
def test_a_path_of_a_machine_is_found(folder):
    assert offences(f'open("/{folder}/somebody/data.csv")')
    assert not offences(f"see the docs/{folder}/page and https://example.org/{folder}/page")


def test_notebooks_are_kept_without_outputs():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert notebooks
    for notebook in notebooks:
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), notebook.name


def test_the_commands_that_documents_name_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)) | {
        "test",
        "test-full",
    }
    for document in ("README.md", "CONTRIBUTING.md", "docs/tour.md"):
        assert set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / document).read_text("utf-8"), re.MULTILINE)) <= targets


def test_links_between_documents_lead_somewhere():
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "notebooks" / "README.md"]
    assert len(documents) >= 6
    for document in documents:
        text = document.read_text("utf-8")
        targets = re.findall(r"\]\(([^)#:]+)\)|(?:src|srcset|href)=\"([^\":#]+)", text)
        for target in [a or b for a, b in targets]:
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_readme_is_short_and_what_it_and_the_tour_show_runs(tmp_path):
    pytest.importorskip("anywidget")
    readme, tour = [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tour.md")]
    blocks = [block for text in (readme, tour) for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
    assert len(blocks) == 2 and len(readme.splitlines()) <= 75 and readme.count("<img ") == 5
    assert len([line for line in blocks[0].splitlines() if line]) <= 5
    program = tmp_path / "readme.py"
    program.write_text("\n".join([*blocks, "assert (float(dy.data), float(ddy.data)) == (12, 12)"]), "utf-8")
    options = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}, "capture_output": True, "text": True}
    answer = subprocess.run([sys.executable, "-W", "error", program], check=False, **options)
    assert answer.returncode == 0, answer.stderr
