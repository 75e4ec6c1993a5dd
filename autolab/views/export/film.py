"""A walk as a film, moment by moment, as the live graph shows it: `.gif` by Pillow, `.mp4` by ffmpeg."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageColor

from ...recording.model import LEAVES, Recording
from ..draw import say
from ..draw.colors import THEMES
from ..draw.escape import Markup, element, escape
from ..draw.names import shorten, wrapped
from ..draw.shading import Shading
from ..draw.svg import Look, document, first_theme, sheet, words_at
from ..graph.cells_svg import LEGEND_HEIGHT, LEVELS, scale_legend
from ..graph.graph_svg import drawing
from ..graph.labels import results
from ..graph.layout.boxes import Direction
from ..graph.playback import Playback
from ..graph.readings import readings
from ..graph.scene import scene
from ..steps.moments import frame

# Pictures with their durations as the bytes of a film: `.gif` by Pillow, `.mp4` by ffmpeg.

RATE = 10
"""Frames per second while numbers move."""


def ffmpeg() -> str | None:
    """The path of ffmpeg, or of the one included in the package imageio-ffmpeg; None if there is none."""
    if (found := shutil.which("ffmpeg")) is not None:
        return found
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # it may have none for this machine
        return None


def as_gif(shots: list[tuple[Image.Image, int]], ground: str) -> bytes:
    """The bytes of a GIF with one palette, made from the exact background, the last picture and one in the middle."""
    shown, lengths = [image for image, _ in shots], [milliseconds for _, milliseconds in shots]
    both = Image.new("RGB", (shown[0].width, 2 * shown[0].height))
    both.paste(shown[-1], (0, 0))
    both.paste(shown[len(shown) // 2], (0, shown[0].height))
    palette = both.quantize(256, Image.Quantize.MAXCOVERAGE)
    pictures = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in shown]
    colors = np.array(palette.getpalette()).reshape(-1, 3)
    colors[np.asarray(pictures[0])[0, 0]] = ImageColor.getrgb(ground)
    for picture in pictures:
        picture.putpalette(colors.ravel().tolist())
    first, *others = pictures
    out = io.BytesIO()
    first.save(out, "GIF", save_all=True, append_images=others, duration=lengths, loop=0, optimize=False)
    return out.getvalue()


def as_mp4(shots: list[tuple[Image.Image, int]], writer: str) -> bytes:
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]  # formats that every player supports
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "walk.mp4")
        command = [writer, "-loglevel", "error", "-f", "image2pipe", "-framerate", str(RATE), "-i", "-", *even, path]
        pictures = b"".join([_png(image) * max(1, round(ms * RATE / 1000)) for image, ms in shots])
        subprocess.run(command, input=pictures, check=True, capture_output=True)
        return Path(path).read_bytes()


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


WIDTH = 1280
"""The width in pixels."""

MOST_MOMENTS = 400
_TRAVEL, _STAY, _END = 600, 500, 3000  # milliseconds: along a line, for a calculation at a box, for the last picture
_PACE, _LONGEST = 1500, 90_000  # milliseconds per moment, and of the whole film; a longer film is sped up
_HURRIED = 700  # a shorter moment has no time for moving numbers

_TITLE, _EDGE, _LINE, _LETTER = 56.0, 24.0, 36.0, 13.6  # pixels: for the text above and below the graph
_LEAST, _WIDE = 640.0, 1.7  # units across, and times the height of the graph: all is as high as a screen at most
_ARRAY = "\N{SQUARE WITH ORTHOGONAL CROSSHATCH FILL}"  # travels for the elements of an array
_AT_ONCE, _LONG = 8, 9

_SHAPES = """
.lit{fill:none;stroke-width:4}
.way{fill:none;stroke-width:3}
.runs{font-size:17px;font-weight:600;text-anchor:middle;paint-order:stroke;stroke-width:6px;stroke-linejoin:round}
.sentence{font:26px system-ui,'DejaVu Sans',sans-serif}
.headline{font-size:26px;font-weight:700}
"""

Drawn = Callable[[str, float], bytes]
"""Draws an SVG as a PNG, with this many pixels per unit."""


Still = tuple[Markup, float]
"""A picture of the film, and its duration in milliseconds."""


class Traveller(NamedTuple):
    """A moving number, or a calculation at a box."""

    text: str
    x: float
    y: float
    back: bool = True


class _Film:
    """The pictures of a recording's walk."""

    def __init__(self, walk: Playback, look: Look, direction: Direction, opened: Collection[int] | None) -> None:
        recording, outline = walk.recording, walk.recording.outline
        opened = outline.at_first() if opened is None else outline.groups.keys() & opened
        self.walk, self.look = walk, look
        ways: list[Direction] = ["down", "right"] if direction == "auto" else [direction]
        self.scene = min([scene(recording, opened, direction=way) for way in ways], key=_width)
        self.readings = readings(recording, opened)
        self.holders = outline.holders(frozenset(opened))
        self.times = self.walk.times(self.holders, results(recording, frozenset(opened)))
        self.boxes = {node["id"]: node for node in self.scene["nodes"]}
        self.frames = [frame(self.walk, k, self.holders) for k in range(len(self.walk))]
        self.width = _width(self.scene)
        self.pixel = self.width / WIDTH
        self.left = (self.width - self.scene["width"]) / 2
        said = [self._lines(told) for told in self.frames]
        self.rows = max(map(len, said), default=0)

    def _lines(self, told: dict[str, Any]) -> list[str]:
        return wrapped(told["spoken"], int((WIDTH - 2 * _EDGE) / _LETTER))

    def pictures(self) -> Iterator[Still]:
        pace = min(_PACE, _LONGEST / len(self.frames))
        for before, told in zip([self.frames[0], *self.frames], self.frames, strict=False):
            moving = list(self._moving(told)) if pace >= _HURRIED else []
            for labels, milliseconds in moving:
                yield self._draw(told, labels, before), milliseconds  # moving numbers have not arrived yet
            yield self._draw(told), max(pace - sum([ms for _, ms in moving]), pace / 2)
        yield self._draw(None), _END

    # ------------------------------------------------------------------ moving parts

    def _moving(self, told: dict[str, Any]) -> Iterator[tuple[list[Traveller], float]]:
        """Values move into the box that is computed from them; a share is multiplied, moves back, and is added."""
        if told["edge"]:
            yield from self._share(told)
        elif not told["backward"]:
            lit = told["nodes"]
            edges = [edge for edge in self.scene["edges"] if edge["to"] in lit and edge["from"] not in lit]
            texts = [self.readings["nodes"][str(edge["from"])]["value"] or "" for edge in edges[:_AT_ONCE]]
            short = [text if text and "…" not in text and len(text) < _LONG else _ARRAY for text in texts]
            yield from _travels([edge["path"] for edge in edges], short, back=False)

    def _share(self, told: dict[str, Any]) -> Iterator[tuple[list[Traveller], float]]:
        edge, lines = told["edge"], told["lines"]
        sender, target = self.boxes[edge["to"]], self.boxes[edge["from"]]
        texts = [_ARRAY if line["array"] else line["text"] for line in lines]
        equals = next((i for i, line in enumerate(lines) if line["sign"] == "="), None)
        share = _ARRAY if not texts else texts[-1 if equals is None else equals]
        if equals == 2 and texts[0] != _ARRAY:
            product = f"{texts[0]} × {texts[1]} = {share}"
            yield [Traveller(product, sender["x"] + sender["w"] / 2, sender["y"] - 12)], _STAY
        yield from _travels(self._ways(edge), [share], back=True)
        if equals is not None and len(lines) == equals + 3 and share != _ARRAY:
            total = f"{texts[equals + 1]} + {share} = {texts[equals + 2]}"
            yield [Traveller(total, target["x"] + target["w"] / 2, target["y"] + target["h"] + 14)], _STAY

    def _ways(self, edge: dict[str, int]) -> list[str]:
        """The line of an edge; none within a box of several steps."""
        ends = edge["from"], edge["to"]
        lines = [line["path"] for line in self.scene["edges"] if (line["from"], line["to"]) == ends]
        return lines[edge["nth"] :][:1] or lines[-1:]

    # ------------------------------------------------------------------ what does not move
    def _draw(
        self, told: dict[str, Any] | None, labels: Iterable[Traveller] = (), known: dict[str, Any] | None = None
    ) -> Markup:
        shading = Shading(self.look, LEVELS)
        lit = [] if told is None else self._lit(told)
        body = drawing(self.scene, self._known(known or told), shading, lit=lit)
        runs = [words_at(one.x, one.y + 5, one.text, "runs back" if one.back else "runs") for one in labels]
        top = _TITLE * self.pixel
        bar = scale_legend(self.readings["scale"], top + self.scene["height"], shading)
        below = (top + self.scene["height"] + (LEGEND_HEIGHT if bar else 0.0)) / self.pixel
        height = (below + _LINE * (self.rows + 1.5)) * self.pixel
        last = self.frames[-1] if told is None else told
        lines = [
            words_at(_EDGE, below + _LINE * (1.6 + i), line, "sentence") for i, line in enumerate(self._lines(last))
        ]
        title = words_at(_EDGE, 36.0, shorten(self.scene["title"], int(WIDTH / 16) - 3), "headline")
        parts = [
            element("g", *body, *runs, transform=f"translate({self.left:.1f} {top:.1f})"),
            *bar,
            element("g", title, *self._player(last["k"], below + 12.0), *lines, transform=f"scale({self.pixel:.4f})"),
        ]
        words = self.scene["description"]
        sheets = [shading.sheet(), sheet(shading.scope, self.look, _SHAPES, _colors)]
        size = (self.width, height)
        return document(parts, size, self.scene["title"], words, self.look, scope=shading.scope, sheets=sheets)

    def _known(self, told: dict[str, Any] | None) -> dict[str, Any]:
        """The numbers that are known at a moment: nothing too early, and growing sums marked as such."""
        if told is None:
            return self.readings
        nodes = {box: self._at(told, box, node) for box, node in self.readings["nodes"].items()}
        return {**self.readings, "nodes": nodes}

    def _at(self, told: dict[str, Any], box: str, node: dict[str, Any]) -> dict[str, Any]:
        times, k = self.times.get(box), told["k"]
        if times is None or times["known"] is None:
            return node
        found, first, last = dict(node), times["first"], times["last"]
        if k < times["known"]:
            found |= {"value": None, "value_cells": None, "value_note": say("not_yet")}
        if growing := told["growing"].get(box):
            shares = f"{growing['arrived']} of {growing['of']} shares"
            return found | {"grad": growing["grad"], "grad_cells": growing["cells"], "shares": shares}
        if last is None or k < last:
            note = "" if not told["backward"] else say("absent" if first is None else "not_yet")
            found |= {"grad": None, "grad_cells": None, "grad_note": note}
        return found

    def _lit(self, told: dict[str, Any]) -> list[Markup]:
        """The boxes and lines that a moment is about."""
        color = " back" if told["backward"] else ""
        frames = [_frame(self.boxes[box], f"lit{color}") for box in told["nodes"] if box in self.boxes]
        ways = self._ways(told["edge"]) if told["edge"] else []
        return [*frames, *[element("path", class_=f"way{color}", d=Markup(way)) for way in ways]]

    def _player(self, k: int, y: float) -> list[Markup]:
        """The progress of the walk: the forward pass in ink, the backward pass in the colour of gradients."""
        wide, count = WIDTH - 2 * _EDGE, len(self.frames)
        turn, here = min(self.walk.start, 1 + k) / count, (1 + k) / count
        places = [("track", 0.0, 1.0), ("done", 0.0, turn), ("done back", turn, max(turn, here))]
        return [
            element("rect", class_=style, x=_EDGE + wide * left, y=y, width=wide * (right - left), height=8, rx=4)
            for style, left, right in places
        ]


