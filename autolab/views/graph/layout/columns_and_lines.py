"""Horizontal positions, with each node as near to its neighbours as the order and the gaps allow; and the paths of the
lines, from the bottom of a box through the waypoints to the top of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import ceil

from .ranks import Layered, Pair
from .snake import Turns

_ROUNDS = 4


def columns(graph: Layered, ranks: list[list[int]], gap: float, margin: float) -> list[float]:
    """The centres of all nodes and waypoints, after sweeps down and up; whole pixels, so that lines are sharp."""
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
    both[boxes:] = [[n for n in near if n >= boxes] or near for near in both[boxes:]]  # keep long lines straight
    for sweep, neighbours in [(rows, above), (rows[::-1], below)] * _ROUNDS + [(rows, both)]:
        for rank, offsets in sweep:
            wishes = [sum([x[n] for n in neighbours[i]]) / len(neighbours[i]) if neighbours[i] else x[i] for i in rank]
            for node, place in zip(rank, spread(wishes, offsets, [weights[i] for i in rank]), strict=True):
                x[node] = place
    left = min(x[i] - w / 2 for i, w in enumerate(graph.widths)) - margin
    return [float(ceil(centre - left - 1e-6)) for centre in x]


def spread(wishes: Sequence[float], offsets: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Positions nearest to ``wishes`` (weighted least squares) in which neighbours are at least as far apart as
    their ``offsets``.

    With the offsets subtracted, this is isotonic regression, which pooling adjacent violators solves exactly.

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


_STEP = 24.0  # between two lines at a box
_STUB = 10.0  # the straight end, as long as an arrowhead
_BOW = 40.0  # sideways, so that a line past many boxes is not hidden behind all of them
_LEAVING, _ARRIVING = 0, 1


def routes(
    graph: Layered, x: Sequence[float], corners: Sequence[Pair], bands: Sequence[Pair], turns: Turns | None = None
) -> tuple[str, ...]:
    """One SVG path per edge. ``x`` are centres, ``bands`` the top and height of each rank; lines go on at the top by
    ``turns``.
    """
    starts, stops = _ports(graph, x, _LEAVING), _ports(graph, x, _ARRIVING)
    paths = []
    for number, ((source, target), start, stop) in enumerate(zip(graph.edges, starts, stops, strict=True)):
        height = graph.sizes[source][1] if source >= graph.entries else 0.0
        line = _LinePath(start, corners[source][1] + height)
        line.down_to(sum(bands[graph.rank[source]]))
        stub = _STUB if graph.sizes[target][1] else 0.0
        for above, node in pairwise([source, *graph.through[number], target]):
            at, (top, height) = (
                (stop, bands[graph.rank[node]]) if node == target else (x[node], bands[graph.rank[node]])
            )
            top -= stub if node == target else 0.0
            turn = turns.between(source, graph.rank[above], graph.rank[node]) if turns else None
            if turn:
                line.down_to(turn.bottom)
                line.round(turn.x, turn.bottom, turn.room)
                line.down_to(turn.top)
                line.round(at, turn.top, -turn.room)
                line.down_to(top)
            else:
                line.curve_to(at, top, _BOW if number in graph.curves else 0.0)
            line.down_to(corners[target][1] if node == target else top + height)
        paths.append(line.text())
    return tuple(paths)


class _LinePath:
    """An SVG path that goes down, straight or in a cubic that leaves and arrives vertically, and up between columns."""

    def __init__(self, x: float, y: float) -> None:
        self._x, self._y = x, y
        self._parts = [f"M{tenth(x)} {tenth(y)}"]
        self._straight = False

    def down_to(self, y: float) -> None:
        if self._straight:
            self._parts.pop()
        self._parts.append(f"V{tenth(y)}")
        self._y, self._straight = y, True

    def curve_to(self, x: float, y: float, bow: float = 0.0) -> None:
        if x == self._x and not bow:
            self.down_to(y)
            return
        middle = tenth((self._y + y) / 2)
        self._parts.append(f"C{tenth(self._x + bow)} {middle} {tenth(x + bow)} {middle} {tenth(x)} {tenth(y)}")
        self._x, self._y, self._straight = x, y, False

    def round(self, x: float, y: float, room: float) -> None:
        """Turn back at the height ``y``, beyond which there is some room."""
        self._parts.append(f"C{tenth(self._x)} {tenth(y + room)} {tenth(x)} {tenth(y + room)} {tenth(x)} {tenth(y)}")
        self._x, self._y, self._straight = x, y, False

    def text(self) -> str:
        return "".join(self._parts)


def tenth(coordinate: float) -> str:
    """A coordinate of a path, rounded to a tenth."""
    return f"{coordinate:.1f}".removesuffix(".0")


def _ports(graph: Layered, x: Sequence[float], end: int) -> list[float]:
    """The positions where edges meet the boxes at their ``end``: at the port, or where a straight line would, within
    the width of the box, in order and not too close together.
    """
    meeting: list[dict[int, list[int]]] = [{} for _ in graph.sizes]
    found = [0.0] * len(graph.edges)
    for number, (edge, ports) in enumerate(zip(graph.edges, graph.ports, strict=True)):
        box, port = edge[end], ports[end]
        if port is None:
            meeting[box].setdefault(_line(graph, number, end), []).append(number)
        else:
            found[number] = x[box] - graph.sizes[box][0] / 2 + port
    for box, lines in enumerate(meeting):
        together = sorted(lines.values(), key=lambda numbers: _approach(graph, x, numbers[0], end))
        approaches = [_approach(graph, x, numbers[0], end) for numbers in together]
        for numbers, place in zip(together, _places(x[box], graph.sizes[box][0], approaches, end), strict=True):
            for number in numbers:
                found[number] = float(round(place))
    return found


def _places(centre: float, width: float, approaches: Sequence[float], end: int) -> list[float]:
    reach = 0.0 if len(approaches) == 1 else width / 5 if end == _ARRIVING else min(_STEP, width / 4)
    step = min(_STEP, width / 2 / max(1, len(approaches) - 1))
    wishes = [min(max(approach, centre - reach), centre + reach) for approach in approaches]
    return spread(wishes, [i * step for i in range(len(wishes))], [1.0] * len(wishes))


def _line(graph: Layered, number: int, end: int) -> int:
    """The id of an edge's line. Edges with the same line share a port: those that leave along the same trunk, or arrive
    in the same bundle."""
    waypoints = graph.through[number]
    if waypoints and end == _LEAVING:
        return waypoints[0]
    return waypoints[-1] if number in graph.bundles else -1 - number


def _approach(graph: Layered, x: Sequence[float], number: int, end: int) -> float:
    """The horizontal position from which an edge approaches its ``end``."""
    waypoints = graph.through[number]
    if not waypoints:
        return x[graph.edges[number][1 - end]]
    return x[waypoints[-1 if end == _ARRIVING else 0]]


_COMMANDS = re.compile(r"([MVC])([^MVC]*)")


def turned_path(path: str) -> str:
    """An SVG path of absolute commands M, V and C with x and y exchanged.

    Examples
    --------
    >>> turned_path("M5 1V2C1 2 3 4 5 6V7")
    'M1 5H2C2 1 4 3 6 5H7'
    """
    parts = []
    for command, text in _COMMANDS.findall(path):
        numbers = text.split(" ")
        pairs = zip(numbers[1::2], numbers[::2], strict=False)
        parts.append(f"H{text}" if command == "V" else command + " ".join([f"{y} {x}" for y, x in pairs]))
    return "".join(parts)


def joined(pieces: list[str]) -> str:
    """The pieces of a line as one path, with no new start where one piece continues another, and straight parts merged.

    Examples
    --------
    >>> joined(["M5 1V2", "M5 2V4", "M5 4C5 6 7 6 7 8"])
    'M5 1V4C5 6 7 6 7 8'
    """
    parts: list[tuple[str, str]] = []
    x = y = ""
    for command, numbers in _COMMANDS.findall("".join(pieces)):
        *before, last = numbers.split(" ")
        if command == "M" and (before[0], last) == (x, y):
            continue
        x, y = before[-1] if before else x, last
        if command == "V" and parts[-1][0] == "V":
            parts.pop()
        parts.append((command, numbers))
    return "".join([command + numbers for command, numbers in parts])


def moved(path: str, x: float, y: float) -> str:
    """An SVG path of absolute commands M, V and C, moved."""
    parts = []
    for command, text in _COMMANDS.findall(path if x or y else ""):
        numbers = [tenth(float(n) + (y if command == "V" or k % 2 else x)) for k, n in enumerate(text.split(" "))]
        parts.append(command + " ".join(numbers))
    return "".join(parts) or path
