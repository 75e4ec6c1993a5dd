"""A function with its derivatives as a scene: places of curves, points and text. Pure functions of `Derivatives`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...analysis import Derivatives
from ...shared.numerals import MINUS
from ..draw import clean, number, plural, say
from ..draw.chart import axis
from ..draw.plot import Frame, Size, goes_far, height_of

SIZE = Size(402.0, 214.0)
TANGENT, TAYLOR = 5, 3
"""The line colours of the tangent and the polynomial; curves have the colour of text."""

_RAISED, _LOWERED = (str.maketrans("0123456789", digits) for digits in ("⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"))
_NEAR, _BESIDE = 1e-9, 1 / 400
"""Fractions of the domain within which the point counts as being at a kink, and next to a zero of the slope."""
_LONGEST = 14


def symbol(data: Derivatives, order: int) -> str:
    """The symbol of the derivative of an order: f, f′, f″, f‴, f⁽⁴⁾.

    A function without a name, or with a long one, is called f.
    """
    name = data.function if data.function.isidentifier() and len(data.function) <= _LONGEST else "f"
    return name + (("", "′", "″", "‴")[order] if order < 4 else f"⁽{_raised(order)}⁾")


def _raised(number: int) -> str:
    return str(number).translate(_RAISED)


def variable(data: Derivatives) -> str:
    """The name of the function's argument."""
    return data.formulas.found.wrt.text if data.formulas.found else "x"


def panels(data: Derivatives, size: Size = SIZE) -> list[dict[str, Any]]:
    """Everything that stays in place when the point moves: a plot for every order. A page draws it in any size."""
    return [_panel(data, order, size) for order in range(data.order + 1)]


def _frame(data: Derivatives, order: int, size: Size) -> Frame:
    high = [found for found in data.curves.breaks if found.kind in ("pole", "overflow")]
    cut = any([found.order <= order for found in high])
    cut = cut or bool(_beyond(data, order))
    heights = height_of(data.curves.x, data.curves.y[order], cut) if data.curves.sampled else _about(data, order)
    return Frame(size, axis(data.domain), axis(heights))


def _beyond(data: Derivatives, order: int) -> list[float]:
    """The ends of the domain at which a derivative is so large that the rest would look like a flat line."""
    ends = [found.x for found in data.curves.breaks if found.kind == "edge" and found.order < order]
    return ends if ends and goes_far(data.curves.x, data.curves.y[order]) else []


def _about(data: Derivatives, order: int) -> tuple[float, float]:
    """The vertical range for a point without a curve, chosen so that its slope is visible."""
    known = [value if math.isfinite(value) else 0.0 for value in (*data.values[order:], 0.0)]
    reach = max(abs(known[1]) * (data.domain[1] - data.domain[0]) / 4, abs(known[0]) / 2) or 1.0
    return known[0] - reach, known[0] + reach


def _panel(data: Derivatives, order: int, size: Size) -> dict[str, Any]:
    frame, curves = _frame(data, order, size), data.curves
    breaks = [found for found in curves.breaks if found.order <= order]
    gaps = [found for found in breaks if found.kind not in ("pole", "overflow")]
    kinks = [(x, at) for x, at in curves.kinks if at == order]
    return {
        **frame.data(),
        "order": order,
        "name": symbol(data, order),
        "path": frame.path(curves.x, curves.y[order]),
        "poles": [round(float(frame.x(found.x)), 1) for found in breaks if found.kind == "pole"],
        "ends": [place for found in gaps for place in _ends(data, order, found.x, frame)],
        "kinks": [place for x, _ in kinks if (place := frame.point(x, _height(data, order, x)))],
        "note": " ".join(_notes(data, order)),
    }


def _ends(data: Derivatives, order: int, x: float, frame: Frame) -> Iterator[dict[str, float]]:
    """The open ends of a curve on both sides of a break; a single circle where they meet."""
    curves, before = data.curves, None
    gaps = np.flatnonzero(np.isnan(curves.y[order]))
    gap = int(gaps[np.argmin(np.abs(curves.x[gaps] - x))])
    near = (data.domain[1] - data.domain[0]) * 1e-6
    for side in (slice(gap, None, -1), slice(gap, None)):
        known = np.isfinite(curves.y[order][side])
        i = int(np.argmax(known))
        if known.any() and abs(curves.x[side][i] - x) < near:
            found = frame.point(float(curves.x[side][i]), float(curves.y[order][side][i]))
            if found is not None and found != before:
                yield found
            before = found