def _width(picture: Mapping[str, Any]) -> float:
    return max(picture["width"], _LEAST, _WIDE * picture["height"])


def _frame(node: Mapping[str, Any], style: str) -> Markup:
    """The outline of a box, with rounder corners for an input, and around all of a group drawn as a pile."""
    more = 9 if node["group"] else 4
    size = {"x": node["x"] - 2, "y": node["y"] - 2, "width": node["w"] + more, "height": node["h"] + more}
    return element("rect", class_=style, rx=18 if node["kind"] in LEAVES else 11, **size)


def _colors(theme: Any) -> str:
    color = THEMES[theme]
    return (
        f".lit,.way{{stroke:{color['strong']}}}\n.lit.back,.way.back{{stroke:{color['gradient']}}}\n"
        f".runs{{fill:{color['ink']};stroke:{color['card']}}}\n.runs.back{{fill:{color['gradient']}}}\n"
        f".sentence{{fill:{color['ink']}}}\n.track{{fill:{color['table']}}}\n"
        f".done{{fill:{color['strong']}}}\n.done.back{{fill:{color['gradient']}}}\n"
    )


def _travels(paths: Collection[str], texts: list[str], back: bool) -> Iterator[tuple[list[Traveller], float]]:
    """Texts that move along their lines side by side, faster in the middle."""
    lines = [_points(path) for path in paths][: len(texts)]
    if not lines:
        return
    count = _TRAVEL * RATE // 1000
    for part in np.linspace(0.0, 1.0, count):
        eased = 4 * part**3 if part < 0.5 else 1 - (2 - 2 * part) ** 3 / 2
        at = [_along(line, 1 - eased if back else eased) for line in lines]
        yield [Traveller(text, x, y, back) for text, (x, y) in zip(texts, at, strict=True)], _TRAVEL / count


