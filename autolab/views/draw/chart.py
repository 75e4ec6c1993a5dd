"""Line charts as plain data: axes with ticks at round numbers, linear or logarithmic, and notes on missing points.

`chart` decides everything; `chart_svg` and the live monitor's JavaScript only draw it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...shared.numerals import precise, round_up
from .escape import clean
from .messages import plural, say
from .numbers import number

MOST_LINES = 8
"""More lines could not be told apart: of more, this many are drawn, evenly chosen."""

_TICKS = 5
_ROOM = 8  # characters beside the vertical axis
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Line:
    """A line of a chart; NaN is a gap."""

    name: str
    x: Any
    y: Any


def chart(
    title: str,
    lines: Sequence[Line],
    log: bool = False,
    x_title: str = "",
    mark: float | None = None,
    x_range: Sequence[float] = (),
    y_range: Sequence[float] = (),
    arrays: bool = False,
    mark_words: str = "",
) -> Any:
    """A line chart as plain data.

    Parameters
    ----------
    title, x_title : str
    lines : sequence of Line
    log : bool
        A logarithmic vertical axis; numbers that are not positive are omitted, and the note says so.
    mark : float, optional
        A position on the horizontal axis, marked with a vertical line.
    x_range, y_range : sequence of float
        Numbers that the axes include besides those of the lines.
    arrays : bool
        Whether ``x`` and ``y`` of the lines are arrays, with NaN for gaps, instead of lists.
    mark_words : str
        What is written beside the mark in a picture.

    Returns
    -------
    dict
        ``x`` and ``y``, the axes, with ``lo``, ``hi`` and ``ticks`` (value, text); ``lines`` with ``name``, ``x``,
        ``y`` (None for a gap) and ``last``, the last number as text; ``note`` and ``description``.

    Examples
    --------
    >>> found = chart("loss", [Line("train", [0, 10], [2.0, 0.5])])
    >>> [text for _, text in found["y"]["ticks"]]
    ['0', '0.5', '1', '1.5', '2']
    """
    shown = [Line(clean(line.name, 60), np.array(line.x, float), np.array(line.y, float)) for line in _spread(lines)]
    drawn = [_line(line, log) for line in shown]
    y_ends = [*y_range, *_ends([line["y"] for line in drawn])]
    across = axis([*x_range, *_ends([line["x"] for line in drawn])])
    if all([(line.x % 1 == 0).all() for line in shown]):  # counts have nothing in between
        across["ticks"] = [tick for tick in across["ticks"] if tick[0] % 1 == 0]
    up = log_axis(y_ends) if log else axis(y_ends, zero=True)
    return {
        "title": clean(title),
        "x_title": clean(x_title),
        "log": log,
        "x": across,
        "y": up,
        "lines": drawn if arrays else [line | {key: _listed(line[key]) for key in "xy"} for line in drawn],
        "mark": mark,
        **({"mark_words": clean(mark_words, 60)} if mark_words else {}),
        "note": " ".join([*_base(up["ticks"]), *_notes(shown, len(lines), log)]),
        "description": " ".join(_words(title or ", ".join(line.name for line in shown), shown)),
    }


def _spread(lines: Sequence[Line]) -> list[Line]:
    if len(lines) <= MOST_LINES:
        return list(lines)
    return [lines[round(i * (len(lines) - 1) / (MOST_LINES - 1))] for i in range(MOST_LINES)]


def _line(line: Line, log: bool) -> dict[str, Any]:
    seen = np.isfinite(line.y) & (line.y > 0) if log else np.isfinite(line.y)
    last = number(float(line.y[-1])) if len(line.y) else ""
    return {"name": line.name, "x": line.x, "y": np.where(seen, line.y, np.nan), "last": last}


def _listed(values: np.ndarray) -> list[float | None]:
    """Numbers to six digits of what they differ by, at least of themselves, with None for gaps."""
    known = values[np.isfinite(values)]
    size, spread = (np.abs(known / 2).max(), np.ptp(known / 2)) if known.size else (0.0, 0.0)
    digits = 6 + math.ceil(math.log10(size / spread)) if 0 < spread < size else 6
    return [None if math.isnan(value) else float(f"{value:.{min(digits, 17)}g}") for value in values.tolist()]


def _ends(arrays: Sequence[np.ndarray]) -> list[float]:
    """The smallest and the largest number in arrays with gaps; empty if there are only gaps."""
    every = np.concatenate([np.zeros(0), *arrays])
    known = every[~np.isnan(every)]
    return [float(known.min()), float(known.max())] if known.size else []


def _base(ticks: list[list[Any]]) -> Iterator[str]:
    """A note about the number from which an axis counts, which then need not fit beside it."""
    if len(ticks) > 1 and ticks[1][1].startswith("+") and len(ticks[0][1]) > _ROOM:
        yield say("chart_base", base=ticks[0][1])
        ticks[0][1] = "+0"


def _notes(lines: Sequence[Line], total: int, log: bool) -> Iterator[str]:
    if total > len(lines):
        yield say("chart_some", shown=len(lines), total=total)
    values = np.concatenate([np.zeros(0), *[line.y for line in lines]])
    counts = {"chart_nan": np.isnan(values).sum(), "chart_infinite": np.isinf(values).sum()}
    counts["chart_not_positive"] = (np.isfinite(values) & (values <= 0)).sum() if log else 0
    for key, count in counts.items():
        if count:
            yield say(key, count=plural(int(count), "point"))


def _words(title: str, lines: Sequence[Line]) -> Iterator[str]:
    """The chart in words, for those who cannot see it."""
    yield say("chart_alt", title=clean(title))
    for line in lines:
        known = line.y[np.isfinite(line.y)]
        if known.size:
            first, last, low, high = [number(float(y)) for y in (known[0], known[-1], known.min(), known.max())]
            yield say("chart_alt_line", name=line.name, first=first, last=last, low=low, high=high)


def axis(values: Sequence[float], zero: bool = False) -> dict[str, Any]:
    """A linear axis around ``values``; with ``zero`` it begins at 0 if that is near.

    Examples
    --------
    >>> axis([0.0, 730.0])["ticks"]
    [[0.0, '0'], [200.0, '200'], [400.0, '400'], [600.0, '600']]
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if zero and 0 < low < 0.7 * high:
        low = 0.0
    if low == high:
        low, high = _held(low - (abs(low) * 0.1 or 1.0)), _held(high + (abs(high) * 0.1 or 1.0))
    step = round_up((high / _TICKS - low / _TICKS) * (1 - 1e-9))
    if zero:  # end at whole steps, so that no line runs along the frame
        low, high = _held(math.floor(low / step + 1e-9) * step), _held(math.ceil(high / step - 1e-9) * step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step)))
    places = [round(k * step, digits) for k in range(first, last + 1)]
    return {"lo": low, "hi": high, "ticks": [[*tick] for tick in zip(places, _texts(places), strict=True)]}


