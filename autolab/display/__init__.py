"""Pictures of plain data: recordings, Variables and reports as HTML, SVG, PNG, DOT and text. All of it is pure
functions.
"""

from .registry import mimebundle

__all__ = ["mimebundle"]
