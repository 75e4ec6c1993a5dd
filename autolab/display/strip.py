"""Strips: arrays as pictures so small that they stand in a line of a table."""

from __future__ import annotations

import base64

from ..recording.model import Snapshot
from .cells import grid
from .escape import Markup, element, escape
from .heatmap import Panel, describe
from .raster import png
from .tone import view_tone

_ROWS, _COLUMNS = 8, 48
_WIDTH, _HEIGHT = 96, 24  # of a strip with many cells, in pixels
_SHADES = 31  # a picture with few colours is small


def strip(title: str, snapshot: Snapshot, scale: float) -> Markup:
    """An array as an image of its own, with a description; nothing where it has no elements.

    ``scale`` is the greatest magnitude among all arrays of the table, for which the strongest colours stand; zero is
    neutral, and what is not finite is a sign.
    """
    cells = grid(snapshot, _ROWS, _COLUMNS)
    if not cells.values.size:
        return Markup()
    rows, columns = cells.values.shape
    cell = (min(12, max(2, _WIDTH // columns)), min(12, max(3, _HEIGHT // rows)))
    data = png(cells, view_tone(scale), cell, shades=_SHADES, frame=True)
    address = Markup("data:image/png;base64," + base64.b64encode(data).decode())
    return element("img", alt=escape(describe(Panel(title, snapshot)), 300), align="middle", src=address)
