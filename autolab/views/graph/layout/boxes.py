"""Positions of the boxes of a graph and paths of the lines between them: a layered layout from top to bottom, and the
decision whether to turn it, so that the graph runs to the right as time does.

1. Ranks: the longest path from the top; sources are moved down next to their first user. A rank that is too wide is
   split into rows, and ranks that are too high go on at the top (`snake`).
2. Edges that skip ranks get a waypoint in each, so that they go around boxes; the edges of one box share them.
3. Order within ranks: depth-first from the outputs, so that operands are in the order of the expression, then
   barycentre sweeps.
4. Horizontal positions: each box is drawn to the mean position of its neighbours above (below); isotonic regression
   (pool adjacent violators) finds the best positions without overlaps. Where results and leaves compete, leaves give
   way: otherwise a chain in which every step uses a weight would run diagonally.

The algorithm is iterative and deterministic. Sugiyama, Tagawa, Toda 1981; positions after Barlow and Brunk 1972.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import inf
from typing import Literal, get_args

from ....recording.model import LEAVES, Recording, Step
from ....recording.outline import Group, Item
from ...draw import say
from .columns_and_lines import columns, routes
from .ranks import Layered, Ports, ordered
from .snake import snake

__all__ = ["DIRECTIONS", "Direction", "Layout", "direction_of", "layout"]

Direction = Literal["auto", "down", "right"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

LONG = 20
"""A narrow graph whose longest chain has at least this many steps runs to the right."""


@dataclass(frozen=True)
class Layout:
    """Top-left corners of the boxes and one SVG path per edge, both in the given order."""

    width: float
    height: float
    corners: tuple[tuple[float, float], ...]
    paths: tuple[str, ...]


@lru_cache(maxsize=256)
def layout(
    sizes: tuple[tuple[float, float], ...],
    edges: tuple[tuple[int, int], ...],
    gap: tuple[float, float] = (28.0, 46.0),
    margin: float = 0.0,
    ends: tuple[int, int] = (0, 0),
    ports: tuple[Ports, ...] = (),
    widest: float = inf,
    tallest: float = inf,
) -> Layout:
    """Lay out boxes of the given sizes.

    Parameters
    ----------
    sizes
        Width and height of each box.
    edges
        Pairs ``(from, to)`` of box numbers with ``from < to``; a pair may occur more than once.
    gap
        Space between boxes in a rank, and between ranks.
    margin
        Space around everything.
    ends
        The number of first boxes that are entry points of lines at the upper edge, and of last boxes that are exit
        points at the lower edge.
    ports
        For each edge, the distances from the left of its boxes at which it leaves and arrives; None to let the layout
        choose.
    widest
        Boxes side by side that are wider than this in total are split into rows.
    tallest
        Ranks that are higher than this in total go on at the top, beside those before them.
    """
    for source, target in edges:
        if not 0 <= source < target < len(sizes):
            raise ValueError(f"layout: got the edge ({source}, {target}), expected 0 <= from < to < {len(sizes)}")
    if not sizes:
        return Layout(2 * margin, 2 * margin, (), ())
    graph = Layered(sizes, edges, ports or None, *ends, gap[0], widest)
    ranks = ordered(graph)
    x = columns(graph, ranks, gap[0], margin)
    bands = _bands(graph, gap[1], 0.0 if ends[0] else margin)
    turns = snake(graph, x, bands, ends, gap[1], tallest)
    corners = tuple(
        (round(x[i] - w / 2, 1), round(bands[graph.rank[i]][0] + (bands[graph.rank[i]][1] - h) / 2, 1))
        for i, (w, h) in enumerate(sizes)
    )
    width = max(centre + w / 2 for centre, w in zip(x, graph.widths, strict=True))  # including lines past the boxes
    paths = routes(graph, x, corners, bands, turns)
    height = max(map(sum, bands)) + (turns.room if turns else 0.0)
    return Layout(round(width + margin, 1), round(height + (0.0 if ends[1] else margin), 1), corners, paths)


def _bands(graph: Layered, gap: float, top: float) -> list[tuple[float, float]]:
    """The top and the height of each rank."""
    heights = [0.0] * (max(graph.rank) + 1)
    for i, (_, height) in enumerate(graph.sizes):
        heights[graph.rank[i]] = max(heights[graph.rank[i]], height)
    gaps = [gap] * (len(heights) - 1)
    if graph.entries and gaps:
        gaps[0] = gap * 0.75
    if graph.exits and gaps:
        gaps[-1] = gap / 2  # only lines go on from there
    tops = accumulate([top] + [height + gap for height, gap in zip(heights, gaps, strict=False)])
    return list(zip(tops, heights, strict=True))


def direction_of(recording: Recording, wanted: Direction = "auto") -> Literal["down", "right"]:
    """The direction of a recording's graph: the ``wanted`` one, or by its shape.

    By shape, a graph runs to the right if a loop passes a value on from one pass to the next, however many passes it
    has, or if it is one long chain: the longest chain has at least `LONG` steps, and the average number of steps side
    by side is at most half as large. Every other graph runs down. So do the graphs of derivatives, which are shown side
    by side, and a plan of links or modules, which then fits. The rule depends only on the program, never on its numbers
    or on which groups are open.

    Raises
    ------
    ValueError
        If there is no such direction.
    """
    if wanted not in DIRECTIONS:
        raise ValueError(say("unknown_direction", wanted=repr(wanted)[:60], expected=", ".join(DIRECTIONS)))
    if wanted != "auto":
        return wanted
    if recording.order or (recording.outline.is_plan and any([scope.kind == "link" for scope in recording.scopes])):
        return "down"
    return "right" if _hands_on(recording.outline.items) or _is_long(recording.steps) else "down"


def _hands_on(items: tuple[Item, ...]) -> bool:
    """Whether a pass of some loop uses a value from the pass before."""
    groups = [item for item in items if isinstance(item, Group)]
    before: set[int] = set()
    for one in _passes(groups):
        steps = {step.id for step in one.steps}
        if any([use.step in before for step in one.steps for use in step.operands]):
            return True
        before = steps
    return any([_hands_on(group.items) for group in groups])


def _passes(groups: list[Group]) -> Iterator[Group]:
    """Consecutive passes, including those within runs."""
    for group in groups:
        if group.kind == "pass":
            yield group
        elif group.kind == "run":
            yield from _passes([item for item in group.items if isinstance(item, Group)])


def _is_long(steps: tuple[Step, ...]) -> bool:
    depth: dict[int, int] = {}
    calls = 0
    for step in steps:
        is_call = step.kind not in LEAVES
        calls += is_call
        above = [depth[use.step] for use in step.operands if use.step is not None]
        depth[step.id] = max(above, default=0) + is_call
    longest = max(depth.values(), default=0)
    return longest >= LONG and longest**2 >= 2 * calls
