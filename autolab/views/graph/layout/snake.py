"""A graph that is too high for a screen goes on at the top, in further columns, as a text in a newspaper does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil

from .ranks import Layered, Pair

_ROOM = 24.0  # above and below columns, for the lines that turn there
_LANE = 10.0  # between two lines that go up between columns
_MOST_RANKS, _MOST_COLUMNS = 40, 4
_PER_LINE = 20.0  # how much higher columns may be if one line fewer goes from one to the next


@dataclass(frozen=True)
class Turn:
    """Where a line goes from one column to the next: down to ``bottom``, up at ``x``, and down again from ``top``."""

    x: float
    bottom: float
    top: float
    room: float = _ROOM


@dataclass(frozen=True)
class Turns:
    """All turns. ``column`` is that of each rank; ``ends`` the bottom and the next top at the end of each column, and
    ``lanes`` the horizontal position of the lines of each box there."""

    column: Sequence[int]
    ends: Sequence[Pair]
    lanes: Sequence[dict[int, float]]
    room: float = _ROOM

    def between(self, source: int, rank: int, below: int) -> Turn | None:
        """The turn of a line of ``source`` on its way from a rank to another one; None within a column."""
        first, last = self.column[rank], self.column[below]
        return (
            None if first == last else Turn(self.lanes[last - 1][source], self.ends[first][0], self.ends[last - 1][1])
        )


def snake(
    graph: Layered, x: list[float], bands: list[Pair], ends: tuple[int, int], gap: float, tallest: float
) -> Turns | None:
    """Move ranks that are higher than ``tallest`` in total into columns: ``x`` and ``bands`` change in place."""
    top, bottom = bands[0][0], sum(bands[-1])
    count = min(_MOST_COLUMNS, ceil((bottom - top) / tallest))
    starts = _starts(graph, bands, ends, count) if count > 1 and len(bands) <= _MOST_RANKS else ()
    if not starts:
        return None
    column = [sum([rank >= start for start in starts]) for rank in range(len(bands))]
    members: list[list[int]] = [[] for _ in range(len(starts) + 1)]
    for node, rank in enumerate(graph.rank):
        members[column[rank]].append(node)
    crossing: list[list[int]] = [[] for _ in starts]
    for source, target in graph.edges:
        for boundary in range(column[graph.rank[source]], column[graph.rank[target]]):
            crossing[boundary].append(source)
    left = min([x[n] - graph.widths[n] / 2 for n in members[0]])
    lanes, turned = [], []
    for number, nodes in enumerate(members):
        shift = left - min([x[n] - graph.widths[n] / 2 for n in nodes])
        for node in nodes:
            x[node] += shift
        right = max([x[n] + graph.widths[n] / 2 for n in nodes])
        if number < len(starts):
            lanes.append({source: right + gap + k * _LANE for k, source in enumerate(dict.fromkeys(crossing[number]))})
            left = max(lanes[-1].values(), default=right) + gap
    for number, first in enumerate((0, *starts)):
        rise = bands[first][0] - top - (_ROOM if number else 0.0)
        for rank in range(first, (*starts, len(bands))[number]):
            bands[rank] = (bands[rank][0] - rise, bands[rank][1])
    for start in starts:
        turned.append((sum(bands[start - 1]), bands[start][0] - _LANE))
    return Turns(column, turned, lanes)


def _starts(graph: Layered, bands: Sequence[Pair], ends: tuple[int, int], count: int) -> tuple[int, ...]:
    """The first ranks of all columns but the first one, so that the highest is low and few lines turn."""
    first, last = 1 + bool(ends[0]), len(bands) - bool(ends[1])
    spans = [(graph.rank[source], graph.rank[target]) for source, target in graph.edges]
    crossed = [sum([a < rank <= b for a, b in spans]) for rank in range(len(bands))]

    def cost(starts: tuple[int, ...]) -> float:
        heights = [sum(bands[stop - 1]) - bands[start][0] for start, stop in pairwise((0, *starts, len(bands)))]
        return max(heights) + _PER_LINE * sum([crossed[start] for start in starts])

    return min(combinations(range(first, last), count - 1), key=cost, default=())
