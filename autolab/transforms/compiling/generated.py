"""Functions that are made of text, in which values stand by names."""

from __future__ import annotations

from typing import Any

from ...engine.tracebacks import PACKAGE


class GeneratedFunction:
    """The names in a text, and the function that the text defines."""

    def __init__(self, **names: Any) -> None:
        self._names = names
        self._known: dict[int, str] = {}

    def bound(self, value: Any) -> str:
        """The name by which the text knows a value."""
        if id(value) not in self._known:
            self._known[id(value)] = name = f"k{len(self._known)}"
            self._names[name] = value
        return self._known[id(value)]

    def made(self, what: str, text: str) -> Any:
        """The function of a text; ``what`` is what tracebacks call its file."""
        exec(compile(text, f"{PACKAGE}transforms/compiling/<{what}>", "exec"), self._names)
        return self._names[text[len("def ") : text.index("(")]]
