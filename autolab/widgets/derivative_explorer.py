"""The live derivative explorer: a function's curves with a point that can be moved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import traitlets

from ..analysis import Derivatives, Study
from ..display import mimebundle
from ..display.colors import LINES
from ..display.derivative_scene import growth_rows, moving, panels
from ..display.escape import clean
from ..display.messages import say
from ..display.readings import readings
from ..display.scene import scene
from ..engine.config import config, using_config
from ..engine.variable import Variable
from . import notebook
from .controls import control
from .conversation import Conversation, at_first
from .front_end import LightWidget
from .part import obeys

_WORDS = (
    "curve_computed",
    "curve_drag",
    "curve_graphs",
    "curve_growth",
    "curve_order",
    "curve_written",
)


class DerivativeExplorer(Conversation, LightWidget):
    """A live view of a function of one number and its derivatives. Made by `autolab.derivatives`.

    ``data`` holds what it shows, as plain data.
    """

    kind = "derivatives"

    lines = traitlets.Dict().tag(sync=True)
    most = traitlets.Int().tag(sync=True)
    control = traitlets.Dict().tag(sync=True)
    panels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    moving = traitlets.Dict().tag(sync=True)
    growth: traitlets.List[Any] = traitlets.List().tag(sync=True)
    graphs = traitlets.Bool().tag(sync=True)
    scenes: traitlets.List[Any] = traitlets.List().tag(sync=True)
    readings: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, study: Study) -> None:
        self._study, self._train = study, config.train
        first = at_first()
        words = {**first["words"], **{key: say(key) for key in _WORDS}}
        fixed = {**first, "words": words, "lines": LINES, "most": study.most}
        super().__init__(**fixed, panels=panels(study.data), **self._now(study.data))
        self.on_msg(self._on_message)
        notebook.opened(self)

    # ------------------------------------------------------------------ for Python
    @property
    def data(self) -> Derivatives:
        """What the picture shows."""
        return self._study.data

    def close(self) -> None:
        """Remove the views and stop listening."""
        self.on_msg(self._on_message, remove=True)
        notebook.closed(self)
        self.layout.close()  # a widget of its own, which ipywidgets would keep
        super().close()

    def look_again(self) -> None:
        """A cell has run; what is shown was computed from a function and a number, and stays."""

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and the static picture for where there is none (an untrusted notebook, a web page)."""
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        return {**data, **mimebundle(self)}, metadata

    # ------------------------------------------------------------------ for the page
    def _now(self, data: Derivatives) -> dict[str, Any]:
        """The traits that follow the point and the order."""
        graphs = [data.recording, *data.recording.higher] if self.graphs and data.recording else []
        at = Variable(data.x).data
        return {
            "moving": moving(data),
            "growth": growth_rows(data),
            "control": control("x", "x", at, at, data.domain),
            "scenes": [scene(graph) for graph in graphs],
            "readings": [readings(graph)["nodes"] for graph in graphs],
        }

    @obeys("hello")
    def _hello(self) -> None:
        """The page asks whether anybody is there: the acknowledgement says so."""

    @obeys("move", value=(int, float))
    def _move(self, value: float) -> None:
        self._publish(self._now(self._study.move(value)))

    @obeys("order", order=int)
    def _choose(self, order: int) -> None:
        data = self._study.choose(order)
        self._publish({"panels": panels(data), **self._now(data)})

    @obeys("graphs", open=bool)
    def _open_graphs(self, open: bool) -> None:
        self._publish({"graphs": open})
        self._publish(self._now(self.data))

    def _obey(self, message: Mapping[str, Any]) -> None:
        """In the mode in which the view was opened, whichever thread obeys."""
        with using_config("train", self._train):
            super()._obey(message)
        self._publish({"error": None})


def derivatives(
    fn: Callable[[Variable], Any], x: Any, order: int = 2, domain: tuple[float, float] | None = None
) -> DerivativeExplorer:
    """Look at a function of one number and its derivatives: the curves, and at a point that can be moved the tangent,
    the Taylor polynomial, the values of all derivatives and the graphs that compute them.

    In plain Python, where there is no notebook to draw in, the view is saved as a page and its path printed.

    Parameters
    ----------
    fn : callable
        Takes a Variable of one number, returns one. Other arguments can be fixed with a lambda.
    x : float
        The point, finite.
    order : int
        Up to which derivative, from 0 to 4; in the view it can be changed.
    domain : tuple of two floats, optional
        Where the curves are drawn: by default where the functions that ``fn`` applies to ``x`` are worth looking at,
        or else about 0.

    Returns
    -------
    DerivativeExplorer
        ``.data`` holds what it shows, ``.close()`` ends it.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it should be, or ``fn`` does not return a number.

    Notes
    -----
    Poles, jumps and the ends of where ``fn`` is defined are found by bisection between samples. What lies between two
    samples and shows in neither cannot be found.

    Examples
    --------
    >>> import numpy as np
    >>> view = autolab.derivatives(np.tanh, 0.5, order=3)  # doctest: +SKIP
    """
    view = DerivativeExplorer(Study(fn, x, order, domain))
    if notebook.shell() is None:
        print(f"derivatives: no notebook to draw in; open {_save(view)} in a browser")
    return view


def _save(view: DerivativeExplorer) -> Path:
    """The view as a page in the current folder."""
    from .export import export_html

    name = re.sub(r"\W+", "_", clean(view.data.function), flags=re.ASCII).strip("_") or "function"
    path = Path.cwd() / f"derivatives_{name}.html"
    export_html(view, path)
    return path
