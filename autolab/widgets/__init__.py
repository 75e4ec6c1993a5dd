"""Live views: what `explore`, `derivatives`, `heatmap` and `interact` show in a notebook.

Each is loaded on its first use, so that the first picture of a new kernel waits for no other view's code.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .derivative_explorer import DerivativeExplorer, derivatives
    from .explorer import Explorer, explore
    from .export import export_html
    from .heatmaps import Heatmap, heatmap
    from .interaction import Interact, interact

_HOMES = {
    "DerivativeExplorer": "derivative_explorer",
    "Explorer": "explorer",
    "Heatmap": "heatmaps",
    "Interact": "interaction",
    "derivatives": "derivative_explorer",
    "explore": "explorer",
    "export_html": "export",
    "heatmap": "heatmaps",
    "interact": "interaction",
}

__all__ = [
    "DerivativeExplorer",
    "Explorer",
    "Heatmap",
    "Interact",
    "derivatives",
    "explore",
    "export_html",
    "heatmap",
    "interact",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*__all__]
