"""The parameters of classes whose ``__new__`` takes anything, as it only checks names: those of their ``__init__``."""

from __future__ import annotations

import inspect
from typing import Any

from sphinx.util.inspect import signature, stringify_signature


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-signature", _of_init)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _of_init(app: Any, what: str, name: str, value: Any, options: Any, given: str | None, returns: str | None) -> Any:
    if what != "class" or given is None or not given.startswith("(*args"):
        return None
    found = signature(value.__init__, bound_method=False)
    parameters = [*found.parameters.values()][1:]  # without self
    found = found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return stringify_signature(found, unqualified_typehints=True), returns
