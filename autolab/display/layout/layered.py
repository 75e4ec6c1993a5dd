"""The graph in ranks, with waypoints for the edges that skip a few of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MAX_WAYPOINT_SPAN = 6
_WAYPOINT_WIDTH = 10.0
_WAYPOINT_WEIGHT = 4.0
_LEAF_WEIGHT = 1e-6


class Layered:
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

    def weights(self) -> list[float]:
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
