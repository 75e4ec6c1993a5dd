"""line_chart(): a line chart as plain data that displays itself, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..engine import Savable, Variable, as_array, check_real, takes_other_words, to_cpu

MOST_POINTS = 5000
_AXES = ("", "x", "y", "xy")


@dataclass(frozen=True, eq=False, repr=False)
class LineChart(Savable):
    """Lines over a common horizontal axis, created by `line_chart`.

    Attributes
    ----------
    x : array of float64, shape (n,)
    lines : dict of str to array of float64, shape (n,)
    title, x_title : str
    log : "", "x", "y" or "xy"
        Which axes are logarithmic.
    mark : float or None
        The position of a vertical line.
    y_range : tuple of float
        Numbers that the vertical axis includes besides the lines.

    Examples
    --------
    >>> import autolab
    >>> chart = autolab.plots.line_chart([1, 2, 3], {"loss": [4.0, 2.0, 1.0]}, title="a loss")
    >>> chart.title, chart.x.tolist(), list(chart.lines)
    ('a loss', [1.0, 2.0, 3.0], ['loss'])
    """

    x: np.ndarray
    lines: dict[str, np.ndarray]
    title: str = ""
    x_title: str = ""
    log: str = ""
    mark: float | None = None
    y_range: tuple[float, ...] = field(default=())

    def __repr__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


@takes_other_words
def line_chart(
    x: Any,
    lines: Any = None,
    title: str = "",
    x_title: str = "",
    log: str = "",
    mark: float | None = None,
    y_range: tuple[float, ...] = (),
) -> LineChart:
    """Draw lines over a common horizontal axis.

    Parameters
    ----------
    x : array of shape (n,)
        The horizontal coordinates, at most 5000. Given alone, ``x`` is the line itself, drawn over 0, 1, 2 and so on.
    lines : mapping of str to array of shape (n,), or such an array
        The lines by name. NaN leaves a gap; so does a number that is not positive on a logarithmic axis, and a note
        says so.
    title, x_title : str
        The titles of the chart and of the horizontal axis.
    log : {"", "x", "y", "xy"}
        Which axes are logarithmic.
    mark : float, optional
        Where to draw a vertical line.
    y_range : tuple of float, optional
        Numbers that the vertical axis always includes, so that charts can be compared.

    Returns
    -------
    LineChart

    Raises
    ------
    TypeError
        If ``lines`` is empty, or ``x`` or a line is not an array of real numbers.
    ValueError
        If lengths differ, there are no points or too many, ``x`` or ``mark`` is not finite, or, on a logarithmic axis,
        ``x``, ``mark`` or ``y_range`` is not positive.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> chart = autolab.plots.line_chart(np.arange(1, 4), {"loss": [2.0, 1.0, 0.5]}, log="y")
    >>> chart.lines["loss"].tolist()
    [2.0, 1.0, 0.5]
    """
    if lines is None:
        x, lines = np.arange(np.size(x)), x
    if not isinstance(lines, Mapping):
        lines = {title or "y": lines}
    if not lines:
        raise TypeError(f"line_chart: lines is {lines!r:.60}; expected a dict of arrays by name")
    if log not in _AXES:
        raise ValueError(f"line_chart: log is {log!r:.60}; expected one of {', '.join(map(repr, _AXES))}")
    places = _row("x", x)
    if not 1 <= places.size <= MOST_POINTS:
        raise ValueError(f"line_chart: x has {places.size} points; expected 1 to {MOST_POINTS}")
    rows = {str(name): _row(str(name), values) for name, values in lines.items()}
    for name, values in rows.items():
        if values.shape != places.shape:
            raise ValueError(f"line_chart: {name:.60} has {values.size} numbers; x has {places.size}")
    marked = places if mark is None else np.append(places, float(mark))
    if not np.isfinite(marked).all() or ("x" in log and not (marked > 0).all()):
        kind = "positive numbers for a logarithmic axis" if "x" in log else "finite numbers"
        raise ValueError(f"line_chart: x or mark is not finite or not positive; expected {kind}")
    ends = tuple([float(end) for end in y_range])
    if "y" in log and any([end <= 0 for end in ends]):
        raise ValueError(f"line_chart: y_range is {ends!r:.60}; expected positive numbers for a logarithmic axis")
    return LineChart(places, rows, title, x_title, log, None if mark is None else float(mark), ends)


def _row(name: str, values: Any) -> np.ndarray:
    """Numbers as a one-dimensional float64 array."""
    what = f"line_chart: {name:.60}"
    found = as_array(values.data if isinstance(values, Variable) else values, what)
    row = np.array(to_cpu(check_real(found, what)), np.float64)
    if row.ndim != 1:
        raise ValueError(f"{what} has shape {row.shape}; expected one axis")
    return row
