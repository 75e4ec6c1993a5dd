"""Facades under the import names of their originals, until they are uninstalled."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from .absent import PACKAGE, facades

_BESIDE = {"chainerx": "chainer._chainerx"}
"""Packages that come with a library, and their module in its facade."""


def install(library: str) -> None:
    """Make ``import dezero``, and imports of its modules, import AutoLab's facade in this process.

    Parameters
    ----------
    library : str
        The import name of the original. Installing it twice changes nothing.

    Raises
    ------
    ValueError
        If there is no such facade.
    RuntimeError
        If the library itself has already been imported.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.install("dezero")
    >>> import dezero.functions as F
    >>> F.__name__
    'autolab.compat.dezero.functions'
    >>> compat.uninstall("dezero")
    """
    _check("install", library)
    if any(_finders(library)):
        return
    if loaded := [name for name in sys.modules if _belongs(name, library)]:
        where = getattr(sys.modules[loaded[0]], "__file__", None)
        raise RuntimeError(
            f"install: {loaded[0]} is already imported{f' from {where}' if where else ''}; "
            f"install the facade before the first import, in a Python that has just started"
        )
    sys.meta_path.insert(0, _Finder(library))


def uninstall(library: str) -> None:
    """Undo `install`: the next ``import dezero`` looks for the library itself. Modules already imported stay usable.

    Parameters
    ----------
    library : str
        The import name of the original. If its facade is not installed, nothing happens.

    Raises
    ------
    ValueError
        If there is no such facade.

    Examples
    --------
    >>> from autolab import compat
    >>> compat.install("dezero")
    >>> compat.uninstall("dezero")
    >>> import dezero
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'dezero'
    """
    _check("uninstall", library)
    for finder in _finders(library):
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _belongs(name, library)]:
            del sys.modules[name]


def _check(function: str, library: str) -> None:
    if library not in facades():
        raise ValueError(f"{function}: there is no facade of {library!r:.60}; there are {', '.join(facades())}")


def _finders(library: str) -> list[_Finder]:
    return [finder for finder in sys.meta_path if isinstance(finder, _Finder) and finder.library == library]


def _belongs(module: str, library: str) -> bool:
    own = _BESIDE.get(module, module)
    return own == library or own.startswith(f"{library}.")


class _Finder(MetaPathFinder):
    """Finds a library's modules in its facade only: a module that the facade lacks is not found elsewhere either."""

    def __init__(self, library: str) -> None:
        self.library = library

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _belongs(fullname, self.library):
            return None
        found = find_spec(f"{PACKAGE}.{_BESIDE.get(fullname, fullname)}")
        if found is not None:
            return ModuleSpec(fullname, _Alias(), is_package=found.submodule_search_locations is not None)
        package, _, name = fullname.rpartition(".")
        try:
            import_module(f"{PACKAGE}.{package}").__getattr__(name)  # its error names the module
        except AttributeError as error:
            raise ModuleNotFoundError(str(error), name=fullname) from None
        return None


class _Alias(Loader):
    """Loads the facade's own module, so that both names refer to one module object."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(f"{PACKAGE}.{_BESIDE.get(spec.name, spec.name)}")
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own  # the import system has replaced it by the alias's
