"""Live views: what `explore` and `heatmap` show in a notebook."""

from .explorer import Explorer, explore
from .export import export_html
from .heatmaps import Heatmap, heatmap

__all__ = ["Explorer", "Heatmap", "explore", "export_html", "heatmap"]
