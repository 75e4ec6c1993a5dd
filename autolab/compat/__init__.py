"""The names of other libraries over AutoLab's engine, so that their tutorials run.

    >>> from autolab import compat
    >>> compat.install("dezero")
    >>> import dezero
    >>> dezero.__name__
    'autolab.compat.dezero'
    >>> compat.uninstall("dezero")

``python -m autolab.compat dezero script.py`` runs a script as it is. docs/compat.md says what each facade covers.

How a facade is written
-----------------------
`autolab.compat.<library>` is a package that has the modules of the original at the same places: what is called
``dezero.functions`` there is `autolab.compat.dezero.functions` here. It is found by its folder; no list names it.

- Whatever the engine has is passed on unchanged (``from ...functions import exp``). Where the original's arguments
  differ, a function takes them apart and calls AutoLab's. Nothing is computed here: there is one engine.
- ``table.txt`` of a facade has the functions that are a call of AutoLab's alone, and the types and defaults of long
  signatures: see `table`.
- Where the libraries contradict each other, the facade has its original's way, and the engine does not know of it.
- ``originals.toml`` has the public names of the originals. What a module has of those of its original, it offers:
  ``__getattr__ = gather(__name__)`` at the end of a package imports its modules, takes the names that they define and
  makes ``__all__`` of the table. Any name that is not there fails and says so, by ``module.name`` as well as by
  ``from module import name``, and so does what there is in its place, from ``instead`` of that table. docs/compat.md is
  made of the same table.
- Modules of the original that are not there at all need nothing: `install` answers for them.
- Messages call things by their original names (`original` gives that of a module).
"""

from .absent import facades, missing, original, originals, remedies
from .aliases import install, uninstall

__all__ = ["facades", "install", "missing", "original", "originals", "remedies", "uninstall"]
