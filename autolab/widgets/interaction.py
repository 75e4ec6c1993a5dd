"""interact(): what a function makes of numbers that can be moved, as charts, heatmaps and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from ..analysis.line_charts import LineChart
from ..binding import chosen_options
from ..display import mimebundle
from ..display.colors import DASHES, LINES
from ..display.escape import Markup, clean, join
from ..display.html import paragraph, prose
from ..display.line_chart_view import drawn
from ..display.messages import say
from ..display.registry import Bundle
from ..engine.config import config, using_config
from ..engine.errors import a_kind
from .board import Board
from .knobs import Choice, Dice, Knob, Slider, knobs
from .live_view import LiveView, at_first
from .messages import on_message
from .planes import Planes
from .shown import gather

_WORDS = ("heat_keys", "interact_draw")
_MOST_TEXT = 2000


class Interact(Planes, LiveView):
    """A live view of what a function returns, made by `interact`.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.interact(lambda n: f"{n} times {n} is {n * n}", n=(1, 3, 9))
    interact: no notebook to draw in; open ...html in a browser
    >>> view.inputs
    {'n': 3}
    >>> view.close()
    """

    kind = "interact"

    title = traitlets.Unicode().tag(sync=True)
    sliders: traitlets.List[Any] = traitlets.List().tag(sync=True)
    choices: traitlets.List[Any] = traitlets.List().tag(sync=True)
    dice = traitlets.Bool().tag(sync=True)
    told: traitlets.List[Any] = traitlets.List().tag(sync=True)
    charts: traitlets.List[Any] = traitlets.List().tag(sync=True)
    lines = traitlets.Dict().tag(sync=True)

    def __init__(self, fn: Callable[..., Any], inputs: Mapping[str, Any], axes: Mapping[str, str]) -> None:
        self._fn, self._knobs, self._letters = fn, knobs(inputs), axes
        self._train, self._board = config.train, Board([], "value", "linear", True)
        self._name = clean(getattr(fn, "__name__", type(fn).__name__))
        first = at_first()
        words = {**first["words"], **{key: say(key) for key in _WORDS}}
        words |= {"live_stale": say("interact_stale"), "still": say("interact_still")}
        fixed = {"title": self._name, "lines": {**LINES, "dashes": DASHES}}
        super().__init__(**{**first, "words": words}, **fixed, **self._computed())
        self._listen()

    # ------------------------------------------------------------------ for Python
    @property
    def inputs(self) -> dict[str, Any]:
        """Where the sliders and choices stand, by name."""
        return {name: knob.argument() for name, knob in self._knobs.items() if not isinstance(knob, Dice)}

    def _static(self) -> Bundle:
        standing = ", ".join(f"{name} = {value}" for name, value in self.inputs.items())
        heading = f"{self._name}: {standing}" if standing else self._name
        parts: list[Markup] = [paragraph(prose(text)) for text in (heading, *self.told)]
        texts = [heading, *self.told]
        bundles = [mimebundle(chart) for chart in self._charts]
        bundles += [self._board.static()] if self._board.arrays else []
        parts += [Markup(bundle["text/html"]) for bundle in bundles]
        texts += [bundle["text/plain"] for bundle in bundles]
        return {"text/html": str(join(parts)), "text/plain": "\n".join(texts)}

    # ------------------------------------------------------------------ for the page
    def _computed(self) -> dict[str, Any]:
        """Run the function where the knobs stand; the traits that show what it returns."""
        with using_config("train", self._train):
            result = self._fn(**{name: knob.argument() for name, knob in self._knobs.items()})
        told, charts, arrays = _sorted(self._name, result)
        self._show(arrays)
        self._charts = charts
        named = self._knobs.items()
        return {
            "sliders": [knob.entry(name) for name, knob in named if isinstance(knob, Slider)],
            "choices": [knob.entry(name) for name, knob in named if isinstance(knob, Choice)],
            "dice": any([isinstance(knob, Dice) for knob in self._knobs.values()]),
            "told": told,
            "charts": [drawn(chart) for chart in charts],
            "picture": self._board.picture(),
        }

    def _show(self, arrays: Mapping[str, Any]) -> None:
        """The arrays as a board; where one has the shape of an earlier one, it shows the same plane."""
        entries = gather((arrays,), {}) if arrays else []
        has_gradient = any([entry.read("gradient") is not None for entry in entries])
        board = Board(entries, "both" if has_gradient else "value", "linear", True, self._letters if entries else {})
        board.planes |= {shape: plane for shape, plane in self._board.planes.items() if shape in board.planes}
        self._board = board

    def _again(self) -> None:
        self._publish(self._computed())
        self._tell(error=None)

    @on_message("set", key=str, value=(int, float, str))
    def _set(self, key: str, value: float | str) -> None:
        knob: Knob | None = self._knobs.get(key)
        if not isinstance(knob, Slider | Choice):
            raise ValueError(f"interact: got {key!r:.60}; expected one of {', '.join(self.inputs):.150}")
        before = knob.value
        knob.set(value)
        if knob.value != before or self.error:
            self._again()

    @on_message("throw")
    def _throw(self) -> None:
        for knob in self._knobs.values():
            if isinstance(knob, Dice):
                knob.throw()
        self._again()


def _sorted(name: str, result: Any) -> tuple[list[str], list[LineChart], dict[str, Any]]:
    """What a function returned: words, charts and arrays."""
    told: list[str] = []
    charts: list[LineChart] = []
    arrays: dict[str, Any] = {}
    for part in result if isinstance(result, tuple | list) else (result,):
        if isinstance(part, str):
            told.append(clean(part, _MOST_TEXT))
        elif isinstance(part, LineChart):
            charts.append(part)
        elif isinstance(part, Mapping):
            arrays.update(part)
        else:
            expected = "a line_chart, a dict of arrays, text, or a tuple of these"
            raise TypeError(f"interact: {name:.60} returned {a_kind(part)}; expected {expected}")
    return told, charts, arrays


def interact(fn: Callable[..., Any], options: Mapping[str, Any] | None = None, **inputs: Any) -> Interact:
    """Move the arguments of a function, and see what it returns: curves, arrays as heatmaps, words.

    For pictures that `explore` does not draw: how something depends on a number. In plain Python, where there is no
    notebook to draw in, the view is saved as a page and its path printed.

    Parameters
    ----------
    fn : callable
        Returns a `line_chart`, a dict of arrays or Variables by name, text, or a tuple of these.
    options : dict, optional
        ``axes``: a letter for each axis of some arrays, as for `heatmap`.
    **inputs
        Its arguments. A number becomes a slider, and so does ``(low, high)`` or ``(low, start, high)``; whole numbers
        stay whole. A list of words becomes a choice. A numpy Generator becomes a button that draws again; until it is
        pressed, every call gets a generator that gives the same numbers.

    Returns
    -------
    Interact
        ``.inputs`` says where the sliders stand, ``.close()`` ends it.

    Raises
    ------
    TypeError, ValueError
        If an argument is none of these, or ``fn`` returns something else. What ``fn`` raises at first passes through;
        later the view tells it.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> def power(exponent):
    ...     x = np.linspace(0, 1, 50)
    ...     return autolab.line_chart(x, {"x to the power": x**exponent}, y_range=(0, 1))
    >>> view = autolab.interact(power, exponent=(0.0, 2.0, 5.0))
    interact: no notebook to draw in; open ...html in a browser
    """
    if not callable(fn):
        raise TypeError(f"interact: fn is {a_kind(fn)}; expected a function")
    chosen = chosen_options("interact", options, ("axes",))
    view = Interact(fn, inputs, chosen.get("axes") or {})
    view._save_here("interact", "interact", view.title)
    return view
