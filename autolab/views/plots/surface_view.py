"""SurfaceView: a loss surface that is pointed at, and on which a ball rolls. Python computes; JavaScript only draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.rolling import OPTIMIZERS, checked_start, settings_of
from ...engine.display import Bundle
from ...optimizers import Optimizer
from .. import mimebundle
from ..draw.chart import Line, chart
from ..draw.escape import clean
from ..draw.messages import plural, say
from ..draw.numbers import number
from ..draw.plot import Size
from ..live.protocol import not_understood, on_question, question_key
from ..live.saved_page import SavedPage, still
from ..live.widget import LiveView, at_first
from .loss_colors import LossColors
from .surface import describe, frame_of, interpolated, levels

if TYPE_CHECKING:
    from ...analysis.landscape import Surface
    from ...analysis.rolling import Roll

_SIZE = Size(470.0, 440.0, left=70.0, right=14.0, top=12.0, bottom=48.0)
_WORDS = (
    "hint",
    "hint_still",
    "arrows",
    "unknown",
    "none",
    "still",
    *[f"tone_{tone}" for tone in ("linear", "log", "rank")],
)
_ARROWS = 11
_SHORTEST = 0.25
"""Of the longest arrow: how long that of the smallest gradient is."""
_WIDE = 50.0
"""The losses of a way are drawn on a logarithmic axis beyond this ratio."""


class SurfaceView(LiveView):
    """A live view of a loss surface, made by `Surface.explore`.

    Examples
    --------
    >>> import autolab
    >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0))
    >>> view = bowl.explore((1.0, 0.5), autolab.optimizers.SGD(lr=0.25), steps=2)
    explore: no notebook to draw in; open ...html in a browser
    >>> view.roll.values.tolist()
    [1.25, 0.3125, 0.078125]
    >>> view.close()
    """

    kind = "surface"

    def __init__(self, surface: Surface, start: Sequence[float] | None, optimizer: str | Optimizer, steps: int) -> None:
        self._surface, self._frame = surface, frame_of(surface, _SIZE)
        self._arrows = _Arrows(surface)
        name, settings = settings_of(optimizer)
        ball = None if start is None else _as_text(checked_start(start, (surface.x, surface.y)))
        if ball is not None:
            surface.roll(_numbers(ball), name, steps, settings)  # what is wrong is said here
        look = {
            "tone": LossColors(surface.values).tone, "ball": ball, "optimizer": name,
            "settings": _as_text(settings.values()), "steps": steps, "here": "",
        }  # fmt: skip
        words = {word: say(f"surface_{word}") for word in _WORDS}
        asked = [["surface", look["tone"]], _question(look), ["slope", ""]]
        super().__init__(**at_first(**words), **self._answers(asked), look=look)
        self._listen()

    # ------------------------------------------------------------------ for Python
    @property
    def roll(self) -> Roll | None:
        """The way of the ball that is shown; None before one is put down."""
        look = self.look
        if look["ball"] is None:
            return None
        return self._rolled(look["ball"], look["optimizer"], look["settings"], look["steps"])

    def page_to_save(self) -> SavedPage:
        """The page without a kernel: every kind of colours, and the gradient where there are arrows."""
        questions = [["surface", tone] for tone in LossColors(self._surface.values).offered]
        questions += [["slope", f"{i} {j}"] for i, j in self._arrows.places]
        answers = {question_key(question): self._answer(question) for question in questions}
        state = still(self.state(), say("surface_still"))
        return SavedPage(self._title, self.kind, [{"state": state, "answers": answers}])

    @property
    def _title(self) -> str:
        first, second = map(clean, self._surface.names)
        return say("surface_title", first=first, second=second)

    def _static(self) -> Bundle:
        way = self.roll
        shown = self._surface if way is None else replace(self._surface, path=way.places, path_values=way.values)
        return mimebundle(shown)

    # ------------------------------------------------------------------ for the page
    @on_question("surface", "page", tone=str)
    def _picture(self, tone: str) -> dict[str, Any]:
        """The surface with its numbers, axes, colours and arrows."""
        shown, frame = self._surface, self._frame
        colors = LossColors(shown.values, tone)  # type: ignore[arg-type]  # what is not offered is chosen anew
        fine = interpolated(shown, colors)
        return {
            **frame.data(),
            "title": self._title,
            "names": [clean(name) for name in shown.names],
            "description": describe(replace(shown, path=np.empty((0, 2)))),
            "note": " ".join([say(f"surface_{colors.tone}"), *self._notes()]),
            "tone": colors.tone,
            "tones": colors.offered,
            "places": [shown.x.tolist(), shown.y.tolist()],
            "losses": shown.values.astype("<f4").tobytes(),
            "cells": fine.astype("<f4").tobytes(),
            "side": len(fine),
            "levels": levels(shown, colors, frame),
            "ticks": [[float(colors.place(value)), text] for value, text in colors.ticks],
            "arrows": self._arrows.drawn(frame.x, frame.y),
            "optimizers": {name: _defaults(name) for name in OPTIMIZERS},
        }

    def _notes(self) -> list[str]:
        return [] if self._surface.chosen == "axes" else [say("surface_in_plane")]

    @on_question("slope", "answers", here=str)
    def _slope(self, here: str) -> dict[str, Any] | None:
        """Loss and gradient at a point of the grid, by backward; None where none is pointed at."""
        if not here:
            return None
        try:
            row, column = (int(part) for part in here.split())
            x, y = self._surface.x[column], self._surface.y[row]
        except (ValueError, IndexError):
            raise not_understood(["slope", here]) from None
        return _told(*self._surface.plane.slope(float(x), float(y)))

    @on_question("roll", "numbers", ball=(str, type(None)), optimizer=str, settings=str, steps=int)
    def _way(self, ball: str | None, optimizer: str, settings: str, steps: int) -> dict[str, Any] | None:
        """The way of a ball; why there is none is ``absent``."""
        if ball is None:
            return None
        try:
            found = self._rolled(ball, optimizer, settings, steps)
        except Exception as error:  # of the settings, or of the user's own function
            return {"absent": clean(f"{type(error).__name__}: {error}", 300)}
        return {
            "absent": "",
            "places": [[_near(self._frame.x(x)), _near(self._frame.y(y))] for x, y in found.places],
            "numbers": [
                {"place": [number(v) for v in place], **_told(value, slope)}
                for place, value, slope in zip(found.places.tolist(), found.values, found.gradients, strict=True)
            ],
            "chart": _chart(found),
            "told": " ".join(self._sentences(found)),
        }

    def _rolled(self, ball: str, optimizer: str, settings: str, steps: int) -> Roll:
        names = OPTIMIZERS[optimizer]().hyperparameters if optimizer in OPTIMIZERS else ()
        given = dict(zip(names, _numbers(settings), strict=True))
        return self._surface.roll(_numbers(ball), optimizer, steps, given)

    def _sentences(self, found: Roll) -> list[str]:
        settings = ", ".join(f"{name} = {number(value)}" for name, value in found.settings.items())
        x, y = (number(v) for v in found.places[0].tolist())
        count = plural(len(found.places) - 1, "step")
        told = [say("surface_rolls", optimizer=found.optimizer, settings=settings, count=count, x=x, y=y)]
        low, high = (np.array([axis[end] for axis in (self._surface.x, self._surface.y)]) for end in (0, -1))
        if ((found.places < low) | (found.places > high)).any():
            told.append(say("surface_left"))
        return [*told, say("surface_ended")] if found.ended else told


class _Arrows:
    """Gradients at points of the grid, evenly spread."""

    def __init__(self, surface: Surface) -> None:
        rows, columns = (np.linspace(0, n - 1, min(n, _ARROWS)).round().astype(int) for n in surface.values.shape)
        self.places = [(int(i), int(j)) for i in rows for j in columns]
        self._at = [(float(surface.x[j]), float(surface.y[i])) for i, j in self.places]
        self._slopes = [surface.plane.slope(x, y)[1] for x, y in self._at]
        self._apart = min(abs(np.diff(surface.x[columns])).min(), abs(np.diff(surface.y[rows])).min())

    def drawn(self, across: Any, down: Any) -> list[list[float]]:
        """Where each begins and ends in the picture: along the way that a step along the gradient would take there."""
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


def _chart(found: Roll) -> Any:
    known = found.values[np.isfinite(found.values)]
    log = bool(known.size and known.min() > 0 and known.max() > _WIDE * known.min())
    steps = list(range(len(found.values)))
    return chart(say("surface_steps"), [Line("loss", steps, found.values.tolist())], log, say("surface_step"))


def _question(look: dict[str, Any]) -> list[Any]:
    return ["roll", look["ball"], look["optimizer"], look["settings"], look["steps"]]


# Numbers go to the page and come back as text: a number itself has another text in JavaScript, and with it another key.
def _as_text(numbers: Any) -> str:
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
