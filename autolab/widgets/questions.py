"""Questions about a recording, and their answers: all that a page shows of it.

An answer depends on the recording and the question alone, not on what was looked at before. So a kernel can give it,
and a saved page can hold it, and static/brain.js does not know which of both it talks to. Answers name steps and
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
["free", corners]              what can be changed, which the session tells (`free.py`)
["curves"]                     the curves of all orders, for which the session runs the function (`order_curves.py`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Literal, get_args

from ..display.answer import answer
from ..display.detail import MAX_CELLS, detail, home
from ..display.direction import DIRECTIONS, Direction
from ..display.escape import clean
from ..display.flow import MEASURES, flow
from ..display.frames import frame
from ..display.groups import result, results
from ..display.health import SIGNS, findings, sentences, signs_at
from ..display.listing import listing
from ..display.messages import say
from ..display.nan_path import nan_path
from ..display.readings import readings, view_scale
from ..display.scene import scene, structure
from ..display.search import search_words
from ..display.sheet import MAX_CELLS as MOST_IN_FRAME
from ..display.steps import label, order_head
from ..display.text import proof, remarks
from ..display.walk import Walk
from ..recording.model import Recording
from ..recording.orders import MAX_ORDER
from ..recording.outline import Group, Outline
from .messages import not_understood, question_key
from .state import is_finite

Shelf = Literal["page", "numbers", "answers"]
SHELVES: tuple[Shelf, ...] = get_args(Shelf)

MOST_BOXES = 1000
"""A picture with more boxes is not drawn: it would be slow, and nobody could find anything in it."""

MOST_KEPT = 64
"""Answers that are kept for when they are asked for again."""

_WORDS = (
    *("not_yet", "absent", "follow", "walk_rest", "walk_rest_forward", "walk_rule"),
    *("page_others_closed", "what_if", "what_if_each", "what_if_undo", "orders_point", "orders_rest"),
)

Open = frozenset[int]


class Reader:
    """Answers questions about one recording; what several answers need is found once.

    Parameters
    ----------
    recording : Recording
    cells : int
        Rows and columns of an array, at most.
    before : Reader, optional
        Of a recording that may be of the same program: what depends on that alone is taken over.

    Attributes
    ----------
    kept : dict
        What depends on the program alone.

    Examples
    --------
    >>> import autolab
    >>> reader = Reader(autolab.record(lambda x: x * x, 3.0))
    >>> reader.ask(["scene", 0, None, "auto"])["nodes"][0]["name"]
    'x'
    >>> reader.ask(["numbers", 0, None, False])["nodes"]["0"]["grad"]
    '6'
    """

    def __init__(self, recording: Recording, cells: int = MAX_CELLS, before: Reader | None = None) -> None:
        self.recording = recording
        self.graphs = (recording, *recording.higher)
        self.cells = cells
        ended = (recording.raised, recording.unreached)
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
        memory = self.kept if shelf_of(question) == "page" else self._found
        if key not in memory:
            if len(memory) >= MOST_KEPT:
                memory.clear()
            make, fields = _ANSWERS.get(question[0], (None, None, []))[1:]
            if make is None or not _fits(question[1:], fields):
                raise not_understood(question)
            memory[key] = make(self, *question[1:])
        return memory[key]

    # ------------------------------------------------------------------ what several answers need
    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What one panel or another needs of this recording, made once."""
        if name not in self._found:
            self._found[name] = make()
        return self._found[name]

    @cached_property
    def walk(self) -> Walk:
        """The walk through the graph of the function."""
        return Walk(self.recording)

    @cached_property
    def scale(self) -> float:
        """Where the one scale of colours ends."""
        return view_scale(self.recording)

    @cached_property
    def alone(self) -> dict[int, int]:
        """Every step as a box of its own."""
        return {step.id: step.id for graph in self.graphs for step in graph.steps}

    @cached_property
    def _findings(self) -> Any:
        return findings(self.recording)

    def graph(self, order: int) -> Recording | None:
        """The graph of the function, or that of a derivative."""
        return self.graphs[order] if 0 <= order < len(self.graphs) else None

    # ------------------------------------------------------------------ the program
    def _program(self) -> dict[str, Any]:
        recording = self.recording
        inputs = [step for step in recording.steps if step.kind == "input" and step.status != "integer"]
        return {
            "graphs": [{**_head(graph), **_outline(graph)} for graph in self.graphs],
            "inputs": [{"name": step.name, "label": label(step)} for step in inputs if step.name is not None],
            "most": MAX_ORDER,
            "order": len(recording.higher),
            "wrt": recording.wrt,
            "note": clean(remarks(recording)[-1]) if "orders_end" in recording.notes else "",
            "listing": listing(recording, self.alone),
            "fused": _fused(recording),
            "measures": [[by, say(f"flow_{by}")] for by in MEASURES],
            "words": {key: say(key) for key in _WORDS},
            "ways": {"": say("take"), **{suffix: say(f"take_{suffix}") for suffix in ("png", "svg", "pdf", "html")}},
        }

    def _scene(self, order: int, open: list[int] | None, way: Direction) -> Any:
        graph = self.graph(order)
        if way not in DIRECTIONS:
            raise not_understood(["scene", order, open, way])
        if graph is None:
            return None
        opened = _open(graph.outline, open)
        count = graph.outline.size(opened)
        if count > MOST_BOXES:
            return {"refused": say("too_many_boxes", count=count, most=MOST_BOXES)}
        return scene(graph, opened, direction=way)

    # ------------------------------------------------------------------ numbers
    def _numbers(self, order: int, open: list[int] | None, own: bool) -> Any:
        graph = self.graph(order)
        if graph is None or graph.outline.size(opened := _open(graph.outline, open)) > MOST_BOXES:
            return None
        found = readings(graph, opened, scale=self.scale, own=own)
        nodes, scale = found["nodes"], found["scale"]
        if order:
            return {"nodes": nodes, "scale": scale}
        told = [[SIGNS[sign], sentence] for sign, sentence in sentences(graph, self._findings)]
        times = self._times(opened)
        return {
            "nodes": {box: {**node, **times.get(box, _NEVER)} for box, node in nodes.items()},
            "signs": self._signs(opened),
            "scale": scale,
            "walks": True,
            "count": len(self.walk),
            "start": self.walk.start,
            "told": told,
            "none": say("health_none"),
            "nan": any(finding.sign == "nan" for finding in self._findings),
            "proofs": [
                {"text": clean(proof(graph, opening), limit=1000), "agrees": opening.agrees}
                for opening in graph.openings
            ],
        }

    def _signs(self, opened: Open) -> Mapping[str, list[str]]:
        return signs_at(self._findings, self.recording.outline.holders(opened)) if self._findings else {}

    def _times(self, opened: Open) -> dict[str, dict[str, int | None]]:
        outline = self.recording.outline
        return self.walk.times(outline.holders(opened), results(self.recording, opened))

    def _flow(self, measure: str, open: list[int] | None) -> Any:
        if measure not in MEASURES:
            raise not_understood(["flow", measure])
        opened = _open(self.recording.outline, open)
        return None if self.recording.outline.size(opened) > MOST_BOXES else flow(self.recording, measure, opened)

    # ------------------------------------------------------------------ one thing
    def _detail(self, identity: int) -> Any:
        graph = home(self.recording, identity)
        if identity not in graph.outline.groups and identity not in self.alone:
            return None
        walk = self.walk if graph is self.recording else Walk(graph)
        facts, buffers = detail(graph, identity, self.cells, self.scale)
        told = {"answer": answer(walk, identity, self.alone), "what_if": self._what_if(identity)}
        return {**facts, **told, "buffers": buffers}

    def _what_if(self, identity: int) -> dict[str, Any] | None:
        """Whether the value of a step can be replaced, and the number that is there now; None of other steps."""
        step = next((s for s in self.recording.steps if s.id == identity and s.kind == "call"), None)
        if step is None or step.value is None or step.value.dtype.startswith(("int", "uint", "bool")):
            return None
        number = step.value.values.reshape(-1)[0].item() if step.value.size == 1 else None
        return {"value": number if number is None or is_finite(number) else None, "replaced": step.replaced}

    def _frame(self, k: int, pick: list[Any] | None) -> Any:
        if not 0 <= k < len(self.walk):
            return None
        cells = min(self.cells, MOST_IN_FRAME)
        told, buffers = frame(self.walk, k, self.alone, _picked(pick), cells)
        return {**told, "buffers": buffers}

    def _path(self) -> Any:
        return nan_path(self.recording)

    def _search(self) -> Any:
        return search_words(self.recording)


