"""Functions generated from source text, with values bound to names."""

from __future__ import annotations

from typing import Any

from ...engine.tracebacks import PACKAGE


class GeneratedFunction:
    """The names bound in a source text, and the function that it defines."""

    def __init__(self, **names: Any) -> None:
        self._names = names
        self._known: dict[int, str] = {}

    def bound(self, value: Any) -> str:
        """The name that a value is bound to in the text."""
        if id(value) not in self._known:
            self._known[id(value)] = name = f"k{len(self._known)}"
            self._names[name] = value
        return self._known[id(value)]

    def made(self, what: str, text: str) -> Any:
        """The function that a text defines; ``what`` names its file in tracebacks."""
        exec(compile(text, f"{PACKAGE}transforms/compiling/<{what}>", "exec"), self._names)
        return self._names[text[len("def ") : text.index("(")]]
