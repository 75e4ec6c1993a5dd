"""Live views: what `explore` shows in a notebook."""

from .explorer import Explorer, explore
from .export import export_html

__all__ = ["Explorer", "explore", "export_html"]