def _held(end: float) -> float:
    """The end of an axis, at most as large as a float can be."""
    return max(-sys.float_info.max, min(end, sys.float_info.max))


def _texts(places: list[float]) -> list[str]:
    """The numbers at ticks; where these would read alike, the first in full, and by how much the others are larger.

    >>> _texts([1e6, 1000002.0, 1000004.0])
    ['1000000', '+2', '+4']
    """
    texts = [number(place) for place in places]
    if len(set(texts)) == len(texts):
        return texts
    step = places[1] - places[0]
    digits = math.ceil(math.log10(max(map(abs, places)) / step)) + 1
    return [
        precise(places[0], min(digits, 15)),
        *[f"+{number(float(f'{k * step:.3g}'))}" for k in range(1, len(places))],
    ]


def log_axis(values: Sequence[float]) -> dict[str, Any]:
    """A logarithmic axis around positive ``values``; it begins and ends at 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> [text for _, text in log_axis([0.003, 40.0])["ticks"]]
    ['0.001', '0.01', '0.1', '1', '10', '100']
    >>> [text for _, text in log_axis([0.3, 4.0])["ticks"]]
    ['0.2', '0.5', '1', '2', '5']
    >>> [text for _, text in log_axis([2e-5, 3e4])["ticks"]]
    ['10⁻⁵', '10⁻³', '0.1', '10', '10³', '10⁵']
    """
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    if last - first <= 2:
        every = [float(f"{m}e{k}") for k in range(first, last + 1) for m in (1, 2, 5)]
        below = max([v for v in every if v <= low * (1 + 1e-9)], default=low)
        above = _held(min([v for v in every if v >= high * (1 - 1e-9) and v > below], default=2 * high))
        places = [below, *[v for v in every if below < v < above], above]
    else:
        stride = -(-(last - first) // (_TICKS + 1))
        last = first + stride * -(-(last - first) // stride)
        places = [_held(float(f"1e{k}")) for k in range(first, last + 1, stride)]
        places[0] = places[0] or low  # below the smallest power of ten that a float can be
    texts = [number(float(f"{v:.6g}")) for v in places]
    if last - first > 2 and any(["e" in text for text in texts]):  # then large numbers are not written out either
        texts = [_power(round(math.log10(v))) for v in places]
    return {"lo": places[0], "hi": places[-1], "ticks": [[*tick] for tick in zip(places, texts, strict=True)]}


def _power(exponent: int) -> str:
    return number(10.0**exponent) if abs(exponent) < 2 else f"10{str(exponent).translate(_RAISED)}"


def with_powers(found: dict[str, Any]) -> dict[str, Any]:
    """A chart whose horizontal positions are exponents of ten: its axis shows the powers."""
    exponents = [x for line in found["lines"] for x in line["x"]]
    exponents += [] if found["mark"] is None else [found["mark"]]
    places = log_axis([10**x for x in exponents] or [0.1, 1.0])
    ticks = [[math.log10(value), text] for value, text in places["ticks"]]
    axis = {"lo": math.log10(places["lo"]), "hi": math.log10(places["hi"]), "ticks": ticks}
    return {**found, "x": axis, "powers": True}
