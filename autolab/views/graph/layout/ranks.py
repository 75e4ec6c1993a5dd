"""The ranks of a graph, with waypoints for edges that skip a few of them, and the order within ranks, with few
crossings: depth-first, then barycentre sweeps."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from math import inf

Pair = tuple[float, float]
Ports = tuple[float | None, float | None]
"""The distances from the left of the boxes at which an edge leaves and arrives; None to let the layout choose."""

MAX_WAYPOINTS = 5000  # per picture; each takes as much time as a box
BUNDLED = 4
"""Leaves that at least this many boxes use together are bundled, as are lines from rows of boxes to the same box."""

_PAIR = 2
_WAYPOINT_WIDTH = 10.0
_WAYPOINT_WEIGHT = 0.1
_LEAF_WEIGHT, _LEADING_WEIGHT = 1e-6, 1e-3


class Layered:
    """The graph with ranks and waypoints; indices from ``len(sizes)`` on are waypoints.

    ``through`` are the waypoints of each edge. ``curves`` are the numbers of edges beyond the limit of waypoints, which
    pass everything in a single curve; those in ``bundles`` run together with others to the same box. The first
    ``entries`` boxes are alone in the first rank, the last ``exits`` in the last one.
    """

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Sequence[tuple[int, int]],
        ports: Sequence[Ports] | None = None,
        entries: int = 0,
        exits: int = 0,
        gap: float = 0.0,
        widest: float = inf,
    ) -> None:
        self.sizes, self.edges = sizes, edges
        self.ports = [(None, None)] * len(edges) if ports is None else ports
        self.entries, self.exits = entries, exits
        self.widths = [w for w, _ in sizes]
        self.rank, self._rows = _in_rows(_ranks(len(sizes), edges, entries, exits), self.widths, gap, widest)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.through: list[list[int]] = []
        self.curves: set[int] = set()
        self.bundles: set[int] = set()
        self._room = len(sizes) + MAX_WAYPOINTS
        self._trunks: dict[tuple[int, float | None, int], list[int]] = {}
        self._linked: set[tuple[int, int]] = set()
        bundle = _bundles(len(sizes), edges, self.rank)
        in_rows = {node for rows in self._rows for row in rows for node in row}
        last = len(sizes) - exits
        many = Counter([target for source, target in edges if source in in_rows or target >= last])
        for number, ((source, target), (leaving, arriving)) in enumerate(zip(edges, self.ports, strict=True)):
            joins = source not in bundle and many[target] >= BUNDLED and (source in in_rows or target >= last)
            way = (target, arriving, -1) if joins else (bundle.get(source, source), leaving, 1)
            self.through.append(self._thread(source, target, way))
            if (joins or source in bundle) and self.through[number]:
                self.bundles.add(number)
        self._leading = self._first_leaves()

    def _thread(self, source: int, target: int, way: tuple[int, float | None, int]) -> list[int]:
        """Connect two boxes. Returns the waypoints, if the edge skips a few ranks.

        The edges of one ``way`` (a box and where they meet it, or a bundle, and 1 for down or -1 for up) share
        waypoints: a value that is used repeatedly is one trunk with branches, and so are the lines that meet at a box.
        """
        skipped = self.rank[target] - self.rank[source] - 1
        trunk, step = self._trunks.setdefault(way, []), way[2]
        if len(self.rank) + skipped - len(trunk) > self._room:
            self.curves.add(len(self.through))
            return []
        near, far = (source, target)[::step]
        while len(trunk) < skipped:
            trunk.append(self._waypoint(trunk[-1] if trunk else near, step))
        if skipped:
            self._link(*(near, trunk[0])[::step])
        self._link(*(trunk[skipped - 1] if skipped else near, far)[::step])
        return trunk[:skipped][::step]

    def _waypoint(self, beside: int, step: int) -> int:
        """A new waypoint one rank below or above ``beside``."""
        node = len(self.rank)
        self.rank.append(self.rank[beside] + step)
        self.widths.append(_WAYPOINT_WIDTH)
        self.above.append([])
        self.below.append([])
        self._link(*(beside, node)[::step])
        return node

    def _link(self, upper: int, lower: int) -> None:
        if (upper, lower) in self._linked:
            return
        self._linked.add((upper, lower))
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def weights(self) -> list[float]:
        """The weight of each node's preferred position."""
        boxes = [float(len(a) + len(b)) if a else _LEAF_WEIGHT for a, b in zip(self.above, self.below, strict=True)]
        for leaf in self._leading:
            boxes[leaf] = _LEADING_WEIGHT
        return boxes[: len(self.sizes)] + [_WAYPOINT_WEIGHT] * (len(boxes) - len(self.sizes))

    def _first_leaves(self) -> set[int]:
        """The first of more than two leaves from which a box that is used is computed: it is placed straight above."""
        used = [near for near, users in zip(self.above, self.below, strict=False) if len(near) > _PAIR and users]
        return {near[0] for near in used if not any([self.above[n] for n in near])}

    def pulls(self) -> tuple[list[list[int]], list[list[int]]]:
        """The neighbours above and below with which each node is to be aligned.

        A box follows boxes rather than passing lines, and results rather than leaves; among more than two leaves, the
        first, so that a chain that begins with it is straight. A waypoint follows its trunk, and rows that were one
        rank are aligned with the first of them.
        """
        boxes = len(self.sizes)
        result, line, leaf = 0, 1, 2
        kind = [(result if above else leaf) if node < boxes else line for node, above in enumerate(self.above)]
        kind[boxes - self.exits : boxes] = [line] * self.exits
        for node in range(boxes, len(kind)):
            kind[node] = max(line, kind[self.above[node][0]])
        up = [_of_least(kind, near) for near in self.above]
        up = [near[:1] if near and near[0] in self._leading else near for near in up]
        up[boxes:] = [[n for n in near if n >= boxes] or near for near in up[boxes:]]
        down = [_of_least(kind, near) for near in self.below[:boxes]]
        for first, *others in self._rows:
            for node in first:
                down[node] = up[node] or down[node]
            for node in [node for row in others for node in row]:
                up[node] = down[node] = first
        return up, down + [[n for n in near if n >= boxes] or near for near in self.below[boxes:]]


