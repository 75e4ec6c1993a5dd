"""Which facades there are, what their modules export, and the errors for missing names."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ..engine.habits import not_there

PACKAGE = __name__.rpartition(".")[0]


@cache
def facades() -> tuple[str, ...]:
    """The names of the libraries that have a facade.

    Examples
    --------
    >>> from autolab import compat
    >>> "dezero" in compat.facades()
    True
    """
    found = iter_modules([str(Path(__file__).parent)])
    return tuple(sorted(module.name for module in found if module.ispkg))


def original(module: str) -> str:
    """The name of a facade's module in the original library.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.original("autolab.compat.dezero.functions")
    'dezero.functions'
    """
    return module.removeprefix(f"{PACKAGE}.")


@cache
def originals() -> dict[str, tuple[str, ...]]:
    """The public names of the originals by module, from ``originals.toml``.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.originals()["dezero.layers"]
    ('BatchNorm', 'Conv2d', 'Deconv2d', 'EmbedID', 'Layer', 'Linear', 'LSTM', 'RNN')
    """
    return {module: tuple(entry["names"].split()) for module, entry in _table().items()}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "originals.toml").read_text("utf-8"))


@cache
def remedies(module: str) -> dict[str, str]:
    """What to use instead of names that a facade leaves out: ``instead`` in ``originals.toml``.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.remedies("chainer.functions")["slstm"]
    'functions.split_axis separates the gates; sigmoid and tanh are available'
    """
    there = _table().get(module, {}).get("instead", {})
    return {name: said for names, said in there.items() for name in names.split()}


def offered(module: str) -> list[str]:
    """``__all__`` of a facade's module: those names of the original that it has.

    A module that ``originals.toml`` does not list, such as a private one, exports those of the library's names that it
    defines.
    """
    name, there = original(module), vars(sys.modules[module])
    if name in originals():
        return [public for public in (*originals()[name], *_MORE.get(name, ())) if public in there]
    known = _names(name.partition(".")[0])
    return [public for public, one in there.items() if public in known and getattr(one, "__module__", "") == module]


@cache
def _names(library: str) -> frozenset[str]:
    """All public names of a library."""
    of_it = [names for module, names in originals().items() if module.partition(".")[0] == library]
    return frozenset([name for names in of_it for name in names])


_MORE = {"dezero.functions": ("batch_norm",), "dezero.models": ("Layer",)}
"""Names of other versions, and of AutoLab."""


def sentence(name: str, instead: Mapping[str, str] | None = None) -> str:
    """The message for a missing name such as ``dezero.functions.foo``."""
    module, _, last = name.rpartition(".")
    library = name.partition(".")[0]
    there = {**remedies(module), **(instead or {})}.get(last)
    return f"{name} is not part of AutoLab's {library} facade" + (f"; {there}" if there else "")


def missing(module: str, instead: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module of a facade: it returns ``__all__``; any other name raises an error.

    Parameters
    ----------
    module : str
        ``__name__`` of the module.
    instead : dict, optional
        For some names, what to use instead.

    Raises
    ------
    AttributeError
        By the returned function, for every name but ``__all__``.
    ImportError
        Instead, in ``from module import name``: Python would drop the message of an AttributeError there.

    Examples
    --------
    >>> from autolab import compat
    >>> look_up = compat.missing("autolab.compat.dezero.functions", {"foo": "there is bar"})
    >>> look_up("foo")
    Traceback (most recent call last):
    AttributeError: dezero.functions.foo is not part of AutoLab's dezero facade; there is bar
    """

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return offered(module)
        said = sentence(f"{original(module)}.{name}", instead)
        raise not_there(sys._getframe(1), module, name, said)

    return __getattr__


def gather(package: str, sources: str = "") -> Callable[[str], Any]:
    """Import the modules of a facade's package, add the original's names to it, and return its ``__getattr__``.

    The names come from modules that the original does not have, and from ``sources``, a string of module names
    separated by spaces. Modules without a ``__getattr__`` get that of `missing`.
    """
    there, wanted = vars(sys.modules[package]), originals().get(original(package), ())
    for found in iter_modules(there["__path__"]):
        module = import_module(f"{package}.{found.name}")
        vars(module).setdefault("__getattr__", missing(module.__name__))
        if found.name in sources.split() or original(module.__name__) not in originals():
            for name in module.__all__:
                if name in wanted:
                    there.setdefault(name, vars(module)[name])
    return missing(package)
