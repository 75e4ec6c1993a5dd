"""Two charts that explain a gradient check, with logarithmic axes: the error over the step, the Taylor remainder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...gradcheck import StepSweep, TaylorReport
from ..draw import number, say
from ..draw.chart import Line, chart, with_powers

_AGREES = 1e-5
"""The relative difference up to which a numeric derivative agrees with the gradient."""

_ROUNDING = 30.0
_LAST, _FLAT = 3, 0.3
"""Over this many of the finest meaningful steps, the error of a wrong gradient falls at most to this fraction; that of
the finite difference itself falls to a sixteenth, or to a fourth with a kink nearby."""

_DENSE = 40


def step_chart(sweep: StepSweep) -> dict[str, Any]:
    """The error of the central difference over its step, with the square of the step and the rounding error."""
    lines = [Line(say("lens_line_error"), *_pairs(sweep.steps, sweep.error))]
    floor = _least(sweep.error, sweep.rounding)
    lines += _guide(say("lens_line_square"), sweep.steps, _curvature(sweep) * sweep.steps**2, floor)
    lines += _guide(say("lens_line_rounding"), sweep.steps, sweep.rounding, floor)
    return _loglog(say("lens_steps"), lines)


def taylor_chart(report: TaylorReport) -> dict[str, Any]:
    """The remainder over the step, with lines of slope 1 and 2."""
    lines = [Line(say("lens_line_remainder"), *_pairs(report.steps, report.remainder))]
    floor = max(report.noise, _least(report.remainder))
    known = np.flatnonzero(np.isfinite(report.remainder) & (report.remainder > 30 * report.noise))
    if known.size:
        at = known[0]
        relative = report.steps / report.steps[at]
        lines += _guide(say("lens_line_second"), report.steps, report.remainder[at] * relative**2, floor)
        lines += _guide(say("lens_line_first"), report.steps, report.remainder[at] * relative, floor)
    if report.noise > 0:
        lines += _guide(say("lens_line_noise"), report.steps, np.full(report.steps.shape, report.noise), 0.0)
    return _loglog(say("lens_taylor"), lines)


def step_sentence(sweep: StepSweep, verdict: str | None = None) -> str:
    """What the error over the step shows, in a sentence consistent with the verdict of the check, if there is one."""
    if not np.isfinite(sweep.error).any():
        return say("lens_steps_unknown")
    size = np.maximum(np.abs(sweep.numeric), abs(sweep.analytic))
    telling = np.isfinite(sweep.error) & ((_ROUNDING * sweep.rounding <= _AGREES * size) | (sweep.error == 0))
    if not telling.any():
        return say("lens_steps_noise")
    best = int(np.argmin(np.where(telling, sweep.error, np.inf)))
    error, step = float(sweep.error[best]), number(float(f"{sweep.steps[best]:.3g}"))
    if error == 0:
        return say("lens_steps_exact", step=step)
    if error <= _AGREES * size[best]:
        key = "lens_steps_small" if verdict == "wrong" else "lens_steps_agree"
        return say(key, step=step, error=number(float(f"{error:.3g}")))
    finest = np.flatnonzero(telling)[-_LAST:]
    if finest.size == _LAST and error > _FLAT * sweep.error[finest[0]]:
        key = "lens_steps_apart" if verdict in (None, "wrong") else "lens_steps_open"
        return say(key, error=number(float(f"{np.median(sweep.error[finest]):.3g}")))
    return _rounded(sweep) if verdict != "wrong" else say("lens_steps_noise")


def _rounded(sweep: StepSweep) -> str:
    """The sentence for an error that falls as far as rounding allows: nothing suggests a wrong gradient."""
    closest = int(np.nanargmin(sweep.error))
    if sweep.error[closest] > _ROUNDING * sweep.rounding[closest]:
        return say("lens_steps_noise")
    step, error = (number(float(f"{values[closest]:.3g}")) for values in (sweep.steps, sweep.error))
    return say("lens_steps_close", step=step, error=error)


def taylor_sentence(report: TaylorReport, verdict: str | None = None) -> str:
    """What the remainder shows, in a sentence consistent with the verdict of the check, if there is one."""
    which = report._shows
    if report.passed and verdict == "wrong":
        which = "hidden"
    elif which in ("wrong", "between") and verdict in ("right", "cannot tell"):
        which = "open"
    return say(f"lens_taylor_{which}", order=number(round(report.order, 2)))


def _curvature(sweep: StepSweep) -> float:
    """The coefficient of the squared step in the error of the finite difference, estimated from coarse steps."""
    first, second = sweep.numeric[:2]
    factor = abs(first - second) / (sweep.steps[0] ** 2 - sweep.steps[1] ** 2)
    seen = abs(first - second) > _ROUNDING * sweep.rounding[1]
    return float(factor) if seen and np.isfinite(factor) else 0.0


def _least(*curves: np.ndarray) -> float:
    """The smallest positive number."""
    found = [curve[np.isfinite(curve) & (curve > 0)] for curve in curves]
    return float(min((c.min() for c in found if c.size), default=0.0))


def _pairs(x: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """The points from left to right; the steps are given from coarse to fine."""
    return np.log10(x[::-1]).tolist(), y[::-1].tolist()


def _guide(name: str, x: np.ndarray, y: np.ndarray, floor: float) -> list[Line]:
    """A line for comparison, unless it is below everything that was measured."""
    seen = np.isfinite(y) & (y > 0) & (y >= floor)
    if seen.sum() < 2:
        return []
    ends = [np.log10(values[seen][[0, -1]]).tolist() for values in (x, y)]
    places, heights = (np.linspace(first, last, _DENSE) for first, last in ends)  # too many to mark each with a dot
    return [Line(name, places.tolist(), (10**heights).tolist())]


def _loglog(title: str, lines: Sequence[Line]) -> dict[str, Any]:
    """A chart with two logarithmic axes."""
    found: dict[str, Any] = chart(title, lines, True, say("lens_step"))
    for line in found["lines"]:
        line["last"] = ""
    return with_powers(found)
