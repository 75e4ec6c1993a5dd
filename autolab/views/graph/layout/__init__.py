"""Where the boxes of a graph stand and how the lines between them run: a layered layout from top to bottom.

1. Ranks: the longest path from above; sources are pulled down next to their first user.
2. Edges that skip ranks get a waypoint in each, so that they go around boxes; the edges of one box share them.
3. Order within ranks: depth-first from the outputs, so that operands stand as in the expression, then barycentre
   sweeps.
4. Horizontal positions: each box wants to stand below (above) the mean of its neighbours; isotonic regression (pool
   adjacent violators) finds the best positions in which nothing overlaps. Where results and leaves compete, leaves
   give way: otherwise a chain whose every step takes a weight would run diagonally.

Everything is iterative and deterministic. Sugiyama, Tagawa, Toda 1981; positions after Barlow and Brunk 1972.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from .columns import columns
from .crossings import ordered
from .ranks import Layered, Ports
from .routes import routes

__all__ = ["Layout", "layout"]


@dataclass(frozen=True)
class Layout:
    """Top-left corners of the boxes and one SVG path per edge, in the order in which they were given."""

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
) -> Layout:
    """Lay out boxes of the given sizes.

    Parameters
    ----------
    sizes
        Width and height of each box.
    edges
        Pairs ``(from, to)`` of box numbers with ``from < to``; a pair may come more than once.
    gap
        Free space between boxes in a rank, and between ranks.
    margin
        Free space around everything.
    ends
        So many of the first boxes are where lines come in at the upper edge, so many of the last ones where lines go
        out at the lower edge.
    ports
        For each edge how far from the left of their boxes it leaves and arrives; None where the layout may choose.
    """
    for source, target in edges:
        if not 0 <= source < target < len(sizes):
            raise ValueError(f"layout: got the edge ({source}, {target}), expected 0 <= from < to < {len(sizes)}")
    if not sizes:
        return Layout(2 * margin, 2 * margin, (), ())
    ports = ports or ((None, None),) * len(edges)
    graph = Layered(sizes, edges, ports, *ends)
    ranks = ordered(graph)
    x = columns(graph, ranks, gap[0], margin)
    bands = _bands(graph, gap[1], 0.0 if ends[0] else margin)
    corners = tuple(
        (round(x[i] - w / 2, 1), round(bands[graph.rank[i]][0] + (bands[graph.rank[i]][1] - h) / 2, 1))
        for i, (w, h) in enumerate(sizes)
    )
    width = max(centre + w / 2 for centre, w in zip(x, graph.widths, strict=True))  # lines past the boxes too
    top, height = bands[-1]
    paths = routes(graph, edges, ports, x, corners, bands)
    return Layout(round(width + margin, 1), round(top + height + (0.0 if ends[1] else margin), 1), corners, paths)


def _bands(graph: Layered, gap: float, top: float) -> list[tuple[float, float]]:
    """Top and height of each rank."""
    heights = [0.0] * (max(graph.rank) + 1)
    for i, (_, height) in enumerate(graph.sizes):
        heights[graph.rank[i]] = max(heights[graph.rank[i]], height)
    gaps = [gap] * (len(heights) - 1)
    if graph.entries and gaps:
        gaps[0] = gap * 0.75
    if graph.exits and gaps:
        gaps[-1] = gap / 2  # nothing but lines goes on from there
    tops = accumulate([top] + [height + gap for height, gap in zip(heights, gaps, strict=False)])
    return list(zip(tops, heights, strict=True))