def _height(data: Derivatives, order: int, x: float) -> float:
    known = np.isfinite(data.curves.y[order])
    return float(np.interp(x, data.curves.x[known], data.curves.y[order][known])) if known.any() else math.nan


def _notes(data: Derivatives, order: int) -> Iterator[str]:
    name = symbol(data, order)
    for kind in ("pole", "overflow", "jump", "hole", "edge"):
        places = [found.x for found in data.curves.breaks if found.order == order and found.kind == kind]
        if places:
            yield say(f"curve_{kind}", name=name, places=_listed(places))
    if beyond := _beyond(data, order):
        yield say("curve_beyond", name=name, places=_listed(beyond))
    kinks = [x for x, at in data.curves.kinks if at == order]
    if kinks:
        yield say("curve_kink", name=name, places=_listed(kinks))


def _listed(places: list[float]) -> str:
    shown = ", ".join([number(x) for x in places[:4]])
    return shown if len(places) <= 4 else say("curve_more", shown=shown, count=len(places) - 4)


# ---------------------------------------------------------------------------------------------------- what moves
def moving(data: Derivatives, size: Size = SIZE) -> dict[str, Any]:
    """Everything that follows the point: its places, the tangent, the Taylor polynomial, numbers and sentences."""
    return {**at_point(data, size), **at_order(data, size)}


def at_point(data: Derivatives, size: Size = SIZE) -> dict[str, Any]:
    """The part that does not depend on the highest order shown."""
    frames = [_frame(data, order, size) for order in range(data.order + 1)]
    label, values = f"{variable(data)} = {number(data.x)}", list(_readings(data))
    return {
        "x": data.x,
        "label": label,
        "across": round(float(frames[0].x(data.x)), 2),
        "points": [frame.point(data.x, value) for frame, value in zip(frames, data.values, strict=True)],
        "tangent": _polynomial_path(frames[0], data, 1) if _has_slope(data) else "",
        "values": values,
        "spoken": ", ".join([label, *[f"{one['name']} = {one['text']}" for one in values]]),
    }


def at_order(data: Derivatives, size: Size = SIZE) -> dict[str, Any]:
    """The part that belongs to the highest order shown."""
    smooth = all(map(math.isfinite, data.values))
    return {
        "taylor": _polynomial_path(_frame(data, 0, size), data, data.order) if smooth and data.order >= 2 else "",
        "legend": list(_legend(data, smooth)),
        "polynomial": polynomial(data) if smooth and data.order else "",
        "said": said(data),
    }


def _has_slope(data: Derivatives) -> bool:
    return data.order >= 1 and all(map(math.isfinite, data.values[:2]))


def _polynomial_path(frame: Frame, data: Derivatives, degree: int) -> str:
    """The tangent or Taylor polynomial, as far as it is near the box; densely sampled only there."""
    x = np.linspace(*data.domain, 2001)
    near = np.flatnonzero(frame.is_near(data.taylor(x, degree)))
    if not near.size:
        return ""
    ends = x[max(0, near[0] - 1)], x[min(x.size - 1, near[-1] + 1)]
    x = np.linspace(*ends, 2 if degree == 1 else 81)
    return frame.path(x, data.taylor(x, degree))


def _readings(data: Derivatives) -> Iterator[dict[str, str]]:
    for order, value in enumerate(data.values):
        known = math.isfinite(value)
        yield {
            "name": f"{symbol(data, order)}({number(data.x)})",
            "text": number(value + 0.0) if known else say("undefined"),
            "exact": repr(value + 0.0) if known else say("undefined"),
        }


def _legend(data: Derivatives, smooth: bool) -> Iterator[dict[str, Any]]:
    if _has_slope(data):
        yield {"kind": "tangent", "name": say("curve_tangent"), "color": TANGENT, "dash": "9 5"}
    if smooth and data.order >= 2:
        name = say("curve_taylor", order=data.order)
        yield {"kind": "taylor", "name": name, "color": TAYLOR, "dash": "3 4"}


def polynomial(data: Derivatives) -> str:
    """The Taylor polynomial as a formula, such as ``T₂(x) = 1 + 2 (x − 1) + (x − 1)²``."""
    parts: list[str] = []
    step = "x" if data.x == 0 else f"(x {MINUS if data.x > 0 else '+'} {number(abs(data.x))})"
    for order, value in enumerate(data.values):
        factor = value / math.factorial(order)
        if factor == 0 and not (order == 0 and not any(data.values)):
            continue
        sign = (MINUS if factor < 0 else "+") if parts else (MINUS if factor < 0 else "")
        size = number(abs(factor))
        power = "" if order == 0 else step if order == 1 else step + _raised(order)
        term = size if order == 0 else power if abs(factor) == 1 else f"{size} {power}"
        parts.append(f" {sign} {term}" if parts else f"{sign}{term}")
    return f"T{str(data.order).translate(_LOWERED)}(x) = {''.join(parts)}"


