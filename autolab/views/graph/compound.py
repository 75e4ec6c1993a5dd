"""Open groups as frames: each is laid out separately and is one large box in the layout around it.

A line that crosses frames is drawn in pieces: in each layout on its way, from one entry or exit point to the next.
Frames therefore never overlap boxes outside them.

Everything here runs down. A picture that runs to the right is laid out downwards, with widths and heights exchanged,
and finally reflected across its diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from ...recording.outline import Group, Outline
from .layout.boxes import Layout, layout
from .layout.columns_and_lines import joined, moved, tenth, turned_path
from .layout.ranks import BUNDLED

MARGIN = 16.0
GAP_DOWN, GAP_RIGHT = (24.0, 22.0), (30.0, 46.0)
GAP_OF_PLAN = (20.0, 20.0)
"""Space between boxes side by side, and between consecutive ranks."""

WIDEST = 800.0
"""Blocks of a plan that are wider than this side by side are split into rows: with their frames they then fit on a
laptop's screen, beside the source."""

TAB = 28.0
"""Height of a frame's label at its upper edge; lines pass beside it, vertically."""

_FRAME_MARGIN = 18.0
_BESIDE = 4.0  # from a frame's label to the first line that enters beside it

Size = tuple[float, float]


@dataclass(frozen=True)
class SceneEdge:
    """A line from one box to another, given by their ids."""

    source: int
    target: int


@dataclass(frozen=True)
class OpenGroup:
    """The position of an open group."""

    group: Group
    depth: int
    x: float
    y: float
    w: float
    h: float


@dataclass
class Arranged:
    """The positions of everything: corners of boxes by id, frames from the outside in, and a path per edge."""

    width: float
    height: float
    corners: dict[int, tuple[float, float]]
    frames: list[OpenGroup]
    paths: list[str]


def arrange(
    outline: Outline,
    expanded: Collection[int],
    sizes: Mapping[int, Size],
    edges: Sequence[SceneEdge],
    label_width: Callable[[Group], float],
    right: bool = False,
    tallest: float = inf,
) -> Arranged:
    """Lay out boxes of the given sizes, with frames around those of the ``expanded`` groups, down or to the right; what
    is higher than ``tallest`` goes on at the top.
    """
    if right:
        sizes = {identity: (height, width) for identity, (width, height) in sizes.items()}
    pieces = _Pieces(outline, edges)
    whole = _Level(None, _Whole(outline, expanded, sizes, pieces.of_level, label_width, right, tallest))
    arranged = Arranged(whole.width, whole.height, {}, [], [])
    whole.place(0.0, 0.0, -1, arranged)
    arranged.paths = [joined([piece.path for piece in way]) for way in pieces.ways]
    return _turned(arranged) if right else arranged


def _turned(placed: Arranged) -> Arranged:
    """Reflect the picture across its diagonal: what ran down runs to the right."""
    corners = {identity: (y, x) for identity, (x, y) in placed.corners.items()}
    frames = [OpenGroup(f.group, f.depth, f.y, f.x, f.h, f.w) for f in placed.frames]
    return Arranged(placed.height, placed.width, corners, frames, [turned_path(path) for path in placed.paths])


@dataclass
class _Piece:
    """A line within one level, from box or frame to box or frame; None is the edge of the level itself.

    ``value`` is the box where the whole line begins: all lines from one box cross the edge of a frame at the same
    point. If many lines leave a frame for the same box, ``value`` is that frame.
    """

    source: int | None
    target: int | None
    value: int
    path: str = ""


class _Pieces:
    """All edges, cut at the edges of frames: by level, and in order along each edge."""

    def __init__(self, outline: Outline, edges: Sequence[SceneEdge]) -> None:
        self.of_level: dict[int | None, list[_Piece]] = {}
        self.ways: list[list[_Piece]] = []
        self._shared: dict[tuple[int | None, int | None, int | None, int], _Piece] = {}
        self._joining = _joining(outline, edges)
        for edge in edges:
            left, entered = outline.around(edge.source), outline.around(edge.target)
            around: int | None
            around = None
            while left and entered and left[0] == entered[0]:
                around = left.pop(0)
                del entered[0]
            self.ways.append(list(self._cut(edge, left[::-1], entered, around)))

    def _cut(self, edge: SceneEdge, left: list[int], entered: list[int], around: int | None) -> Iterator[_Piece]:
        source: int | None = edge.source
        value = next((frame for frame in left[::-1] if frame in self._joining), edge.source)
        for frame in left:
            yield self._piece(frame, source, None, value, shared=True)
            source = frame
        for level, target in zip([around, *entered], [*entered, edge.target], strict=True):
            yield self._piece(level, source, target, value, shared=target != edge.target or value != edge.source)
            source = None

    def _piece(self, level: int | None, source: int | None, target: int | None, value: int, shared: bool) -> _Piece:
        key = (level, source, target, value)
        if shared and key in self._shared:
            return self._shared[key]
        piece = _Piece(source, target, value)
        self.of_level.setdefault(level, []).append(piece)
        if shared:
            self._shared[key] = piece
        return piece


