"""Where the boxes of a graph stand and how the lines between them run: a layered layout from top to bottom.

1. Ranks: the longest path from above; sources are pulled down next to their first user.
2. Edges that skip a few ranks get a waypoint in each, so that they go around boxes; longer ones are a single curve.
3. Order within ranks: depth-first from the outputs, so that operands stand as in the expression, then barycentre
   sweeps.
4. Horizontal positions: each box wants to stand below (above) the mean of its neighbours; isotonic regression (pool
   adjacent violators) finds the best positions in which nothing overlaps. Where results and leaves compete, leaves
   give way: otherwise a chain whose every step takes a weight would run diagonally.

Everything is iterative and deterministic. Sugiyama, Tagawa, Toda 1981; positions after Barlow and Brunk 1972.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from .crossings import ordered

MAX_WAYPOINT_SPAN = 6
_WAYPOINT_WIDTH = 10.0
_WAYPOINT_WEIGHT = 4.0
_LEAF_WEIGHT = 1e-6
_ROUNDS = 4


@dataclass(frozen=True)
class Layout:
    """Top-left corners of the boxes and one SVG path per edge, in the order in which they were given."""

    width: float
    height: float
    corners: tuple[tuple[float, float], ...]
    paths: tuple[str, ...]


@lru_cache(maxsize=32)
def layout(
    sizes: tuple[tuple[float, float], ...],
    edges: tuple[tuple[int, int], ...],
    gap: tuple[float, float] = (28.0, 46.0),
    margin: float = 0.0,
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
    """
    for source, target in edges:
        if not 0 <= source < target < len(sizes):
            raise ValueError(f"layout: got the edge ({source}, {target}), expected 0 <= from < to < {len(sizes)}")
    if not sizes:
        return Layout(2 * margin, 2 * margin, (), ())
    graph = _Layered(sizes, edges)
    x = _columns(graph, gap[0], margin)
    bands = _bands(graph, gap[1], margin)
    corners = tuple(
        (round(x[i] - w / 2, 1), round(bands[graph.rank[i]][0] + (bands[graph.rank[i]][1] - h) / 2, 1))
        for i, (w, h) in enumerate(sizes)
    )
    width = max(left + w for (left, _), (w, _) in zip(corners, sizes, strict=True))
    top, height = bands[-1]
    paths = _paths(graph, edges, x, corners, bands)
    return Layout(round(width + margin, 1), round(top + height + margin, 1), corners, paths)