def said(data: Derivatives) -> str:
    """What happens at the point, in one or two sentences."""
    remarks = list(_remarks(data))
    kinks = data.curves.kinks if data.order else ()
    told = [] if any([order == 0 and _is_here(data, x) for x, order in kinks]) else list(_shape(data))
    return " ".join([*told, *remarks])


def _is_here(data: Derivatives, x: float, near: float = _NEAR) -> bool:
    return abs(x - data.x) <= near * (data.domain[1] - data.domain[0])


def _shape(data: Derivatives) -> Iterator[str]:
    """How the function continues from here."""
    name = symbol(data, 0)
    if not _has_slope(data):
        if math.isfinite(data.values[0]):
            yield say("curve_value", name=name, value=number(data.values[0] + 0.0))
        return
    slope = data.values[1]
    if (turn := _turning(data)) is not None:
        kind, x = turn
        where = say("curve_here") if x == data.x else say("curve_there", x=f"{variable(data)} = {number(x)}")
        yield say(f"curve_{kind}", name=name, slope=symbol(data, 1), where=where)
        return
    yield say("curve_rises" if slope > 0 else "curve_falls", name=name, slope=number(slope))
    if data.order >= 2 and math.isfinite(data.values[2]) and data.values[2]:
        yield say("curve_bends_up" if data.values[2] > 0 else "curve_bends_down")


def _turning(data: Derivatives) -> tuple[str, float] | None:
    """The kind and place of a zero of the slope at the point or right next to it."""
    curves, reach = data.curves, _BESIDE * (data.domain[1] - data.domain[0])
    broken = [x for x, _ in curves.kinks] + [found.x for found in curves.breaks]
    if curves.sampled and not any([_is_here(data, x, 2 * _BESIDE) for x in broken]):
        close = data.x + np.array([-reach, 0.0, reach])
        left, _, right = heights = np.interp(close, curves.x, curves.y[1])
        if left * right < 0:
            zero = data.x if data.values[1] == 0 else np.interp(0.0, heights * np.sign(right), close)
            return ("top" if left > 0 else "bottom"), float(zero)
    return ("level", data.x) if data.values[1] == 0 else None


def _remarks(data: Derivatives) -> Iterator[str]:
    """Further remarks about this point."""
    if not data.curves.sampled:
        yield say("curve_point", name=symbol(data, 0))
    for x, order in data.curves.kinks:
        if _is_here(data, x) and order < data.order:
            yield say("curve_at_kink", name=symbol(data, order), next=symbol(data, order + 1))
    for order, value in enumerate(data.values):
        if math.isfinite(value) and _frame(data, order, SIZE).point(data.x, value) is None:
            yield say("curve_outside", name=symbol(data, order))
    if not all(map(math.isfinite, data.values)):
        yield say("curve_undefined", name=symbol(data, int(np.argmin(np.isfinite(data.values)))))
    if data.curves.raised and not math.isfinite(data.values[0]):
        yield say("curve_raised", name=symbol(data, 0), error=clean(data.curves.raised, 120))


def spoken(data: Derivatives) -> str:
    """Everything in words, for readers who do not see it."""
    values = ", ".join([f"{one['name']} = {one['text']}" for one in _readings(data)])
    notes = [note for order in range(data.order + 1) if (note := " ".join(_notes(data, order)))]
    low, high = (number(end) for end in data.domain)
    return " ".join([say("curve_alt", name=symbol(data, 0), low=low, high=high, values=values), *notes])


# ---------------------------------------------------------------------------------------------------- how it grows
def growth_rows(data: Derivatives) -> list[dict[str, Any]]:
    """One row per order: the number of steps, and the same in words."""
    rows: list[dict[str, Any]] = []
    for found in data.growth:
        counts = {"steps": found.steps, "unshared": found.unshared}
        words = [plural(found.steps, "step")]
        if found.reused:
            words.append(say("growth_reused", values=plural(found.reused, "value")))
        if found.unshared != found.steps:
            words.append(say("growth_unshared", count=found.unshared))
        rows.append({"name": symbol(data, found.order), **counts, "words": ", ".join(words)})
    return rows
