"""Cells as a PNG with few colours: NumPy and zlib write it."""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np

from .cells import Grid
from .colors import THEMES, Theme, Tone, paint

_SHADES = 253  # and three more fit into the 256 of a palette


def png(
    cells: Grid,
    tone: Tone,
    cell: tuple[int, int],
    theme: Theme = "light",
    shades: int = _SHADES,
    frame: bool = False,
) -> bytes:
    """A PNG in which each cell takes ``cell`` (width, height) pixels.

    NaN is a ×, infinity a +, minus infinity a −, in ink on the card's colour. ``shades`` is odd, so that zero has one
    of its own; ``frame`` draws a line of one pixel round it all.
    """
    width, height = cell
    finite = np.isfinite(cells.values)
    fractions = np.clip(tone.fractions(np.where(finite, cells.values, 0.0)), -1.0, 1.0)
    card, ink, line = range(shades, shades + 3)
    colors = np.rint((fractions + 1.0) / 2.0 * (shades - 1)).astype(np.uint8)
    colors[~finite] = card
    pixels = colors.repeat(height, axis=0).repeat(width, axis=1)
    for row, column in np.argwhere(~finite).tolist():
        _sign(pixels[row * height :, column * width :], cells.values[row, column], min(width, height), ink)
    return _encoded(np.pad(pixels, int(frame), constant_values=line), _palette(theme, shades))


def _encoded(pixels: np.ndarray, palette: bytes) -> bytes:
    """Indexes of a palette as the bytes of a PNG."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(kind, data) for kind, data in parts.items()])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette(theme: Theme, shades: int) -> bytes:
    colors = paint(np.linspace(-1.0, 1.0, shades), theme).tobytes()
    return colors + b"".join([bytes.fromhex(THEMES[theme][name][1:]) for name in ("card", "ink", "frame")])


def _sign(pixels: np.ndarray, value: float, side: int, ink: int) -> None:
    """Draw the sign of a number that is not finite into the cell that begins at the upper left."""
    first, last = 1, min(side - 2, 12)
    middle, along = (first + last) // 2, np.arange(first, last + 1)
    if math.isnan(value):
        pixels[along, along] = pixels[along[::-1], along] = ink
        return
    pixels[middle, along] = ink
    if value > 0:
        pixels[along, middle] = ink
