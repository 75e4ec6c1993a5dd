"""GraphView: the live graph of a computation that has already run, which `Variable.explore` shows.

Such a graph keeps its functions and what their gradient rules need, but neither the constants and attributes that no
rule uses nor the branches that were not taken. So it cannot be run again at another point, and its inputs cannot be
moved; everything that needs no computation works as in `Explorer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

from ...engine import Variable
from ...recording.graph import graph_named, variables_in
from ...recording.model import Recording
from ...shared.collector import collector_waits
from ..draw import say
from ..live.protocol import Shelf
from ..live.widget import LiveView
from .questions import Reader, kind_of


class RecordingView(LiveView):
    """A view of a recording, whose steps can be selected, walked through and searched."""

    kind = "explorer"

    _reader: Reader

    @property
    def recording(self) -> Recording:
        """The recording in the picture: that of the last point that was computed."""
        return self._reader.recording

    def _still(self) -> Recording:
        return self.recording

    def _in_a_line(self) -> str:
        return repr(self.recording)[1:-1]

    def _answers(self, questions: Sequence[Any]) -> dict[str, Any]:
        with collector_waits():
            return super()._answers(questions)

    def _answer(self, question: Any) -> tuple[Shelf, Any]:
        return kind_of(question).shelf, self._reader.ask(question)


class GraphView(RecordingView):
    """A view of a recording whose inputs cannot be moved, created by `Variable.explore`.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.Variable(3.0, name="x")
    >>> view = (x * x).explore()
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.close()
    """

    def __init__(self, recording: Recording) -> None:
        with collector_waits():
            self._reader = Reader(recording)
            super().__init__(self._reader.first, {"still": say("graph_still")}, still="graph")


def choose_step(view: Any, step: int | None) -> None:
    """Let a view of a graph start with a step selected, or the block that contains it."""
    outline = view.recording.outline
    boxes = outline.holders(outline.at_first())
    if step in boxes:
        view._look_at({"selected": step}, [*view._reader.first, ["detail", boxes[step]]])


def explore_graph(y: Variable, frame: FrameType) -> GraphView:
    """The view of the graph of ``y``; ``frame`` is the caller's, whose variables name the steps."""
    view = GraphView(graph_named(y, variables_in(frame)))
    view._save_here("explore", "explore", view.recording.function)
    return view
