"""Horizontal positions: each node as near to its neighbours as the order and the gaps allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import ceil

from .ranks import Layered

_ROUNDS = 4


def columns(graph: Layered, ranks: list[list[int]], gap: float, margin: float) -> list[float]:
    """The centre of every node and waypoint, after sweeps down and up; whole pixels, so that lines are sharp."""
    x = [0.0] * len(graph.rank)
    rows = []
    for rank in ranks:
        offsets = [*accumulate(((graph.widths[a] + graph.widths[b]) / 2 + gap for a, b in pairwise(rank)), initial=0.0)]
        rows.append((rank, offsets))
        for node, offset in zip(rank, offsets, strict=True):
            x[node] = offset - offsets[-1] / 2
    (above, below), weights = graph.pulls(), graph.weights()
    both = [a + b for a, b in zip(above, below, strict=True)]
    boxes = len(graph.sizes)
    both[boxes:] = [[n for n in near if n >= boxes] or near for near in both[boxes:]]  # long lines run straight
    for sweep, neighbours in [(rows, above), (rows[::-1], below)] * _ROUNDS + [(rows, both)]:
        for rank, offsets in sweep:
            wishes = [sum([x[n] for n in neighbours[i]]) / len(neighbours[i]) if neighbours[i] else x[i] for i in rank]
            for node, place in zip(rank, spread(wishes, offsets, [weights[i] for i in rank]), strict=True):
                x[node] = place
    left = min(x[i] - w / 2 for i, w in enumerate(graph.widths)) - margin
    return [float(ceil(centre - left - 1e-6)) for centre in x]


def spread(wishes: Sequence[float], offsets: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Positions nearest to ``wishes`` (weighted least squares) in which neighbours keep the distances of ``offsets``.

    With the offsets subtracted this is isotonic regression, which pooling adjacent violators solves exactly.

    Examples
    --------
    >>> spread([5.0, 4.0, 40.0], offsets=[0.0, 10.0, 20.0], weights=[1.0, 1.0, 1.0])
    [-0.5, 9.5, 40.0]
    """
    means: list[float] = []
    totals: list[float] = []
    counts: list[int] = []
    for wish, offset, total in zip(wishes, offsets, weights, strict=True):
        mean, count = wish - offset, 1
        while means and means[-1] >= mean:
            weight = totals.pop()
            mean = (means.pop() * weight + mean * total) / (weight + total)
            total += weight
            count += counts.pop()
        means.append(mean)
        totals.append(total)
        counts.append(count)
    pooled = [mean for mean, count in zip(means, counts, strict=True) for _ in range(count)]
    return [mean + offset for mean, offset in zip(pooled, offsets, strict=True)]
