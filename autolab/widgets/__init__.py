"""Live views: what `explore` shows in a notebook."""

from .explorer import Explorer, explore

__all__ = ["Explorer", "explore"]
