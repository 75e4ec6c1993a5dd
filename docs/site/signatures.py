"""Signatures as users see them. The ``__new__`` of some classes takes anything, as it only checks names."""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.util.inspect import signature, stringify_signature


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-signature", _of_init)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _of_init(app: Any, what: str, name: str, value: Any, options: Any, given: str | None, returns: str | None) -> Any:
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
