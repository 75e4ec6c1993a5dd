"""Docstrings, which are written for `help()`, as a page shows them: signatures and tables; and a check of them."""

from __future__ import annotations

import inspect
import re
from typing import Any

from api import with_tables
from numpydoc.docscrape import NumpyDocString
from sphinx.util import logging
from sphinx.util.inspect import signature, stringify_signature


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-skip-member", _is_numpys)
    app.connect("autodoc-process-signature", _of_init)
    app.connect("autodoc-process-docstring", _check_parameters, priority=400)  # before numpydoc writes it anew
    app.connect("autodoc-process-docstring", _make_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _is_numpys(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Whether a method is a function of NumPy's, such as ``x.fliplr``: docs/habits.md names these."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return True if module.partition(".")[0] == "numpy" else None


def _of_init(app: Any, what: str, name: str, value: Any, options: Any, given: str | None, returns: str | None) -> Any:
    """That of ``__init__``, where the ``__new__`` of a class takes anything, as it only checks names."""
    if given is None:
        return None
    if what != "class" or not given.startswith("(*args"):
        return _named(given), returns
    found = _init_signature(value)
    return _named(stringify_signature(found, unqualified_typehints=True)), returns


def _init_signature(value: type) -> inspect.Signature:
    found = signature(value.__init__, bound_method=False)  # type: ignore[misc]
    parameters = [*found.parameters.values()][1:]  # without self
    return found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


def _check_parameters(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Warn where a section of parameters, if there is one, leaves one out or has one that is none.

    The check of numpydoc asks for a section everywhere, and does not look beyond ``__new__``.
    """
    text = "\n".join(lines)
    if what not in ("class", "exception", "function", "method") or "Parameters\n-----" not in text:
        return
    told = [one.strip(" *") for part in NumpyDocString(text)["Parameters"] for one in part.name.split(",")]
    found = _init_signature(value) if inspect.isclass(value) else signature(value)
    kinds = {key: one.kind for key, one in found.parameters.items() if key != "self"}
    collected = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)  # some only refuse what comes
    missing = [key for key, kind in kinds.items() if kind not in collected and key not in told]
    unknown = [key for key in told if key not in kinds]
    if missing or unknown:
        logging.getLogger(__name__).warning("%s: parameters not documented: %s; unknown: %s", name, missing, unknown)


def _named(text: str) -> str:
    """A default that is a function is shown by its name; Sphinx cannot read what it would write."""
    if "=<" not in text and "= <" not in text:
        return text
    return re.sub(r"<function (\w+)[^>]*>", r"\1", re.sub(r"~(?:\w+\.)*(\w+)", r"\1", text))


def _make_tables(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    if what == "module":
        lines[:] = with_tables("\n".join(lines)).split("\n")
