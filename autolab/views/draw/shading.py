"""Numbers as colours in an SVG document, for each theme that it may have: as classes of shapes and as images."""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np

from .arrays import Grid
from .colors import ANY_PAGE, ON_ANY_PAGE, THEMES, Theme, Tone, color, ink_on, paint, rgb
from .escape import Markup, element, image_address
from .numbers import number
from .svg import Look, first_theme, new_scope, sheet, words_at

_SHADES = 253  # three more complete the 256 of a palette
_FEW = 31  # fewer colours make a smaller image
_SHARP = "@media all{{#{0} image[image-rendering]{{image-rendering:pixelated}}}}"
"""Browsers' name for it, in a media rule: typst knows the older name and ignores media rules."""

_Pair = tuple[float, float]


class Shading:
    """The colours of signed fractions in one document; with the look ``auto``, they follow the page that shows it.

    Parameters
    ----------
    look
        The look of the document.
    levels
        Number of shades on either side of zero.

    Examples
    --------
    >>> shading = Shading("auto")
    >>> shading.fill(-1.0), shading.fill(0.0), shading.fill(math.nan)
    ('k0', 'k126', 'card')
    """

    def __init__(self, look: Look, levels: int = _SHADES // 2) -> None:
        self.scope, self.levels, self._look = new_scope(), levels, look
        self._themes: tuple[Theme, ...] = ("light", "dark") if look == "auto" else (first_theme(look),)
        self._shades: set[int] = set()
        self._inks: set[int] = set()

    def sheet(self) -> Markup:
        """The style rules for everything drawn so far."""
        return sheet(self.scope, self._look, "", self._rules)

    def _rules(self, theme: Theme) -> str:
        fills = {n: color((n - self.levels) / self.levels, theme) for n in sorted(self._shades)}
        rules = [f".k{n}{{fill:{fill}}}" for n, fill in fills.items()]
        rules += [f".i{n}{{fill:{ink_on(fills[n])}}}" for n in sorted(self._inks)]
        rules += [f".{other}{{display:{'inline' if other == theme else 'none'}}}" for other in self._themes]
        return "\n".join(rules)

    def fill(self, fraction: float) -> str:
        """The class that gives a shape the colour of a fraction; that of the card if it is not finite."""
        if not math.isfinite(fraction):
            return "card"
        shade = round((max(-1.0, min(1.0, fraction)) + 1.0) * self.levels)
        self._shades.add(shade)
        return f"k{shade}"

    def cell(self, value: float, fraction: float, place: _Pair, size: _Pair) -> list[Markup]:
        """A cell with its number, or with the sign of a number that is not finite."""
        (x, y), (width, height) = place, size
        box = element("rect", class_=self.fill(fraction), x=x, y=y, width=width, height=height)
        return [box, words_at(x + width / 2, y + 21, number(value + 0.0), f"cell {self.ink(fraction)}".rstrip())]

    def ink(self, fraction: float) -> str:
        """The class of text that can be read on the colour of a fraction; empty on the card's own."""
        fill = self.fill(fraction)
        if fill == "card":
            return ""
        self._inks.add(int(fill[1:]))
        return f"i{fill[1:]}"

    def image(
        self, cells: Grid, tone: Tone, box: dict[str, float], cell: tuple[int, int] = (1, 1), smooth: bool = False
    ) -> Markup:
        """Cells as an image in a box, one for each theme; ``smooth`` interpolates between their colours.

        A cell takes one pixel, or ``cell`` (width, height) pixels if there are signs to draw.
        """
        pixels = _pixels(cells, tone, (1, 1) if np.isfinite(cells.values).all() else cell, _SHADES)
        how = {"preserveAspectRatio": "none", "image_rendering": None if smooth else "optimizeSpeed", **box}
        drawn = [(theme, image_address(_png(pixels, _palette(theme)))) for theme in self._themes]
        sharp = [] if smooth else [Markup(f"<style>{_SHARP.format(self.scope)}</style>")]
        return element("g", *sharp, *[element("image", class_=theme, href=href, **how) for theme, href in drawn])

    def ramp(self, ends: _Pair, box: dict[str, float], upright: bool = False) -> Markup:
        """The colours between two fractions, from left to right, or upwards if ``upright``."""
        row = np.linspace(*ends, 41)[None]
        return self.image(Grid(row[:, ::-1].T if upright else row, (1, 1), 1.0, ""), Tone(1.0), box, smooth=True)


def any_page_png(cells: Grid, tone: Tone, cell: tuple[int, int]) -> bytes:
    """A small PNG with a frame, for a page that may be light or dark: zero is transparent."""
    strength = np.abs(np.linspace(-1.0, 1.0, _FEW))
    below, above, ink = map(rgb, (*ON_ANY_PAGE, ANY_PAGE["ink"]))
    colors = np.array([below] * (_FEW // 2 + 1) + [above] * (_FEW // 2) + [ink] * 3, np.uint8)
    alphas = np.array([*np.rint(255 * strength), 0, 255, 255], np.uint8)
    return _png(np.pad(_pixels(cells, tone, cell, _FEW), 1, constant_values=_FEW + 2), colors, alphas)


def _pixels(cells: Grid, tone: Tone, cell: tuple[int, int], shades: int) -> np.ndarray:
    """Palette indices: the shades, one of which is zero's own, then the card, ink and the frame.

    NaN is a ×, infinity a +, minus infinity a −, in ink on the card.
    """
    width, height = cell
    finite = np.isfinite(cells.values)
    fractions = np.clip(tone.fractions(np.where(finite, cells.values, 0.0)), -1.0, 1.0)
    colors = np.rint((fractions + 1.0) / 2.0 * (shades - 1)).astype(np.uint8)
    colors[~finite] = shades
    pixels = colors.repeat(height, axis=0).repeat(width, axis=1)
    for row, column in np.argwhere(~finite).tolist():
        _sign(pixels[row * height :, column * width :], cells.values[row, column], min(width, height), shades + 1)
    return pixels


def _png(pixels: np.ndarray, palette: np.ndarray, alphas: np.ndarray | None = None) -> bytes:
    """The bytes of a PNG from palette indices; it contains only the colours in use."""
    used, pixels = np.unique(pixels, return_inverse=True)
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter type, 0 for none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette[used].tobytes()}
    parts |= {} if alphas is None else {b"tRNS": alphas[used].tobytes()}
    parts |= {b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(kind, data) for kind, data in parts.items()])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette(theme: Theme) -> np.ndarray:
    others = np.array([rgb(THEMES[theme][name]) for name in ("card", "ink")], np.uint8)
    return np.concatenate([paint(np.linspace(-1.0, 1.0, _SHADES), theme), others])


def _sign(pixels: np.ndarray, value: float, side: int, ink: int) -> None:
    """Draw the sign of a number that is not finite into the cell whose upper left corner is at the origin."""
    first, last = 1, min(side - 2, 12)
    middle, along = (first + last) // 2, np.arange(first, last + 1)
    if math.isnan(value):
        pixels[along, along] = pixels[along[::-1], along] = ink
        return
    pixels[middle, along] = ink
    if value > 0:
        pixels[along, middle] = ink
