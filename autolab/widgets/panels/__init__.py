"""Panels of the live graph: a module here answers the questions of one panel, and static/ has what draws it.

A new panel is such a module, a JavaScript module that exports its part, the name of that in static/explorer.js, and a
test. Every module of this folder is loaded.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
