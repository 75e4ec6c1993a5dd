"""Other libraries' APIs on AutoLab's engine, so that their tutorials run.

    >>> from autolab import compat
    >>> compat.install("dezero")
    >>> import dezero
    >>> dezero.__name__
    'autolab.compat.dezero'
    >>> compat.uninstall("dezero")

``python -m autolab.compat dezero script.py`` runs a script unchanged. docs/compat.md says what each facade covers.

How a facade is written
-----------------------
`autolab.compat.<library>` is a package with the same module structure as the original: ``dezero.functions`` is
`autolab.compat.dezero.functions` here. Facades are found by their folders; there is no list of them.

- Whatever the engine has is passed on unchanged (``from ...functions import exp``). Where the original's arguments
  differ, a function converts them and calls AutoLab's. Nothing is computed here: there is only one engine.
- ``table.txt`` of a facade holds the functions that are a single call of AutoLab's, and the types and defaults of long
  signatures: see `table`.
- Where the libraries contradict each other, the facade behaves like its original; the engine does not know about it.
- ``originals.toml`` lists the public names of the originals. A module exports those that it has:
  ``__getattr__ = gather(__name__)`` at the end of a package imports its modules, collects the names that they define
  and builds ``__all__`` from the list. Any other name raises an error that says so, in ``module.name`` as well as in
  ``from module import name``; it also says what to use instead, if ``instead`` in that file does. docs/compat.md is
  generated from the same file.
- Modules of the original that are missing altogether need nothing: `install` makes their import fail.
- Messages use the original names (`original` returns that of a module).
"""

from .absent import facades, missing, original, originals, remedies
from .aliases import install, uninstall

__all__ = ["facades", "install", "missing", "original", "originals", "remedies", "uninstall"]