def _joining(outline: Outline, edges: Sequence[SceneEdge]) -> set[int]:
    """Frames that many lines leave, all for the same box: the parts of a whole, such as attention heads."""
    leaving: dict[int, list[SceneEdge]] = {}
    for edge in edges:
        for frame in set(outline.around(edge.source)).difference(outline.around(edge.target)):
            leaving.setdefault(frame, []).append(edge)
    return {
        f for f, all in leaving.items() if len({e.source for e in all}) >= BUNDLED and len({e.target for e in all}) == 1
    }


class _Whole(NamedTuple):
    """The data that all levels of a picture share."""

    outline: Outline
    expanded: Collection[int]
    sizes: Mapping[int, Size]
    pieces: Mapping[int | None, list[_Piece]]
    label_width: Callable[[Group], float]
    right: bool
    tallest: float


class _Level:
    """One layout: of the whole picture, or of the inside of a frame."""

    def __init__(self, group: Group | None, whole: _Whole) -> None:
        self.group, self._whole = group, whole
        place, items = (None, whole.outline.items) if group is None else (group.id, group.items)
        is_plan = not whole.right and place in whole.outline.levels_of_blocks
        self._gap, self._widest = (GAP_OF_PLAN, WIDEST) if is_plan else (GAP_RIGHT if whole.right else GAP_DOWN, inf)
        opened = [item for item in items if isinstance(item, Group) and item.id in whole.expanded]
        self._inner = {item.id: _Level(item, whole) for item in opened}
        self._items = [item.id for item in items]
        self._pieces = whole.pieces.get(place, [])
        self._entries = _numbered(piece.value for piece in self._pieces if piece.source is None)
        self._exits = _numbered(piece.value for piece in self._pieces if piece.target is None)
        self._layout = self._laid_out([self._size(i) for i in self._items])
        self.width, self.height = self._layout.width, self._layout.height
        self._right = self._down = 0.0
        if group is not None:
            (self._beside_label if whole.right else self._below_label)(whole.label_width(group))

    def _below_label(self, label: float) -> None:
        """Reserve space for the label at the upper edge; lines enter to the right of it."""
        if self._entries:
            first = min([x for x, _ in self._layout.corners[: len(self._entries)]])
            self._right = max(0.0, label + _BESIDE - first)
            self.width = max(self.width + self._right, label)
            return
        self._right = max(0.0, float(int(label - self.width) // 2))
        self.width = max(self.width, label)
        self._down = TAB
        self.height += TAB

    def _beside_label(self, label: float) -> None:
        """The same for a picture that will be reflected, in which the label's edge is here the left one."""
        self._right = TAB
        self.width += TAB
        self.height = max(self.height, label)

    def _size(self, identity: int) -> Size:
        inner = self._inner.get(identity)
        return self._whole.sizes[identity] if inner is None else (inner.width, inner.height)

    def _laid_out(self, sizes: list[Size]) -> Layout:
        first = len(self._entries)
        place = {identity: first + k for k, identity in enumerate(self._items)}
        last = first + len(self._items)
        edges, ports = [], []
        for piece in self._pieces:
            source = self._entries[piece.value] if piece.source is None else place[piece.source]
            target = last + self._exits[piece.value] if piece.target is None else place[piece.target]
            edges.append((source, target))
            ports.append((self._port(piece.source, piece.value, 1), self._port(piece.target, piece.value, 0)))
        return layout(
            ((0.0, 0.0 if self._whole.right else TAB),) * first + tuple(sizes) + ((0.0, 0.0),) * len(self._exits),
            tuple(edges),
            gap=self._gap,
            margin=MARGIN if self.group is None else _FRAME_MARGIN,
            ends=(first, len(self._exits)),
            ports=tuple(ports),
            widest=self._widest,
            tallest=self._whole.tallest,
        )

    def _port(self, identity: int | None, value: int, end: int) -> float | None:
        """The position where the lines of ``value`` cross the edge of an inner frame."""
        inner = None if identity is None else self._inner.get(identity)
        return None if inner is None else inner.crossing(value, end)

    def crossing(self, value: int, end: int) -> float:
        """The distance from the left edge at which the lines of ``value`` enter (``end`` 0) or leave (1)."""
        count = len(self._layout.corners)
        number = self._entries[value] if end == 0 else count - len(self._exits) + self._exits[value]
        return self._layout.corners[number][0] + self._right

    def place(self, x: float, y: float, depth: int, into: Arranged) -> None:
        """Store the positions of everything in ``into``, with the level's own corner at (x, y)."""
        if self.group is not None:
            into.frames.append(OpenGroup(self.group, depth, x, y, self.width, self.height))
        x, y = x + self._right, y + self._down
        corners = self._layout.corners[len(self._entries) :]
        for identity, (left, top) in zip(self._items, corners, strict=False):
            if identity in self._inner:
                self._inner[identity].place(x + left, y + top, depth + 1, into)
            else:
                into.corners[identity] = (x + left, y + top)
        end = tenth(y + self.height - self._down)
        for piece, path in zip(self._pieces, self._layout.paths, strict=True):
            piece.path = moved(path, x, y) + (f"V{end}" if piece.target is None else "")


def _numbered(values: Iterable[int]) -> dict[int, int]:
    return {value: number for number, value in enumerate(dict.fromkeys(values))}
