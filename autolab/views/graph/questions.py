"""Questions about a recording, and their answers: all that a page shows of it.

An answer depends on the recording and the question alone, not on what was looked at before. So a kernel can give it,
and a saved page can hold it, and views/live/brain.js does not know which of both it talks to. Answers name steps and
groups; in which box one of them stands is for the page to find, which knows what it has opened.

Questions
---------
["program"]                    what the graphs are of, their outlines, the source
["scene", order, open, way]    the picture of a graph with these groups open (null: as at first), running this way
["numbers", order, open, own]  the values and gradients in it, and when a walk knows them; whether each array has a
                               scale of colours of its own
["detail", id]                 all about a step or a group
["frame", k, pick]             a moment of the walk, with a picked cell (or null)
["flow", measure, open]        the sizes of what flows
["path"]                       the path of the first NaN
["search"]                     the words in which steps are found
["free", corners]              what can be changed, which the session tells
["curves"]                     the curves of all orders, for which the session runs the function

A new kind is answered by a function in a module of a view whose name ends with ``_panel``; all of these are loaded.
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
"""Answers that are kept for when they are asked for again."""

_ANSWERS: dict[str, answers] = {}
"""What answers each kind of question."""


class answers(on_question):
    """Marks the function that answers a kind of question, given the `Reader` and, by name, what else the question
    holds. What the session has to answer, too (``of_session``), is never kept: it may have gone on since."""

    make: Callable[..., Any]

    def __init__(self, what: str, shelf: Shelf, of_session: bool = False, **fields: type | tuple[type, ...]) -> None:
        super().__init__(what, shelf, **fields)
        self.of_session = of_session

    def __call__(self, make: Method) -> Method:
        _ANSWERS[self.what], self.make = self, make
        return make

    def answer(self, question: Sequence[Any], reader: Reader) -> Any:
        """The answer of a reader; a question that does not fit is an error."""
        given = self.given(question)  # its lists hold groups of steps, or the cell of a frame
        lists = [] if self.of_session else [part for part in given.values() if isinstance(part, list)]
        if not all([type(part) in (int, str) for parts in lists for part in parts]):
            raise not_understood(question)
        return self.make(reader, **given)


class Reader:
    """Answers questions about one recording, which follows another one in a live view; what several answers need is
    found once.

    Parameters
    ----------
    recording : Recording
    cells : int
        Rows and columns of an array, at most.
    before : Reader, optional
        Of a recording that may be of the same program: what depends on that alone is taken over.
    session : Session, optional
        Where something can be moved; by default that of the reader before.

    Attributes
    ----------
    kept : dict
        What depends on the program alone.
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
        """The answer; None where there is nothing of which is asked, ``{"refused": why}`` where it is not given.

        Raises
        ------
        ValueError
            If it is no question.
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

    # ------------------------------------------------------------------ what several answers need
    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What one panel or another needs of this recording, made once."""
        if name not in self._found:
            self._found[name] = make()
        return self._found[name]

    @cached_property
    def walk(self) -> Playback:
        """The walk through the graph of the function."""
        return Playback(self.recording)

    @cached_property
    def derivation(self) -> Derivation | None:
        """The recorded derivatives as expressions; None if they cannot be read so."""
        from ...analysis.recorded_expressions import NotReadableError, derivation  # no first picture waits for it

        try:
            return derivation(self.recording)
        except NotReadableError:
            return None

    @cached_property
    def scales(self) -> Scales:
        """Where the scales of colours end."""
        return view_scales(self.recording)

    @cached_property
    def alone(self) -> dict[int, int]:
        """Every step as a box of its own."""
        return {step.id: step.id for graph in self.graphs for step in graph.steps}

    @cached_property
    def findings(self) -> list[Observation]:
        """What is wrong."""
        return observations(self.recording)

    @property
    def first(self) -> list[list[Any]]:
        """What a page of a live view asks that has just been opened."""
        return [*first_questions(self.recording), ["free", []], *([["curves"]] if self.recording.higher else [])]

    def graph(self, order: int) -> Recording | None:
        """The graph of the function, or that of a derivative."""
        return self.graphs[order] if 0 <= order < len(self.graphs) else None


def kind_of(question: Any) -> answers:
    """What answers a question, and says on which ``shelf`` the answer is kept; what is none is an error."""
    kind = question[0] if question and isinstance(question, list | tuple) else None
    if not isinstance(kind, str) or kind not in _ANSWERS:
        raise not_understood(question)
    return _ANSWERS[kind]


def first_questions(recording: Recording) -> list[list[Any]]:
    """What a page asks of a recording that has just been opened."""
    orders = range(1 + len(recording.higher))
    pictures = [
        [*question]
        for order in orders
        for question in (("scene", order, None, "auto"), ("numbers", order, None, False))
    ]
    return [["program"], *pictures, *([["terms"]] if recording.higher else [])]


for _panel in sorted(Path(__file__).parent.parent.glob("*/*_panel.py")):  # which answer, with what is defined above
    import_module(f"autolab.views.{_panel.parent.name}.{_panel.stem}")
