"""Questions about a recording, and their answers: everything that a page shows of it.

An answer depends only on the recording and the question, not on what was looked at before. Therefore a kernel can give
it, a saved page can hold it, and views/live/brain.js need not know which. Answers name steps and groups; the page finds
the boxes that show them, because it knows which groups it has opened.

Questions
---------
["program"]                    what the graphs show, their outlines, the source
["scene", order, open, way]    the picture of a graph with these groups open (null: as initially), in this direction
["numbers", order, open, own]  the values and gradients in it, and when each becomes known in the walk; ``own`` gives
                               each array a colour scale of its own
["detail", id]                 all about a step or a group
["sources", id, slot]          what each cell of its "value" or "gradient" was made of
["frame", k, pick]             a moment of the walk, with a selected cell (or null)
["flow", measure, open]        the sizes of what flows
["path"]                       the path of the first NaN
["search"]                     the words by which steps are found
["free", corners]              what can be changed, according to the session
["curves"]                     the curves of all orders, for which the session runs the function

A new kind of question is answered by a function in a module of a view whose name ends with ``_panel``; all such modules
are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...recording.model import Recording
from ...recording.observations import Observation, observations
from ..draw.arrays import MAX_CELLS
from ..live.protocol import Method, Shelf, not_understood, on_question, question_key
from .playback import Playback
from .readings import Scales, view_scales
from .scene import structure
from .session import Session

if TYPE_CHECKING:
    from ...analysis.recorded_expressions import Derivation

MOST_KEPT = 64
"""Maximum number of answers kept for repeated questions."""

_ANSWERS: dict[str, answers] = {}
"""The function that answers each kind of question."""


class answers(on_question):
    """Mark the function that answers a kind of question. It gets the `Reader` and, by name, the other fields of the
    question. Answers that also depend on the session (``of_session``) are never kept, as it may have changed."""

    make: Callable[..., Any]

    def __init__(self, what: str, shelf: Shelf, of_session: bool = False, **fields: type | tuple[type, ...]) -> None:
        super().__init__(what, shelf, **fields)
        self.of_session = of_session

    def __call__(self, make: Method) -> Method:
        _ANSWERS[self.what], self.make = self, make
        return make

    def answer(self, question: Sequence[Any], reader: Reader) -> Any:
        """The answer of a reader; a question that does not fit is an error."""
        given = self.given(question)  # its lists hold groups of steps, or the selected cell of a frame
        lists = [] if self.of_session else [part for part in given.values() if isinstance(part, list)]
        if not all([type(part) in (int, str) for parts in lists for part in parts]):
            raise not_understood(question)
        return self.make(reader, **given)


class Reader:
    """Answers questions about one recording, which in a live view follows another one. What several answers need is
    computed once.

    Parameters
    ----------
    recording : Recording
    cells : int
        Maximum number of rows, and of columns, of an array.
    before : Reader, optional
        The reader of the recording before. If its program is the same, answers that depend only on that are reused.
    session : Session, optional
        The session, if something can be moved; by default that of the reader before.

    Attributes
    ----------
    kept : dict
        What depends only on the program.
    lasting : dict
        What an answer keeps from one recording to the next.

    Examples
    --------
    >>> import autolab
    >>> reader = Reader(autolab.record(lambda x: x * x, 3.0))
    >>> reader.ask(["scene", 0, None, "auto"])["nodes"][0]["name"]
    'x'
    >>> reader.ask(["numbers", 0, None, False])["nodes"]["0"]["grad"]
    '6'
    """

    def __init__(
        self,
        recording: Recording,
        cells: int = MAX_CELLS,
        before: Reader | None = None,
        session: Session | None = None,
    ) -> None:
        self.recording = recording
        self.session: Session | None = session if before is None else before.session
        self.lasting: dict[str, Any] = {} if before is None else before.lasting
        self.graphs = (recording, *recording.higher)
        self.cells = cells
        ended = (recording.raised, recording.unreached, recording.notes)
        self._programs = [ended, recording.wrt, *[structure(graph) for graph in self.graphs]]
        is_same = before is not None and before._programs == self._programs and before.cells == cells
        self.kept: dict[str, Any] = before.kept if before is not None and is_same else {}
        self._found: dict[str, Any] = {}

    def ask(self, question: Sequence[Any]) -> Any:
        """The answer; None if the recording has nothing of the kind, ``{"refused": why}`` if it is not given.

        Raises
        ------
        ValueError
            If it is not a valid question.
        """
        key = question_key(question)
        found = kind_of(question)
        if found.of_session:
            return found.answer(question, self)
        memory = self.kept if found.shelf == "page" else self._found
        if key not in memory:
            if len(memory) >= MOST_KEPT:
                memory.clear()
            memory[key] = found.answer(question, self)
        return memory[key]

    # ------------------------------------------------------------------ shared by several answers
    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """The result of ``make``, which is called only once for this recording."""
        if name not in self._found:
            self._found[name] = make()
        return self._found[name]

    @cached_property
    def walk(self) -> Playback:
        """The walk through the graph of the function."""
        return Playback(self.recording)

    @cached_property
    def derivation(self) -> Derivation | None:
        """The recorded derivatives as expressions; None if they have no readable form."""
        from ...analysis.recorded_expressions import NotReadableError, derivation  # not needed for the first picture

        try:
            return derivation(self.recording)
        except NotReadableError:
            return None

    @cached_property
    def scales(self) -> Scales:
        """The ends of the colour scales."""
        return view_scales(self.recording)

    @cached_property
    def alone(self) -> dict[int, int]:
        """Boxes for every step individually."""
        return {step.id: step.id for graph in self.graphs for step in graph.steps}

    @cached_property
    def findings(self) -> list[Observation]:
        """What is wrong in the recording."""
        return observations(self.recording)

    @property
    def first(self) -> list[list[Any]]:
        """The first questions of a page of a live view."""
        return [*first_questions(self.recording), ["free", []], *([["curves"]] if self.recording.higher else [])]

    def graph(self, order: int) -> Recording | None:
        """The graph of the function (order 0), or of a derivative; None if there is no such graph."""
        return self.graphs[order] if 0 <= order < len(self.graphs) else None


def kind_of(question: Any) -> answers:
    """The handler of a question, which also says on which ``shelf`` the answer is kept; an unknown question is an
    error.
    """
    kind = question[0] if question and isinstance(question, list | tuple) else None
    if not isinstance(kind, str) or kind not in _ANSWERS:
        raise not_understood(question)
    return _ANSWERS[kind]


def first_questions(recording: Recording) -> list[list[Any]]:
    """The first questions of a page about a recording."""
    orders = range(1 + len(recording.higher))
    pictures = [one for k in orders for one in (["scene", k, None, "auto"], ["numbers", k, None, False])]
    return [["program"], *pictures, *([["terms"]] if recording.higher else [])]


for _panel in sorted(Path(__file__).parent.parent.glob("*/*_panel.py")):  # they use the definitions above
    import_module(f"autolab.views.{_panel.parent.name}.{_panel.stem}")
