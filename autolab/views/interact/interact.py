"""interact(): what a function returns for inputs that can be moved, as charts, heatmaps and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...analysis.line_charts import MOST_POINTS, LineChart, line_chart
from ...engine import Bundle, Variable, a_kind, config, folded, hidden, is_array, to_cpu, using_config
from ...engine.undisturbed import undisturbed
from ...shared.binding import chosen_options, fitted
from .. import mimebundle
from ..draw import Markup, clean, headline, join, number, paragraph, prose, say
from ..draw.plot import drawn, to_svg
from ..draw.svg import Look, stacked
from ..heatmap.board import AT_FIRST, Board, gather
from ..heatmap.heatmap import BoardView
from ..live.protocol import on_message, on_question
from .knobs import Choice, Dice, Knob, Slider, knobs

_MOST_TEXT = 2000
_MOST_CELLS = 12
"""A one-dimensional array with more numbers is easier to read as a curve than as cells."""


class Interact(BoardView):
    """A live view of what a function returns, created by `interact`.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.interact(lambda n: f"{n} times {n} is {n * n}", n=(1, 3, 9))
    interact: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.inputs
    {'n': 3}
    >>> view.close()
    """

    kind = "interact"

    def __init__(self, fn: Callable[..., Any], inputs: Mapping[str, Any], axes: Mapping[str, str]) -> None:
        self._fn, self._knobs, self._letters = fn, knobs(inputs), axes
        fitted("interact", fn, (), inputs)
        self._train = config.train
        self.title = clean(getattr(fn, "__name__", type(fn).__name__))
        own = {"rest": "rest", "live_stale": "stale", "still": "still", "interact_draw": "draw"}
        words = {key: say(f"interact_{name}") for key, name in own.items()}
        self._compute()
        super().__init__([["free"], ["result"], AT_FIRST], words)

    # ------------------------------------------------------------------ for Python
    @property
    def call(self) -> str:
        """A call of the function with the names of its arguments, as code."""
        return f"{self.title}({', '.join(map(clean, self._knobs))})"

    @property
    def inputs(self) -> dict[str, Any]:
        """The current values of the sliders and choices, by name."""
        return {name: knob.argument() for name, knob in self._knobs.items() if not isinstance(knob, Dice)}

    def _in_a_line(self) -> str:
        return f"{self.title}({', '.join(f'{name}={value!r}' for name, value in self.inputs.items())})"

    def _static(self) -> Bundle:
        bundles = [mimebundle(chart) for chart in self._charts]
        bundles += [self._board.static()] if self._board.arrays else []
        shown = [Markup(bundle["text/html"]) for bundle in bundles]
        said = [paragraph(prose(" ".join(self._told), _MOST_TEXT))] if self._told else []
        texts = [self._in_a_line(), *self._told, *[bundle["text/plain"] for bundle in bundles]]
        html = join([headline(self._in_a_line()), *shown, *said])
        return {"text/html": str(html), "text/plain": "\n".join(texts)}

    # ------------------------------------------------------------------ for the page
    def _compute(self) -> None:
        """Run the function with the current values."""
        with using_config("train", self._train), undisturbed():
            result = self._fn(**{name: knob.argument() for name, knob in self._knobs.items()})
        told, charts, arrays = _sorted(self.title, result, self._letters)
        entries = gather((arrays,), {}) if arrays else []
        self._board = Board(entries, None, "linear", True, self._letters if entries else {})
        self._told, self._charts = told, charts

    @on_question("free", "numbers")
    def _free(self) -> dict[str, Any]:
        """The controls, with the name of the function."""
        named = self._knobs.items()
        return {
            "title": self.call,
            "controls": [knob.entry(name) for name, knob in named if isinstance(knob, Slider)],
            "settings": [knob.entry(name) for name, knob in named if isinstance(knob, Choice)],
            "dice": any([isinstance(knob, Dice) for knob in self._knobs.values()]),
        }

    @on_question("result", "numbers")
    def _result(self) -> dict[str, Any]:
        """What the function returned, except for the arrays."""
        return {"told": self._told, "charts": [drawn(chart) for chart in self._charts]}

    def _again(self) -> None:
        try:
            self._compute()
            self._tell(error=None)
        finally:  # the sliders are updated whatever the function does
            self._answer_anew()

    @on_message("move", key=str, value=(int, float))
    def _move(self, key: str, value: float) -> None:
        self._set(key, value, Slider)

    @on_message("choose", setting=str, value=str)
    def _choose(self, setting: str, value: str) -> None:
        self._set(setting, value, Choice)

    def _set(self, key: str, value: float | str, kind: type[Slider | Choice]) -> None:
        knob: Knob | None = self._knobs.get(key)
        if not isinstance(knob, kind):
            raise ValueError(f"interact: got {key!r:.60}; expected one of {', '.join(self.inputs):.150}")
        before = knob.value
        knob.set(value)
        if knob.value != before or self.error:
            self._again()

    @on_message("draw")
    def _draw(self) -> None:
        for knob in self._knobs.values():
            if isinstance(knob, Dice):
                knob.throw()
        self._again()


def svg_of_view(view: Interact, look: Look) -> Markup:
    """What a view shows now: the charts and heatmaps below one another, and the text."""
    charts = [to_svg([drawn(chart) for chart in view._charts], look)] if view._charts else []
    boards = [view._board.svg(look)] if view._board.arrays else []
    return stacked([*charts, *boards], view._in_a_line(), view._told, look)


def _sorted(name: str, result: Any, axes: Mapping[str, str]) -> tuple[list[str], list[LineChart], dict[str, Any]]:
    """Sort what a function returned into text and numbers, charts, and arrays. An array with named ``axes`` is never
    drawn as a curve."""
    told: list[str] = []
    charts: list[LineChart] = []
    arrays: dict[str, Any] = {}
    parts = result if isinstance(result, tuple | list) else (result,)
    for i, part in enumerate(parts):
        value = part.data if isinstance(part, Variable) else part
        if isinstance(part, str):
            told.append(clean(part, _MOST_TEXT))
        elif isinstance(value, int | float | np.generic) or (is_array(value) and value.ndim == 0):
            told.append(number(to_cpu(value)[()] if is_array(value) else value))
        elif is_array(value):
            called = name if len(parts) == 1 else f"result {i + 1}"
            if called not in axes and _is_curve(part):
                charts.append(line_chart(np.arange(value.size), {called: to_cpu(value)}, x_title="index"))
            else:
                arrays[called] = part
        elif isinstance(part, LineChart):
            charts.append(part)
        elif isinstance(part, Mapping):
            arrays.update(part)
        else:
            expected = "a number, an array, a line_chart, a dict of arrays, text, or a tuple of these"
            raise TypeError(f"interact: {name:.60} returned {a_kind(part)}; expected {expected}")
    return told, charts, arrays


def _is_curve(part: Any) -> bool:
    """Whether an array is a row of many real numbers without a gradient to show beside them."""
    value, gradient = (part.data, part.grad) if isinstance(part, Variable) else (part, None)
    is_row = value.ndim == 1 and _MOST_CELLS < value.size <= MOST_POINTS
    return is_row and value.dtype.kind in "iuf" and gradient is None


def interact(fn: Callable[..., Any], /, options: Mapping[str, Any] | None = None, **inputs: Any) -> Interact:
    """Move the arguments of a function and see what it returns: curves, arrays as heatmaps, text.

    It is for pictures that `explore` does not draw, such as how a curve depends on a number. In plain Python, where
    there is no notebook to draw in, the view is saved as a page in the folder ``autolab_pages``.

    Parameters
    ----------
    fn : callable
        Returns a number, an array or a Variable, a dict of these by name, a `line_chart`, text, or a tuple of these. A
        one-dimensional array with more than 12 numbers is drawn as a curve, any other array as a heatmap.
    options : dict, optional
        ``axes``: one letter per axis for some arrays, as for `heatmap`.
    **inputs
        The arguments of ``fn``. A number becomes a slider, and so does ``(low, high)`` or ``(low, start, high)``;
        a slider between integers takes only integers. A list of strings becomes a choice. A NumPy Generator becomes a
        button that draws new random numbers; until it is pressed, every call gets a generator in the same state.

    Returns
    -------
    Interact
        ``.inputs`` holds the current values of the sliders and choices; ``.close()`` closes the view.

    Raises
    ------
    TypeError, ValueError
        If an argument is none of these, or ``fn`` returns anything else. An exception that ``fn`` raises in the first
        call propagates; later ones are shown in the view.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> def power(exponent):
    ...     x = np.linspace(0, 1, 50)
    ...     return autolab.plots.line_chart(x, {"x to the power": x**exponent}, y_range=(0, 1))
    >>> view = autolab.interact(power, exponent=(0.0, 2.0, 5.0))
    interact: no notebook to draw in; open ...html in a browser; later views go to the same folder
    """
    __tracebackhide__ = hidden()
    with folded():
        if not callable(fn):
            raise TypeError(f"interact: fn is {a_kind(fn)}; expected a function")
        chosen = chosen_options("interact", options, ("axes",))
        view = Interact(fn, inputs, chosen.get("axes") or {})
    view._save_here("interact", "interact", view.title)
    return view
