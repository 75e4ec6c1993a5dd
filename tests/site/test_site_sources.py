"""What the site is made of, without building it: no page and no public name is left out, and links lead somewhere."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from helpers.checkout import ROOT

pytest.importorskip("anywidget")
SITE = ROOT / "docs" / "site"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))


@pytest.fixture
def api() -> Iterator[ModuleType]:
    yield import_module("api")
    del sys.modules["api"]


def test_every_public_name_is_described_once(api: ModuleType) -> None:
    pages = api.listing()
    described = [id(getattr(import_module(page.module), name)) for page in pages for name in page.names]
    assert len(described) == len(set(described)) > 350
    places = {f"{page.module}.{name}" for page in pages for name in page.names}
    assert {place for page in pages for place in page.elsewhere.values()} <= places
    for module in {page.module for page in pages}:
        listed = [name for page in pages if page.module == module for name in [*page.names, *page.elsewhere]]
        public = getattr(import_module(module), "__all__", listed)
        inner = {name for name in public if isinstance(getattr(import_module(module), name), ModuleType)}
        assert sorted(listed) == sorted(set(public) - inner)
        assert {f"{module}.{name}" for name in inner} <= {page.module for page in pages}


def test_every_page_has_a_place_in_the_how_to_guides() -> None:
    text = (SITE / "howto.md").read_text("utf-8")
    listed = [line for part in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL) for line in part.split("\n\n")]
    names = [name for part in listed if not part.startswith(":") for name in part.split()]
    assert sorted(name for name in names if "/" not in name) == sorted(p.stem for p in (ROOT / "docs").glob("*.md"))
    assert all([(ROOT / "docs" / f"{name}.md").is_file() for name in names])


def test_links_of_the_pages_that_only_the_site_has_lead_somewhere() -> None:
    folders = {"howto.md": ROOT / "docs", "index.md": ROOT, "404.md": ROOT}
    made = ("docs/index.md", "gallery/index.md", "api/index.rst", "index.md")
    for name, folder in folders.items():
        targets = re.findall(r"\]\(([^)#:]+)", (SITE / name).read_text("utf-8"))
        assert targets and [target for target in targets if target not in made and not (folder / target).exists()] == []


def test_the_pictures_of_the_front_page_are_those_of_showpieces() -> None:
    shown = re.findall(r"gallery/pictures/(\w+)\.svg", (SITE / "index.md").read_text("utf-8"))
    assert len(shown) == 4 and [name for name in shown if not (SITE / "showpieces" / f"{name}.py").is_file()] == []


@pytest.mark.parametrize(
    ("name", "call", "inputs"),
    [
        ("muladd", "F.muladd(x, y, z)", ["x", "y", "z"]),
        ("softmax_cross_entropy", "F.softmax_cross_entropy(x, t)", ["x", "t"]),
        ("sum", "F.sum(a, axis=0)", ["a"]),
        ("concatenate", "F.concatenate(xs)", ["xs"]),
        ("meshgrid", "F.meshgrid(*xi)", ["xi"]),
        ("repeat", "F.repeat(a, repeats=[1, 2])", ["a"]),
        ("dropout", "F.dropout(x, rng=np.random.default_rng(0))", ["x"]),
    ],
)
def test_the_graph_of_a_function_moves_its_arrays(name: str, call: str, inputs: list[str]) -> None:
    graphs = import_module("graphs")
    text, moved = graphs.call_of(name)
    assert (text, [*moved]) == (call, inputs)
    view = graphs.graph(name)
    assert {key.partition("[")[0] for key in view.point} == set(inputs)
    view.close()


def test_each_version_of_a_site_lists_all_of_them_by_addresses_that_lead_there(tmp_path: Path) -> None:
    site, older = tmp_path / "site", tmp_path / "older"
    for folder in (site, older / "0.9.0", older / "0.10.0", older / "1.0.0", older / "notes"):
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(folder.name)
    (older / "notes" / "index.html").unlink()
    import_module("versions").join(site, "1.0.0", older)
    for own, folder in {"1.0.0": site, "0.10.0": site / "0.10.0", "0.9.0": site / "0.9.0"}.items():
        rows = json.loads((folder / "versions.js").read_text("utf-8").removeprefix("var siteVersions = ")[:-2])
        assert [row["version"] for row in rows] == ["1.0.0", "0.10.0", "0.9.0"]
        assert [row["version"] for row in rows if row["own"]] == [own]
        reached = [(folder / row["address"]).resolve().read_text() for row in rows]
        assert reached == ["site", "0.10.0", "0.9.0"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["import numpy as np, sys\nx = np.ones(2)", "x + 1"], "import numpy as np\n\n\nx = np.ones(2)\nx + 1"),
        (["x = 1\ny = 2", "x = 3\nx", "print(x)"], "x = 3\nprint(x)"),
        (["a = 2\na", "def f(t):\n    return t + a", "f(1)"], "a = 2\n\n\ndef f(t):\n    return t + a\n\n\nf(1)"),
        (["a = []\na.append(1)\na", "len(a)"], "a = []\na.append(1)\nlen(a)"),
        (["a = {}\nb = {}\na['k'] = 1\nb['k'] = 2", "a"], "a = {}\na['k'] = 1\na"),
        (["x = 5", "for x in range(3):\n    print(x)"], "for x in range(3):\n    print(x)"),
        (["x = 5", "x = x + 1\nx"], "x = 5\nx = x + 1\nx"),
        (
            [
                "try:\n    error = 1\nexcept E as error:\n    pass",
                "try:\n    f()\nexcept V as error:\n    print(error)",
            ],
            1,
        ),
        (["guess = 1\nlesson.check('a', guess)", "guess"], "guess = 1\nguess"),
        (["@wraps\ndef f():\n    # why\n    pass", "f()"], "@wraps\ndef f():\n    # why\n    pass\n\n\nf()"),
    ],
)
def test_a_cell_is_a_program_with_what_it_needs(cells: list[str], expected: str | int) -> None:
    programs = import_module("programs")
    assert programs.program(cells, len(cells) - 1) == (cells[expected] if isinstance(expected, int) else expected)
