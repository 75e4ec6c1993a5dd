"""Live views: what `explore`, `derivatives` and `heatmap` show in a notebook."""

from .derivative_explorer import DerivativeExplorer, derivatives
from .explorer import Explorer, explore
from .export import export_html
from .heatmaps import Heatmap, heatmap

__all__ = ["DerivativeExplorer", "Explorer", "Heatmap", "derivatives", "explore", "export_html", "heatmap"]
