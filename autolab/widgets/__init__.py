"""Live views: what `explore`, `derivatives`, `heatmap` and `interact` show in a notebook."""

from .derivative_explorer import DerivativeExplorer, derivatives
from .explorer import Explorer, explore
from .export import export_html
from .heatmaps import Heatmap, heatmap
from .interaction import Interact, interact

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
