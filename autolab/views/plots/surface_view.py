"""SurfaceView: a loss surface to point at, on which a ball rolls. Python computes; JavaScript only draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...analysis.landscape import Surface
from ...analysis.rolling import OPTIMIZERS, Roll, checked_start, settings_of
from ...optimizers import Optimizer
from ..draw import clean, number, say
from ..draw.arrays import bytes_of
from ..draw.chart import Line, chart
from ..draw.plot import Size
from ..live.computation import Result, for_page, user_error
from ..live.protocol import not_understood, on_question
from ..live.widget import LiveView
from .surface import LossColors, describe, frame_of, interpolated, levels, title_of

_SIZE = Size(860.0, 500.0, left=78.0, right=116.0, top=12.0, bottom=48.0)
_WORDS = ("rest", "arrows", "unknown", "still", *[f"tone_{tone}" for tone in ("linear", "log", "rank")])
_ARROWS = 11
_SHORTEST = 0.25
"""The length of the arrow of the smallest gradient, as a fraction of the longest arrow."""
_WIDE = 50.0
"""The losses along a path are drawn on a logarithmic axis beyond this ratio."""


class SurfaceView(LiveView):
    """A live view of a loss surface, created by `Surface.explore`.

    Examples
    --------
    >>> import autolab
    >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0))
    >>> view = bowl.explore((1.0, 0.5), autolab.optimizers.SGD(lr=0.25), steps=2)
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.roll.values.tolist()
    [1.25, 0.3125, 0.078125]
    >>> view.close()
    """

    kind = "surface"

    _problem: dict[str, Any] | None = None  # what the function raised, or why there is no path

    def __init__(self, surface: Surface, start: Sequence[float] | None, optimizer: str | Optimizer, steps: int) -> None:
        self._surface, self._frame = surface, frame_of(surface, _SIZE)
        name, settings = settings_of(optimizer)
        ball = None if start is None else as_text(checked_start(start, (surface.x, surface.y)))
        if ball is not None:
            surface.roll(_numbers(ball), name, steps, settings)  # raises if something is wrong
        look = {
            "tone": LossColors(surface.values).tone, "ball": ball, "balls": f"{name} {as_text(settings.values())}",
            "steps": steps, "here": "", "arrows": False, "curve": False,
        }  # fmt: skip
        words = {word: say(f"surface_{word}") for word in _WORDS}
        asked = [["surface", look["tone"]], roll_question(look), ["slope", ""], ["arrows", False]]
        words |= {"live_stale": say("surface_stale"), "live_ended": ""}
        super().__init__(asked, words, look=look)

    # ------------------------------------------------------------------ for Python
    @property
    def roll(self) -> Roll | None:
        """The path of the ball, in a race of the first one; None if there is no ball yet."""
        return next(iter(self.rolls), None)

    @property
    def rolls(self) -> list[Roll]:
        """The paths of all balls: three in a race."""
        look = self.look
        return [] if look["ball"] is None else self._rolled(look["ball"], look["balls"], look["steps"])

    def rolled(self) -> Surface:
        """The surface with the path that is shown."""
        way = self.roll
        return self._surface if way is None else replace(self._surface, path=way.places, path_values=way.values)

    def _still(self) -> Surface:
        return self.rolled()

    def _in_a_line(self) -> str:
        return title_of(self._surface)

    # ------------------------------------------------------------------ for the page
    @on_question("surface", "page", tone=str)
    def _picture(self, tone: str) -> dict[str, Any]:
        """The surface with its numbers, axes, colours and arrows."""
        shown, frame = self._surface, self._frame
        colors = LossColors(shown.values, tone)  # type: ignore[arg-type]  # an unknown tone becomes the default
        fine = interpolated(shown, colors)
        return {
            **frame.data(),
            "title": title_of(self._surface),
            "names": [clean(name) for name in shown.names],
            "description": describe(replace(shown, path=np.empty((0, 2)))),
            "note": say(f"surface_{colors.tone}"),
            "plane": "" if shown.chosen == "axes" else say("surface_in_plane"),
            "tone": colors.tone,
            "tones": colors.offered,
            "places": [shown.x.tolist(), shown.y.tolist()],
            "losses": bytes_of(shown.values),
            "cells": bytes_of(fine),
            "side": len(fine),
            "levels": levels(shown, colors, frame),
            "ticks": [[float(colors.place(value)), text] for value, text in colors.ticks],
            "optimizers": {name: _defaults(name) for name in OPTIMIZERS},
        }

    @cached_property
    def _arrows(self) -> _Arrows:
        return _Arrows(self._surface)

    @on_question("arrows", "answers", shown=bool)
    def _gradients(self, shown: bool) -> list[list[float]]:
        """The gradients as arrows, if they are shown."""
        return self._tried(lambda: self._arrows.drawn(self._frame.x, self._frame.y)) or [] if shown else []

    @on_question("slope", "answers", here=str)
    def _slope(self, here: str) -> dict[str, Any] | None:
        """Loss and gradient at a grid point, by backward; None if none is pointed at, or if backward raises."""
        if not here:
            return None
        try:
            row, column = (int(part) for part in here.split())
            x, y = self._surface.x[column], self._surface.y[row]
        except (ValueError, IndexError):
            raise not_understood(["slope", here]) from None
        found = self._tried(lambda: self._surface.plane.slope(float(x), float(y)))
        return found and _told(*found)

    @on_question("roll", "numbers", ball=(str, type(None)), balls=str, steps=int)
    def _ways(self, ball: str | None, balls: str, steps: int) -> dict[str, Any] | None:
        """The paths of the balls; None if there is no ball, or if an error occurs, which the page shows."""
        found = None if ball is None else self._tried(lambda: self._rolled(ball, balls, steps), is_way=True)
        return {"rolls": [self._rolling(one) for one in found], "chart": _chart(found)} if found else None

    def _tried(self, work: Callable[[], Result], is_way: bool = False) -> Result | None:
        """The result of ``work``; None if the settings are wrong or the user's function raises, which the page shows.
        Only for a path it also says that there is none."""
        try:
            return work()
        except Exception as error:
            self._problem = for_page(user_error(error), ended=not is_way)
            return None

    def _answers(self, questions: Sequence[Any]) -> dict[str, Any]:
        self._problem = None
        return super()._answers(questions)

    def _rolling(self, found: Roll) -> dict[str, Any]:
        steps = []
        for place, value, slope in zip(found.places.tolist(), found.values.tolist(), found.gradients, strict=True):
            known = {"place": [number(v) for v in place], "value": value if math.isfinite(value) else None}
            steps.append({**known, **_told(value, slope)})
        return {
            "optimizer": found.optimizer,
            "places": [[_near(self._frame.x(x)), _near(self._frame.y(y))] for x, y in found.places],
            "numbers": steps,
            "told": " ".join(self._sentences(found)),
        }

    def _turned(self) -> None:
        self._tell(error=self._problem)

    def _rolled(self, ball: str, balls: str, steps: int) -> list[Roll]:
        """The paths of ``balls``, each of which is an optimizer with the numbers of its settings."""
        found = []
        for name, *numbers in (one.split() for one in balls.split(";")):
            keys = OPTIMIZERS[name]().hyperparameters if name in OPTIMIZERS else ()
            given = dict(zip(keys, map(float, numbers), strict=True))
            found.append(self._surface.roll(_numbers(ball), name, steps, given))
        return found

    def _sentences(self, found: Roll) -> list[str]:
        low, high = (np.array([axis[end] for axis in (self._surface.x, self._surface.y)]) for end in (0, -1))
        left = ((found.places < low) | (found.places > high)).any()
        return [say(f"surface_{key}") for key, holds in (("left", left), ("ended", found.ended)) if holds]


class _Arrows:
    """Gradients at evenly spaced grid points."""

    def __init__(self, surface: Surface) -> None:
        rows, columns = (np.linspace(0, n - 1, min(n, _ARROWS)).round().astype(int) for n in surface.values.shape)
        self.places = [(int(i), int(j)) for i in rows for j in columns]
        self._at = [(float(surface.x[j]), float(surface.y[i])) for i, j in self.places]
        self._plane = surface.plane
        self._apart = min(abs(np.diff(surface.x[columns])).min(), abs(np.diff(surface.y[rows])).min())

    @cached_property
    def _slopes(self) -> list[np.ndarray]:
        return [self._plane.slope(x, y)[1] for x, y in self._at]

    def drawn(self, across: Any, down: Any) -> list[list[float]]:
        """The start and end of each arrow in the picture, in the direction of a step along the gradient."""
        ways = [
            (across(x), down(y), across(x + gx) - across(x), down(y + gy) - down(y))
            for (x, y), (gx, gy) in zip(self._at, self._slopes, strict=True)
            if 0 < math.hypot(gx, gy) < math.inf
        ]
        sizes = [math.hypot(u, v) for _, _, u, v in ways]
        most = max(sizes, default=1.0)
        longest = 0.85 * min(abs(across(self._apart) - across(0)), abs(down(self._apart) - down(0)))
        found = []
        for (x, y, u, v), size in zip(ways, sizes, strict=True):
            length = longest * (_SHORTEST + (1 - _SHORTEST) * math.sqrt(size / most))
            found.append([_near(x), _near(y), _near(x + u / size * length), _near(y + v / size * length)])
        return found


def _told(value: float, slope: np.ndarray) -> dict[str, Any]:
    return {"loss": number(float(value)), "slope": [number(v) for v in slope.tolist()]}


def _chart(found: list[Roll]) -> Any:
    values = np.concatenate([one.values for one in found])
    known = values[np.isfinite(values)]
    log = bool(known.size and known.min() > 0 and known.max() > _WIDE * known.min())
    names = [one.optimizer for one in found]
    twice = [name if names.count(name) == 1 else f"{name} {i + 1}" for i, name in enumerate(names)]
    lines = [
        Line(name, list(range(len(one.values))), one.values.tolist()) for name, one in zip(twice, found, strict=True)
    ]
    return chart(say("surface_steps"), lines, log, say("surface_step"))


def roll_question(look: dict[str, Any]) -> list[Any]:
    """The question of a page about the paths of the balls."""
    return ["roll", look["ball"], look["balls"], look["steps"]]


# Numbers go to the page and back as text, since JavaScript formats numbers differently, which would change the keys.
def as_text(numbers: Any) -> str:
    """Numbers as text for the questions of a page."""
    return " ".join([repr(float(v)) for v in numbers])


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split()]


def _defaults(name: str) -> list[list[str]]:
    return [[key, repr(value)] for key, value in settings_of(name)[1].items()]


def _near(place: Any) -> float:
    return round(float(np.clip(place, -1e5, 1e5)), 1)


def open_surface(
    surface: Surface, start: Sequence[float] | None, optimizer: str | Optimizer, steps: int
) -> SurfaceView:
    """The live view of a surface."""
    view = SurfaceView(surface, start, optimizer, steps)
    view._save_here("explore", "surface", " ".join(surface.names))
    return view
