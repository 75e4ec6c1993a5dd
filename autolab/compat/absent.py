"""Which facades there are, and what is said about names that one of them does not have."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from types import FrameType
from typing import Any

PACKAGE = __name__.rpartition(".")[0]


@cache
def facades() -> tuple[str, ...]:
    """The libraries that have a facade, by name.

    Examples
    --------
    >>> from autolab import compat
    >>> "dezero" in compat.facades()
    True
    """
    found = iter_modules([str(Path(__file__).parent)])
    return tuple(sorted(module.name for module in found if module.ispkg))


def original(module: str) -> str:
    """The name that a module of a facade has in its original.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.original("autolab.compat.dezero.functions")
    'dezero.functions'
    """
    return module.removeprefix(f"{PACKAGE}.")


def sentence(name: str, instead: Mapping[str, str] | None = None) -> str:
    """What is said about ``dezero.functions.foo``, which is not there."""
    library, _, rest = name.partition(".")
    there = (instead or {}).get(rest.rpartition(".")[2])
    return f"{name} is not part of AutoLab's {library} facade" + (f"; {there}" if there else "")


def missing(module: str, instead: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module of a facade, by which a name that is not there fails with that name.

    Parameters
    ----------
    module : str
        ``__name__`` of the module.
    instead : dict, optional
        For some names, what there is in their place.

    Raises
    ------
    AttributeError
        From the function that is returned, for every name.
    ImportError
        Instead of it in ``from module import name``: Python would drop the sentence of an AttributeError there.

    Examples
    --------
    >>> from autolab import compat
    >>> look_up = compat.missing("autolab.compat.dezero.functions", {"foo": "there is bar"})
    >>> look_up("foo")
    Traceback (most recent call last):
    AttributeError: dezero.functions.foo is not part of AutoLab's dezero facade; there is bar
    """

    def __getattr__(name: str) -> Any:
        said = sentence(f"{original(module)}.{name}", instead)
        if _imports(sys._getframe(1)):
            raise ImportError(said, name=original(module))
        raise AttributeError(said, name=name, obj=sys.modules.get(module))

    return __getattr__


def _imports(frame: FrameType) -> bool:
    """Whether a frame is at ``from module import name``."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]
