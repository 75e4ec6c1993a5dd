"""The requirements of a bridge: its library, and a program whose gradients can be shown correctly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


class UnsupportedError(RuntimeError):
    """A bridge refuses a program, because a number in its picture could differ from the library's.

    The message gives the reason and says what to do.

    Examples
    --------
    >>> from autolab.bridges.needed import UnsupportedError
    >>> issubclass(UnsupportedError, RuntimeError)
    True
    """


def missing(error: ModuleNotFoundError, library: str, title: str) -> ImportError:
    """The error to raise if importing a bridge failed: if its library is missing, one that says what to install.

    Examples
    --------
    >>> from autolab.bridges.needed import missing
    >>> missing(ModuleNotFoundError(name="torch"), "torch", "PyTorch")
    ImportError("autolab.bridges.torch needs PyTorch: pip install 'jupyter-autolab[torch]'")
    """
    if (error.name or "").partition(".")[0] != library:  # the library is installed, but something that it needs is not
        return error
    install = f"pip install 'jupyter-autolab[{library}]'"
    return ImportError(f"autolab.bridges.{library} needs {title}: {install}", name=library)


def later(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are imported on first access, each from ``module:name``.

    A recording does not load the code of checks, diagnoses and pictures.

    Examples
    --------
    >>> from autolab.bridges.needed import later
    >>> later("json", {"Reader": ".decoder:JSONDecoder"})("Reader").__name__
    'JSONDecoder'
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, found = places[name].split(":")
        return getattr(import_module(module, package), found)

    return find
