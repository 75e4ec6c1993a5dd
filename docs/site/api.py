"""The API reference: every public name once, on the page of the module that users import it from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from textwrap import indent
from types import ModuleType
from typing import Any

import autolab

FAMILIES = {
    "elementwise": "Elementwise",
    "reductions": "Reductions",
    "arrays": "Shapes, indices and parts of arrays",
    "linear_algebra": "Linear algebra",
    "networks": "Networks",
    "losses": "Losses and scores",
}
"""The folders of `autolab.functions`, which is too large for one page."""
BRIDGES = ("autolab.bridges.torch", "autolab.bridges.jax")
"""`import autolab` imports neither. Their libraries are not installed where the site is made: Sphinx mocks them."""


@dataclass
class Page:
    """A module or a part of one: its own names, and those that are on other pages with their full names there."""

    file: str
    title: str
    module: str
    names: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)


def listing(*bridges: str) -> list[Page]:
    """What is on which page."""
    found: dict[int, str] = {}
    pages: list[Page] = []
    for name, module in [*_modules("autolab", autolab), *((name, import_module(name)) for name in bridges)]:
        parts = {"": Page(name, name, name)}
        if module is autolab.functions:
            parts = {key: Page(f"{name}.{key}", f"{name}: {text}", name) for key, text in FAMILIES.items()}
        for public in sorted(_public(module), key=str.lower):
            value = getattr(module, public)
            if isinstance(value, ModuleType):
                continue
            family = value.__module__.split(".")[2] if len(parts) > 1 else ""
            if id(value) in found:
                parts[family].elsewhere[public] = found[id(value)]
            else:
                found[id(value)] = f"{name}.{public}"
                parts[family].names.append(public)
        pages += parts.values()
    return pages


def _public(module: ModuleType) -> list[str]:
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return getattr(module, "__all__", [name for name in own if not name.startswith("_")])


def _modules(name: str, module: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    """A module and the public ones in it."""
    yield name, module
    for inner in sorted(_public(module)):
        if isinstance(value := getattr(module, inner), ModuleType):
            yield from _modules(f"{name}.{inner}", value)


def reference(stage: Path) -> None:
    """Write the pages."""
    from sphinx.ext.autodoc.mock import mock  # it is only where sites are made

    folder = stage / "api"
    folder.mkdir(parents=True)
    with mock(["torch", "jax"]):
        pages = listing(*BRIDGES)
        for page in pages:
            (folder / f"{page.file}.rst").write_text(_text(page), "utf-8")
        rows = [f"   * - :doc:`{page.title} <{page.file}>`\n     - {_contents(page)}" for page in pages]
    lines = [f"   {page.title} <{page.file}>" for page in pages]
    index = ["API reference", "=============", "", _INDEX, *_map(), "", "The pages:", "", ".. list-table::", "", *rows]
    index += ["", ".. toctree::", "   :hidden:", "", *lines]
    (folder / "index.rst").write_text("\n".join([*index, ""]), "utf-8")


_INDEX = (
    "Every public name, with its parameters and an example that runs. This is the map that ``help(autolab)`` shows:"
)


def _map() -> list[str]:
    """The docstring of the package."""
    return ["", ".. currentmodule:: autolab", "", *with_tables(inspect.getdoc(autolab) or "").splitlines()]


def _contents(page: Page) -> str:
    """What is on a page, in a sentence; of the functions, which fill several, all names."""
    if page.module == "autolab.functions":
        return ", ".join([f":py:obj:`{name} <autolab.functions.{name}>`" for name in page.names])
    return " ".join((inspect.getdoc(import_module(page.module)) or "").partition("\n\n")[0].split())


def with_tables(text: str) -> str:
    """A docstring as Sphinx takes it: a paragraph of names and what they are, set apart by spaces, becomes a table."""
    parts = text.split("\n\n")
    for k, part in enumerate(parts):
        rows: list[list[str]] = []
        for line in part.strip("\n").splitlines():
            if found := re.fullmatch(r"(\S.*?) {2,}(\S.*)", line):
                rows.append([found[1], found[2]])
            elif rows and line.startswith("  "):
                rows[-1][1] += f" {line.strip()}"  # the cell goes on
            else:
                break
        else:
            if rows:
                cells = [f"   * - {left}\n     - {right}" for left, right in rows]
                parts[k] = "\n".join([".. list-table::", "", *cells])
    return "\n\n".join(parts)


def _text(page: Page) -> str:
    module: Any = import_module(page.module)
    lines = [page.title, "=" * len(page.title), ""]
    if page.module == "autolab.functions" and page.file != f"autolab.functions.{next(iter(FAMILIES))}":
        lines += [".. currentmodule:: autolab.functions", ""]
    elif module is autolab:
        lines += [".. module:: autolab", ""]
    else:
        lines += [f".. automodule:: {page.module}", ""]
    lines += [".. autosummary::", "   :nosignatures:", "", *[f"   {name}" for name in page.names], ""] * bool(
        page.names
    )
    if page.elsewhere:
        links = [f":py:obj:`{name} <{place}>`" for name, place in page.elsewhere.items()]
        lines += [f"Also here, and described on another page: {', '.join(links)}.", ""]
    for name in page.names:
        lines += _entry(name, getattr(module, name))
    return "\n".join(lines)


def _entry(name: str, value: Any) -> list[str]:
    """How Sphinx is told to describe a name."""
    if inspect.isclass(value) and value.__name__ != name:  # of another name for a class, autoclass says no more
        return [f".. py:class:: {name}", "", *indent(inspect.getdoc(value) or "", "   ").splitlines(), ""]
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:", "   :show-inheritance:", ""]
    if callable(value):
        return [f".. autofunction:: {name}", ""]
    return [f".. autodata:: {name}", "   :no-value:", ""]
