"""Cells as a PNG with few colours; Pillow is imported when the first one is written."""

from __future__ import annotations

import math
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from .cells import Grid
from .colors import THEMES, Theme, paint
from .tone import Tone

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

_SHADES = 253  # odd, so that zero has a shade of its own
_CARD, _INK = _SHADES, _SHADES + 1


def png(cells: Grid, tone: Tone, cell: tuple[int, int], theme: Theme = "light") -> bytes:
    """A PNG in which each cell takes ``cell`` (width, height) pixels.

    NaN is a ×, infinity a +, minus infinity a −, in ink on the card's colour.
    """
    from PIL import Image, ImageDraw

    width, height = cell
    finite = np.isfinite(cells.values)
    fractions = np.clip(tone.fractions(np.where(finite, cells.values, 0.0)), -1.0, 1.0)
    shades = np.rint((fractions + 1.0) / 2.0 * (_SHADES - 1)).astype(np.uint8)
    shades[~finite] = _CARD
    image = Image.fromarray(shades.repeat(height, axis=0).repeat(width, axis=1))
    image.putpalette(_palette(theme))
    draw = ImageDraw.Draw(image)
    for row, column in np.argwhere(~finite).tolist():
        _sign(draw, cells.values[row, column], column * width, row * height, min(width, height))
    buffer = BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _palette(theme: Theme) -> bytes:
    shades = paint(np.linspace(-1.0, 1.0, _SHADES), theme).tobytes()
    return shades + bytes.fromhex(THEMES[theme]["card"][1:] + THEMES[theme]["ink"][1:])


def _sign(draw: ImageDraw, value: float, left: int, top: int, side: int) -> None:
    first, last = 1, min(side - 2, 12)
    middle = (first + last) // 2
    if math.isnan(value):
        draw.line((left + first, top + first, left + last, top + last), _INK)
        draw.line((left + first, top + last, left + last, top + first), _INK)
        return
    draw.line((left + first, top + middle, left + last, top + middle), _INK)
    if value > 0:
        draw.line((left + middle, top + first, left + middle, top + last), _INK)
