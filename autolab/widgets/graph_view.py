"""GraphView: the live view of a graph that is there already, what `Variable.explore` shows.

A graph keeps its functions and what their gradient rules need: not the constants and attributes that no rule asks for,
and not the branches that were not taken. So it cannot be run again at another point without inventing something, and
the inputs stand still; all that needs no computing works as in `Explorer`. Where the function is there to be run again,
`explore` is the view that moves.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import traitlets

from ..display import mimebundle
from ..display.messages import say
from ..display.registry import Bundle
from ..engine.variable import Variable
from ..recording.collector import collector_waits
from ..recording.model import Recording
from ..recording.tape import graph_named, variables_in
from .conversation import LiveView, at_first
from .explorer import STILL, Explorer


class GraphView(*STILL, LiveView):  # type: ignore[misc]
    """A view of a recording whose inputs cannot be moved: its steps are chosen, walked through and searched.

    Made by `Variable.explore`.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.Variable(3.0, name="x")
    >>> view = (x * x).explore()
    explore: no notebook to draw in; open ...html in a browser
    >>> view.close()
    """

    kind = Explorer.kind

    # what the parts that need a function would show: the page asks for it all the same
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    settings: traitlets.List[Any] = traitlets.List().tag(sync=True)
    since = traitlets.Dict().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)
    can_undo = traitlets.Bool().tag(sync=True)
    computing = traitlets.Unicode().tag(sync=True)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        first = at_first()
        first["words"]["still"] = say("graph_still")
        super().__init__(**first, still="graph", **self._shown(recording))
        self._listen()

    @collector_waits()
    def _shown(self, recording: Recording) -> dict[str, Any]:
        return super()._shown(recording)

    @property
    def recording(self) -> Recording:
        """What the picture shows."""
        return self._recording

    def _static(self) -> Bundle:
        return mimebundle(self._recording)


def explore_graph(y: Variable, frame: FrameType) -> GraphView:
    """The view of the graph of ``y``; ``frame`` holds the caller's variables, whose names are known there."""
    view = GraphView(graph_named(y, variables_in(frame)))
    view._save_here("explore", "explore", view.recording.function)
    return view