_NEVER = dict.fromkeys(("known", "first", "last", "sends"))
_NONE = type(None)
_ANSWERS: dict[str, tuple[Shelf, Callable[..., Any], list[tuple[type, ...]]]] = {
    "program": ("page", Reader._program, []),
    "scene": ("page", Reader._scene, [(int,), (list, _NONE), (str,)]),
    "search": ("page", Reader._search, []),
    "numbers": ("numbers", Reader._numbers, [(int,), (list, _NONE), (bool,)]),
    "flow": ("numbers", Reader._flow, [(str,), (list, _NONE)]),
    "path": ("numbers", Reader._path, []),
    "detail": ("answers", Reader._detail, [(int,)]),
    "frame": ("answers", Reader._frame, [(int,), (list, _NONE)]),
}
"""For each kind of question: where its answer is kept, what makes it, and what else the question holds."""


def answers(
    kind: str, shelf: Shelf, *fields: type | tuple[type, ...]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks the function that answers a kind of question, given the `Reader` and what else the question holds: so many
    ``fields`` of these types."""

    def mark(make: Callable[..., Any]) -> Callable[..., Any]:
        _ANSWERS[kind] = (shelf, make, [field if isinstance(field, tuple) else (field,) for field in fields])
        return make

    return mark


def shelf_of(question: Any) -> Shelf:
    """Where the answer is kept.

    Raises
    ------
    ValueError
        If it is no question.
    """
    kind = question[0] if question and isinstance(question, list | tuple) else None
    if kind in ("free", "curves"):
        return "numbers"
    if not isinstance(kind, str) or kind not in _ANSWERS:
        raise not_understood(question)
    return _ANSWERS[kind][0]


def shelved(questions: Sequence[Any], ask: Callable[[Any], Any]) -> dict[str, dict[str, Any]]:
    """The answers to questions, by the shelf on which they are kept and by the questions."""
    found: dict[str, dict[str, Any]] = {shelf: {} for shelf in SHELVES}
    for question in questions:
        shelf = found[shelf_of(question)]
        shelf[question_key(question)] = ask(question)
    return found


def first_questions(recording: Recording) -> list[list[Any]]:
    """What a page asks that has just been opened."""
    orders = range(1 + len(recording.higher))
    pictures = [
        [*question]
        for order in orders
        for question in (("scene", order, None, "auto"), ("numbers", order, None, False))
    ]
    return [["program"], *pictures, *([["terms"]] if recording.higher else [])]


def _fits(given: Sequence[Any], fields: Sequence[tuple[type, ...]]) -> bool:
    """Whether a question holds what its kind asks for; a list holds groups of steps, or the cell of a frame."""
    plain = [part for parts in given if isinstance(parts, list) for part in parts]
    return (
        len(given) == len(fields)
        and all([type(part) in field for part, field in zip(given, fields, strict=True)])
        and all([type(part) in (int, str) for part in plain])
    )


def _open(outline: Outline, open: Sequence[int] | None) -> Open:
    return outline.at_first() if open is None else frozenset(outline.groups.keys() & set(open))


def _picked(pick: Any) -> Any:
    """A cell as the page names it; None for anything else."""
    match pick:
        case ["out" | "in" as space, row, column] if type(row) is type(column) is int:
            return space, row, column
    return None


# ---------------------------------------------------------------------------------------------------- the program
def _head(graph: Recording) -> dict[str, Any]:
    name, count = order_head(graph)
    return {"name": name, "count": count}


def _outline(graph: Recording) -> dict[str, Any]:
    """The tree of a graph, with which a page finds the box of a step.

    ``first`` are the groups that are open at first. A group is ``[id, the group around it, whether it is a run, the
    step that its box shows, its only group if it holds nothing else]``. ``steps`` are stretches of steps in the same
    group, ``[first, last, group]``; of the graph of a derivative, ``own`` are the stretches of its own steps.
    """
    outline = graph.outline
    groups = [
        [group.id, outline.parents.get(group.id), group.kind == "run", _result(group), _only(group)]
        for group in outline.groups.values()
    ]
    inside = [(step.id, outline.parents.get(step.id)) for step in graph.steps]
    own = [(step.id, None) for step in graph.steps if step.order == graph.order]
    found = {"first": sorted(outline.at_first()), "groups": groups, "steps": _stretches(inside)}
    return {**found, "own": _stretches(own)} if graph.order else found


def _result(group: Group) -> int | None:
    shown = result(group)
    return None if shown is None else shown.id


def _only(group: Group) -> int | None:
    """The group that is all that a group holds: opening it alone would show another closed box and nothing else."""
    return group.items[0].id if len(group.items) == 1 and isinstance(group.items[0], Group) else None


def _stretches(pairs: Sequence[tuple[int, int | None]]) -> list[list[int | None]]:
    """Numbers that follow each other and have the same partner, as their first and last.

    Examples
    --------
    >>> _stretches([(0, None), (1, None), (2, -1), (4, -1)])
    [[0, 1, None], [2, 2, -1], [4, 4, -1]]
    """
    found: list[list[Any]] = []
    for number, partner in pairs:
        if found and found[-1][1] == number - 1 and found[-1][2] == partner:
            found[-1][1] = number
        else:
            found.append([number, number, partner])
    return found


def _fused(recording: Recording) -> list[dict[str, Any]]:
    """The functions of the run that can be shown as their steps, and which of them are."""
    opened: Set[str] = {opening.function for opening in recording.openings}
    return [
        {"name": name, "open": name in opened, "text": say(_turn(name in opened), function=clean(name, 40))}
        for name in recording.openable
    ]


def _turn(is_open: bool) -> str:
    return "close_fused" if is_open else "open_fused"
