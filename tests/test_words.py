"""The turns that docs/style.md advises against stay out of what people read."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from helpers.checkout import ROOT, tracked_files

TURNS = re.compile(
    "|".join(
        (
            r"needed no more",
            r"\banew\b",
            r"behind the (?:decimal )?point",
            r"before and behind",
            r"told from others",
            r"handed on as",
            r"to whoever",
            r"\b(?:its|their) kin\b",
            r"stands? in (?:a|the) graph once",
            r"room for what",
            r"is presented is",
            r"(?:every|each) term by itself",
            r"taken back",
            r"to be had\b",
            r"\b[Tt]he (?:greatest|least) (?:element|number|value|of)\b",
            r"mean of none\b",
            r"doors into",
            r"opaque kernel",
            r"numbers brought along",
        )
    )
)
GENERATED = {"docs/compat.md", "docs/conventions.md", "docs/style.md"}
MODULES = "data gradcheck analysis plots recording lesson functions links optimizers training training.extensions"
MODULES += " transforms serializers initializers authoring debug gpu"
PUBLIC = ["autolab", *[f"autolab.{name}" for name in MODULES.split()]]


def documents() -> Iterator[tuple[str, str]]:
    for file in map(Path, tracked_files()):
        if file.suffix == ".md" and str(file) not in GENERATED:
            yield str(file), (ROOT / file).read_text("utf-8")
        if file.suffix == ".ipynb":
            cells = json.loads((ROOT / file).read_text("utf-8"))["cells"]
            yield str(file), "\n".join(["".join(cell["source"]) for cell in cells])


def messages() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "autolab").rglob("messages/*.toml")):
        yield str(file.relative_to(ROOT)), file.read_text("utf-8")
    for file in sorted((ROOT / "autolab").rglob("messages/*.py")) + sorted((ROOT / "autolab").rglob("messages.py")):
        texts = [n.value for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Constant)]
        yield str(file.relative_to(ROOT)), "\n".join([text for text in texts if isinstance(text, str)])


def docstrings() -> Iterator[tuple[str, str]]:
    for name in PUBLIC:
        module = import_module(name)
        yield name, module.__doc__ or ""
        for public in module.__all__:
            value = getattr(module, public)
            own = {key: part for key, part in vars(value).items() if key[0] != "_"} if inspect.isclass(value) else {}
            for key, part in {"": value, **own}.items():
                yield f"{name}.{public}.{key}".rstrip("."), inspect.getdoc(part) or ""


@pytest.mark.parametrize("texts", [documents, messages, docstrings], ids=lambda texts: texts.__name__)
def test_what_people_read_is_idiomatic(texts):
    if texts is docstrings:
        pytest.importorskip("anywidget")
    read = list(texts())
    assert len(read) >= 5
    assert {name: found for name, text in read if (found := TURNS.findall(text))} == {}


def test_a_turn_is_found():
    style = (ROOT / "docs" / "style.md").read_text("utf-8")
    rows = [row.split("|")[1] for row in style.splitlines() if row.startswith("| ")][1:]
    assert len(rows) == 31 and sum([bool(TURNS.search(row)) for row in rows]) >= 12
    assert len(style.splitlines()) <= 60