def _points(path: str) -> np.ndarray:
    """A line of the graph as closely spaced points; its path consists of moves, straight pieces and cubic ones."""
    points: list[np.ndarray] = []
    for letter, numbers in re.findall(r"([MLHVC])([^MLHVC]*)", path):
        given = [float(text) for text in re.findall(r"-?[\d.]+", numbers)]
        if letter in "HV":
            x, y = points[-1]
            points += [np.array([at, y] if letter == "H" else [x, at]) for at in given]
            continue
        pairs = np.array(given).reshape(-1, 2)
        if letter != "C":
            points += list(pairs)
            continue
        for first, second, end in pairs.reshape(-1, 3, 2):
            start = points[-1]
            for t in np.linspace(0.1, 1.0, 10):
                u = 1 - t
                points.append(u**3 * start + 3 * u * u * t * first + 3 * u * t * t * second + t**3 * end)
    return np.array(points)


def _along(points: np.ndarray, part: float) -> tuple[float, float]:
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    x, y = [float(np.interp(part * lengths[-1], lengths, points[:, i])) for i in range(2)]
    return x, y


def film(
    recording: Recording, target: Path, look: Look, direction: Direction, opened: Collection[int] | None, drawn: Drawn
) -> bytes:
    """The walk through a recording, as the bytes of a file."""
    walk, kind = Playback(recording), target.suffix.lower()
    if not 0 < len(walk) <= MOST_MOMENTS:
        raise ValueError(say("long_film", path=escape(target), count=len(walk), most=MOST_MOMENTS))
    writer = ffmpeg() if kind == ".mp4" else None
    if kind == ".mp4" and writer is None:
        raise RuntimeError(say("no_ffmpeg", path=escape(target)))
    still = first_theme(look)
    made = _Film(walk, still, direction, opened)
    shots = [(_pixels(made, drawn, svg), round(milliseconds / 10) * 10) for svg, milliseconds in made.pictures()]
    return as_gif(shots, THEMES[still]["card"]) if writer is None else as_mp4(shots, writer)


def _pixels(made: _Film, drawn: Drawn, svg: str) -> Image.Image:
    shown = Image.open(io.BytesIO(drawn(svg, WIDTH / made.width))).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", shown.size, THEMES[made.look]["card"]), shown).convert("RGB")
