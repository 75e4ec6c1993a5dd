"""The bytecode of what the playground has imported: the page keeps it, so that the next visit need not compile.

Pyodide brings Python's own modules, NumPy and AutoLab as text; to compile it takes half of a start.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import PurePosixPath

ZIP = ".zip/"
"""Python's own modules are in an archive, which is asked after `FOLDER`."""

FOLDER = "/lib/bytecode"

_UNCHECKED = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
"""The head of a file of bytecode that Python takes as it is: the page gives it to the very same files only."""


def compiled() -> Iterator[tuple[str, bytes]]:
    """The files of bytecode of the modules that are imported now: each with its path, one by one.

    Examples
    --------
    >>> path, content = next(compiled())
    >>> path.endswith(".pyc"), content[:4] == MAGIC_NUMBER
    (True, True)
    """
    for module in [*sys.modules.values()]:
        spec = getattr(module, "__spec__", None)
        if spec is not None and (spec.origin or "").endswith(".py"):
            code = spec.loader.get_code(spec.name)
            if code is not None:
                yield _place(spec), _UNCHECKED + marshal.dumps(code)


def _place(spec: ModuleSpec) -> str:
    """Where Python looks for it."""
    origin = spec.origin or ""
    _, in_archive, name = origin.partition(ZIP)
    return str(PurePosixPath(FOLDER, f"{name}c")) if in_archive else cache_from_source(origin)
