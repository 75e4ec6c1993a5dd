"""Docstrings are written for `help()`; what Sphinx would read otherwise is spelled for it here."""

from __future__ import annotations

import re
from typing import Any


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _spell, priority=1)  # before numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _spell(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [
        re.sub(r"(?<![\w`*])(\*{1,2})(?=\w+\b(?!\*))", lambda found: found[1].replace("*", r"\*"), line)
        if not line.lstrip().startswith(">>>")
        else line
        for line in lines
    ]