class _Layered:
    """The graph with ranks and waypoints; numbers from ``len(sizes)`` on are waypoints."""

    def __init__(self, sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> None:
        self.sizes = sizes
        self.rank = _ranks(len(sizes), edges)
        self.widths = [w for w, _ in sizes]
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.waypoints: dict[tuple[int, int], list[int]] = {}
        for edge in dict.fromkeys(edges):
            self._thread(*edge)
        self.ranks = ordered(self.rank, self.above, self.below)
        self.weights = self._weights()

    def _weights(self) -> list[float]:
        """How strongly each node insists on its position."""
        boxes = [float(len(a) + len(b)) if a else _LEAF_WEIGHT for a, b in zip(self.above, self.below, strict=True)]
        return boxes[: len(self.sizes)] + [_WAYPOINT_WEIGHT] * (len(boxes) - len(self.sizes))

    def without_leaves(self) -> list[list[int]]:
        """For each node the nodes above it that have something above them, or all if there is none."""
        return [[n for n in near if self.above[n]] or near for near in self.above]

    def _thread(self, source: int, target: int) -> None:
        """Connect two boxes, through waypoints where the edge skips a few ranks."""
        span = self.rank[target] - self.rank[source]
        chain = [source]
        if 1 < span <= MAX_WAYPOINT_SPAN:
            for step in range(1, span):
                chain.append(len(self.rank))
                self.rank.append(self.rank[source] + step)
                self.widths.append(_WAYPOINT_WIDTH)
                self.above.append([])
                self.below.append([])
        chain.append(target)
        self.waypoints[source, target] = chain[1:-1]
        if span <= MAX_WAYPOINT_SPAN:
            for upper, lower in pairwise(chain):
                self.below[upper].append(lower)
                self.above[lower].append(upper)


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    rank = [0] * count
    nearest = [count] * count
    has_source = [False] * count
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        rank[target] = max(rank[target], rank[source] + 1)
        has_source[target] = True
    for source, target in edges:
        nearest[source] = min(nearest[source], rank[target] - 1)
    pulled = [r if fed or near == count else near for r, fed, near in zip(rank, has_source, nearest, strict=True)]
    lowest = min(pulled)
    return [r - lowest for r in pulled]


def _columns(graph: _Layered, gap: float, margin: float) -> list[float]:
    """Horizontal centres: sweeps down and up, each rank as near to its neighbours as its order allows."""
    x = [0.0] * len(graph.rank)
    offsets = []
    for rank in graph.ranks:
        steps = [0.0] + [(graph.widths[a] + graph.widths[b]) / 2 + gap for a, b in pairwise(rank)]
        offsets.append(list(accumulate(steps)))
        for node, distance in zip(rank, offsets[-1], strict=True):
            x[node] = distance - offsets[-1][-1] / 2
    rows = list(zip(graph.ranks, offsets, strict=True))
    above = graph.without_leaves()
    both = [a + b for a, b in zip(above, graph.below, strict=True)]
    passes = [(rows, above), (rows[::-1], graph.below)] * _ROUNDS + [(rows, both)]
    for sweep, neighbours in passes:
        for rank, offset in sweep:
            _place(rank, offset, neighbours, graph.weights, x)
    left = min(x[i] - w / 2 for i, w in enumerate(graph.widths)) - margin
    return [centre - left for centre in x]


def _place(
    rank: list[int], offsets: list[float], neighbours: list[list[int]], firmness: list[float], x: list[float]
) -> None:
    """Move a rank towards the means of its neighbours: least squares under the order and the gaps.

    With the offsets subtracted, "no overlap" reads "not decreasing", which pooling adjacent violators solves exactly.
    """
    means: list[float] = []
    weights: list[float] = []
    counts: list[int] = []
    for node, offset in zip(rank, offsets, strict=True):
        near = neighbours[node]
        mean = (sum([x[n] for n in near]) / len(near) if near else x[node]) - offset
        weight, count = firmness[node], 1
        while means and means[-1] >= mean:
            total = weights[-1] + weight
            mean = (means.pop() * weights.pop() + mean * weight) / total
            weight = total
            count += counts.pop()
        means.append(mean)
        weights.append(weight)
        counts.append(count)
    position = 0
    for mean, count in zip(means, counts, strict=True):
        for node, offset in zip(rank[position : position + count], offsets[position : position + count], strict=True):
            x[node] = mean + offset
        position += count


def _bands(graph: _Layered, gap: float, margin: float) -> list[tuple[float, float]]:
    """Top and height of each rank."""
    heights = [0.0] * len(graph.ranks)
    for i, (_, height) in enumerate(graph.sizes):
        heights[graph.rank[i]] = max(heights[graph.rank[i]], height)
    tops = accumulate([margin] + [height + gap for height in heights[:-1]])
    return list(zip(tops, heights, strict=True))


def _paths(
    graph: _Layered,
    edges: Sequence[tuple[int, int]],
    x: list[float],
    corners: Sequence[tuple[float, float]],
    bands: list[tuple[float, float]],
) -> tuple[str, ...]:
    starts = _ports(graph, edges, x, end=0)
    stops = _ports(graph, edges, x, end=1)
    paths = []
    for number, (source, target) in enumerate(edges):
        top, height = bands[graph.rank[source]]
        path = [f"M{starts[number]:.1f} {corners[source][1] + graph.sizes[source][1]:.1f}", f"V{top + height:.1f}"]
        here = (starts[number], top + height)
        for waypoint in graph.waypoints[source, target]:
            top, height = bands[graph.rank[waypoint]]
            path += [_curve(here, (x[waypoint], top)), f"V{top + height:.1f}"]
            here = (x[waypoint], top + height)
        top = bands[graph.rank[target]][0]
        path += [_curve(here, (stops[number], top)), f"V{corners[target][1]:.1f}"]
        paths.append("".join(path))
    return tuple(paths)


def _curve(start: tuple[float, float], stop: tuple[float, float]) -> str:
    """A cubic that leaves and arrives vertically."""
    bend = (stop[1] - start[1]) / 2
    return f"C{start[0]:.1f} {start[1] + bend:.1f} {stop[0]:.1f} {stop[1] - bend:.1f} {stop[0]:.1f} {stop[1]:.1f}"


def _ports(graph: _Layered, edges: Sequence[tuple[int, int]], x: list[float], end: int) -> list[float]:
    """Where each edge meets the box at its ``end``: spread over the middle half, in the order of where the edges come
    from.
    """
    meeting: list[list[int]] = [[] for _ in graph.sizes]
    for number, edge in enumerate(edges):
        meeting[edge[end]].append(number)
    ports = [0.0] * len(edges)
    for box, numbers in enumerate(meeting):
        numbers.sort(key=lambda number: _approach(graph, edges[number], x, end))
        step = min(24.0, graph.sizes[box][0] / 2 / max(1, len(numbers) - 1))
        for place, number in enumerate(numbers):
            ports[number] = x[box] + (place - (len(numbers) - 1) / 2) * step
    return ports


def _approach(graph: _Layered, edge: tuple[int, int], x: list[float], end: int) -> float:
    """The horizontal position from which an edge comes to its ``end``."""
    waypoints = graph.waypoints[edge]
    if waypoints:
        return x[waypoints[-1 if end else 0]]
    return x[edge[1 - end]]