def _bundles(count: int, edges: Sequence[tuple[int, int]], rank: Sequence[int]) -> dict[int, int]:
    """The leaves that several boxes use together, repeatedly, each with the first leaf of its bundle.

    The weights of a recurrent network are such leaves: all their lines run as one, instead of crossing at every step.
    """
    users: list[list[int]] = [[] for _ in range(count)]
    is_leaf = [True] * count
    for source, target in edges:
        users[source].append(target)
        is_leaf[target] = False
    alike: dict[tuple[int, ...], list[int]] = {}
    for leaf in range(count):
        if is_leaf[leaf] and len(set(users[leaf])) == len(users[leaf]) >= BUNDLED:
            alike.setdefault((rank[leaf], *sorted(users[leaf])), []).append(leaf)
    return {leaf: leaves[0] for leaves in alike.values() if len(leaves) > 1 for leaf in leaves}


def _of_least(kind: list[int], nodes: list[int]) -> list[int]:
    least = min([kind[n] for n in nodes], default=0)
    return [n for n in nodes if kind[n] == least]


def _ranks(count: int, edges: Sequence[tuple[int, int]], entries: int, exits: int) -> list[int]:
    rank = [0] * entries + [min(entries, 1)] * (count - entries)
    nearest = [count] * count
    has_source = [node < entries for node in range(count)]
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        rank[target] = max(rank[target], rank[source] + 1)
        has_source[target] = True
    if exits:
        rank[-exits:] = [max(rank[: count - exits], default=-1) + 1] * exits
    for source, target in edges:
        nearest[source] = min(nearest[source], rank[target] - 1)
    pulled = [r if fed or near == count else near for r, fed, near in zip(rank, has_source, nearest, strict=True)]
    lowest = min(pulled)
    return [r - lowest for r in pulled]


def _in_rows(
    rank: list[int], widths: list[float], gap: float, widest: float
) -> tuple[list[int], list[list[list[int]]]]:
    """The ranks, with those that are too wide split, and the rows of each of these."""
    ranks: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for node, number in enumerate(rank):
        ranks[number].append(node)
    found, parted, top = rank[:], [], 0
    for nodes in ranks:
        rows: list[list[int]] = [[]]
        right = 0.0
        for node in nodes:
            if rows[-1] and widths[node] and right + widths[node] > widest:  # entry and exit points have no width
                rows.append([])
                right = 0.0
            rows[-1].append(node)
            found[node] = top + len(rows) - 1
            right += widths[node] + gap
        top += len(rows)
        parted += [rows] if len(rows) > 1 else []
    return found, parted


_SWEEPS = 4


def ordered(graph: Layered) -> list[list[int]]:
    """Ranks from top to bottom, each a list of nodes from left to right."""
    rank, above, below = graph.rank, graph.above, graph.below
    ranks: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for node in _depth_first(above, below):
        ranks[rank[node]].append(node)
    best, fewest = ranks, count_crossings(ranks, below)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        ranks = _swept(ranks, above, downwards=True) if sweep % 2 == 0 else _swept(ranks, below, downwards=False)
        crossings = count_crossings(ranks, below)
        if crossings < fewest:
            best, fewest = ranks, crossings
    return best


def _depth_first(above: list[list[int]], below: list[list[int]]) -> list[int]:
    """All nodes, operands before users, from the outputs upwards, in the order in which operands are written."""
    seen = [False] * len(above)
    order: list[int] = []
    for output in (node for node, users in enumerate(below) if not users):
        stack = [(output, 0)]
        seen[output] = True
        while stack:
            node, position = stack.pop()
            if position == len(above[node]):
                order.append(node)
                continue
            stack.append((node, position + 1))
            operand = above[node][position]
            if not seen[operand]:
                seen[operand] = True
                stack.append((operand, 0))
    return order


def _swept(ranks: list[list[int]], neighbours: list[list[int]], downwards: bool) -> list[list[int]]:
    """Sort each rank by the mean position of its neighbours in the rank before; nodes without neighbours stay."""
    place = {node: float(i) for rank in ranks for i, node in enumerate(rank)}
    swept = []
    for rank in ranks if downwards else reversed(ranks):
        means = {}
        for node in rank:
            near = neighbours[node]
            means[node] = sum([place[n] for n in near]) / len(near) if near else place[node]
        rank = sorted(rank, key=means.__getitem__)
        for i, node in enumerate(rank):
            place[node] = float(i)
        swept.append(rank)
    return swept if downwards else swept[::-1]


def count_crossings(ranks: list[list[int]], below: list[list[int]]) -> int:
    """The number of crossing pairs of edges between neighbouring ranks."""
    place = {node: i for rank in ranks for i, node in enumerate(rank)}
    crossings = 0
    for rank in ranks:
        passed: list[int] = []
        for node in rank:
            ends = sorted([place[n] for n in below[node]])
            for end in ends:
                crossings += len(passed) - bisect_right(passed, end)
            for end in ends:
                insort(passed, end)
    return crossings
