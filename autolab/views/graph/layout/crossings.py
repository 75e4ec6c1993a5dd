"""The order of boxes within their ranks, with few crossing lines: depth first, then barycentre sweeps."""

from __future__ import annotations

from bisect import bisect_right, insort

from .ranks import Layered

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
    """All nodes, operands before users, from the outputs upwards: operands stand in the order in which they are
    written.
    """
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
    """Sort each rank by the mean place of its neighbours in the rank before; nodes without any keep their place."""
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
    """The number of pairs of edges that cross between neighbouring ranks."""
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
