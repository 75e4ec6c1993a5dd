"""Docstrings, which are written for `help()`, as a page shows them: signatures and tables."""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.util.inspect import signature, stringify_signature


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-signature", _of_init)
    app.connect("autodoc-process-docstring", _keep_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _of_init(app: Any, what: str, name: str, value: Any, options: Any, given: str | None, returns: str | None) -> Any:
    """That of ``__init__``, where the ``__new__`` of a class takes anything, as it only checks names."""
    if given is None:
        return None
    if what != "class" or not given.startswith("(*args"):
        return _named(given), returns
    found = signature(value.__init__, bound_method=False)
    parameters = [*found.parameters.values()][1:]  # without self
    found = found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return _named(stringify_signature(found, unqualified_typehints=True)), returns


def _named(text: str) -> str:
    """A default that is a function is shown by its name; Sphinx cannot read what it would write."""
    if "=<" not in text and "= <" not in text:
        return text
    return re.sub(r"<function (\w+)[^>]*>", r"\1", re.sub(r"~(?:\w+\.)*(\w+)", r"\1", text))


def _keep_tables(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """A paragraph of a module that is a table, its columns set apart by spaces, stays as it is."""
    if what != "module":
        return
    parts = "\n".join(lines).split("\n\n")
    for k, part in enumerate(parts):
        rows = part.strip("\n").splitlines()
        if len(rows) > 1 and sum([bool(re.search(r"\S {2,}\S", row)) for row in rows]) > len(rows) / 2:
            parts[k] = "\n".join([".. code-block:: text", "", *[f"   {row}" for row in rows]])
    lines[:] = "\n\n".join(parts).split("\n")
