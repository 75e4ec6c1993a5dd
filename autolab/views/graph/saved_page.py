"""What a saved page of a recording holds, so that stepping, opening groups and searching work without a kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...recording.model import Recording
from ...recording.outline import Group, Outline
from ..draw import say
from ..draw.colors import palette
from ..live.protocol import question_key
from ..live.saved_page import SavedPage, still
from ..live.widget import WORDS
from .explorer import Explorer
from .flow import MEASURES
from .free_panel import NOTHING_FREE, what_moves
from .moving_walk import moving_walk
from .page_program import motion
from .questions import Reader, first_questions, kind_of


@dataclass(frozen=True)
class Amount:
    """How much a page holds: ``cells`` rows and columns per array, and ``pictures`` of each graph."""

    cells: int
    pictures: int


AMOUNTS = [Amount(256, 32), Amount(64, 32), Amount(32, 12), Amount(16, 3)]
"""In decreasing order, until one fits."""

MANY_STEPS = 150

MOST_EXPLAINED = 12
"""A page whose graph has more boxes than this does not hold what each of their cells was made of."""


def amounts_for(recording: Recording) -> list[Amount]:
    """Decreasing amounts; only one for more than `MANY_STEPS` steps, where the number of blocks decides, not of cells:
    the layout of a picture takes time for every step.
    """
    steps = len(recording.steps)
    return [Amount(8, min(100, 30_000 // steps + 1))] if steps > MANY_STEPS else AMOUNTS


_MOTION = ("moves", "moved", "elsewhere", "apart")
_OF_BOXES = ("nodes", "signs")
_LONGEST_WALK = 1500  # a page holds walks of at most this many moments, each of which takes 220 bytes


def graph_page(shown: Any) -> SavedPage:
    """The page of a recording, or of a view of one in its present state."""
    recording = shown if isinstance(shown, Recording) else shown.recording
    view = None if shown is recording else shown
    moves = motion(view._session, recording) if isinstance(view, Explorer) else None
    contents = (explorer_page(recording, amount, view, moves) for amount in amounts_for(recording))
    return SavedPage(recording.function, "explorer", contents)


def explorer_page(recording: Recording, amount: Amount, view: Any = None, moves: Any = None) -> dict[str, Any]:
    """The initial state of the page, and the answers that it holds.

    Parameters
    ----------
    recording : Recording
    amount : Amount
    view : Explorer or GraphView, optional
        The page begins with what this view shows.
    moves : dict, optional
        The result of `page_program.motion`: how the page moves, or why it does not.
    """
    reader = Reader(recording, amount.cells)
    look = {} if view is None else {**view.look, "pick": None}
    words = WORDS if view is None else view.words
    held = Held(reader, look.get("direction", "auto"), look.get("own", False))
    held.graphs(look.get("open", {}), amount.pictures)
    held.steps()
    free = NOTHING_FREE if view is None else view._answer(["free", []])[1]
    held.hold(["free", []], free)
    held.hold(["curves"], None if view is None else view._answer(["curves"])[1])
    asked = first_questions(recording) if view is None else view._asked
    asked = [[*question[:2], None] if question[0] == "frame" else question for question in asked]  # no cell selected
    first = [question_key(question) for question in [*asked, ["free", look.get("corners", [])]]]
    what = what_moves(free["controls"])
    if moves:
        moves = {**moves, "words": {key: say(f"page_{key}", what=what) for key in _MOTION}}
        if moves.get("walks") and held.walks:
            shown = moves["shown"]
            moves["moments"] = lambda: moving_walk(recording, shown, amount.cells, len(reader.walk))
        else:
            moves["words"]["moved"] = say("page_moved_alone")
    no_walk = "" if held.walks else say("page_no_walk", count=f"{len(reader.walk):,}")
    if no_walk:
        look["moment"] = None
    look["corners"] = []
    return {
        **({"motion": moves} if moves else {}),
        "state": still({"palette": palette(), "words": words}, no_walk, look=look),
        "answers": held.answers,
        "boxes": held.boxes,
        "first": [key for key in first if key in held.answers] + [question_key(["free", []])],
        "refusal": say("page_no_picture"),
    }


class Held:
    """Collects the answers that a page holds. Those about the same boxes share their readings, in ``boxes``. Answers of
    which there are many are functions, called by `as_json`: together they take more memory than the text.
    """

    def __init__(self, reader: Reader, way: str = "auto", own: bool = False) -> None:
        self._reader, self._way, self._own = reader, way, own
        self.answers: dict[str, list[Any] | Callable[[], list[Any]]] = {}
        self.boxes: list[dict[str, Any]] = []
        self.walks = len(reader.walk) <= _LONGEST_WALK

    def hold(self, question: Sequence[Any], answer: Any) -> None:
        """Add an answer."""
        self.answers[question_key(question)] = [kind_of(question).shelf, answer]

    def _ask(self, question: Sequence[Any]) -> None:
        self.hold(question, self._reader.ask(question))

    def _ask_late(self, question: Sequence[Any]) -> None:
        self.answers[question_key(question)] = lambda: [kind_of(question).shelf, self._reader.ask(question)]

    def graphs(self, opened: Mapping[str, Sequence[int]], most: int) -> None:
        """Add the program and, of the k-th graph, ``most`` / k pictures; that of ``opened`` comes first."""
        self._ask(["program"])
        for order, graph in enumerate(self._reader.graphs):
            first = graph.outline.at_first()
            now = frozenset(opened.get(str(order), first))
            self.boxes.append({field: {} for field in _OF_BOXES})
            for state in states(graph.outline, now, max(1, most // (order + 1))):
                self._picture(order, None if state == first else sorted(state))

    def _picture(self, order: int, open: list[int] | None) -> None:
        self._ask_late(["scene", order, open, self._way])
        question = ["numbers", order, open, self._own]
        numbers = self._reader.ask(question)
        for field, shared in self.boxes[order].items():
            shared.update(numbers.get(field, {}))
        rest = {name: item for name, item in numbers.items() if name not in _OF_BOXES}
        self.hold(question, {**rest, "walks": self.walks, "boxes": list(numbers["nodes"])})

    def steps(self) -> None:
        """Add the details of each box, the moments of the walk, and the flow of each picture."""
        for graph, boxes in zip(self._reader.graphs, self.boxes, strict=True):
            self._side_by_side(graph.outline, boxes["nodes"])
            for box, reading in boxes["nodes"].items():
                self._ask_late(["detail", int(box)])
                if reading["value_cells"]:
                    self._ask_late(["histogram", int(box), None])
                if graph is self._reader.recording and len(boxes["nodes"]) <= MOST_EXPLAINED:
                    for slot in ("value", "gradient"):
                        self._ask_late(["sources", int(box), slot])
        for k in range(len(self._reader.walk) if self.walks else 0):
            self._ask_late(["frame", k, None])
        for kind in ("search", "path", "terms"):
            self._ask([kind])
        pictures = [json.loads(key)[2] for key in self.answers if key.startswith('["scene",0,')]
        for open in pictures[: 1 if self._reader.recording.outline.is_plan else None]:
            for measure in MEASURES:
                self._ask(["flow", measure, open])

    def _side_by_side(self, outline: Outline, boxes: dict[str, Any]) -> None:
        """Put a box of many steps next to that of its result, which has the same numbers: nearby, compression finds
        them.
        """
        results = {str(group.id): group.results for group in outline.groups.values()}
        found = sorted(boxes.items(), key=lambda box: max(results.get(box[0], (int(box[0]),)), default=0))
        boxes.clear()
        boxes.update([(box, _rounded(reading)) for box, reading in found])


def _rounded(reading: Mapping[str, Any]) -> dict[str, Any]:
    """A reading with six digits per cell, which is more than a colour shows."""
    rows = {name: reading[name] for name in ("value_cells", "grad_cells") if reading[name]}
    short = {
        name: [[v if isinstance(v, str) else float(f"{v:.6g}") for v in row] for row in rows[name]] for name in rows
    }
    return {**reading, **short}


MOST_BOXES_HELD = 1000
"""Maximum number of boxes in all pictures of one graph."""

MOST_BOXES_IN_ONE = 300
"""A picture with more boxes is held only if the view shows it."""

Open = frozenset[int]


def states(outline: Outline, now: Open, most: int) -> list[Open]:
    """The sets of open groups whose pictures are held, those reached first at the front."""
    everything = frozenset(group.id for group in outline.groups.values() if group.kind != "run")
    found: dict[Open, None] = {}
    boxes = 0
    most_in_one, most_held = (60, 6000) if len(outline.parents) > MANY_STEPS else (MOST_BOXES_IN_ONE, MOST_BOXES_HELD)
    for state in islice(_wished(outline, now, everything), len(outline.groups) + 20 * most):
        count = outline.size(state)
        if state in found or (found and count > most_in_one):
            continue
        boxes += count
        if found and (boxes > most_held or len(found) == most):
            break
        found[state] = None
    return list(found)


def _wished(outline: Outline, now: Open, everything: Open) -> Iterator[Open]:
    yield from (now, frozenset(), everything)
    waiting, seen = [now], {now}
    around = {group: frozenset(outline.around(group)) for group in outline.groups}
    alone = {group: _alone(outline, group) for group in outline.groups}
    yield from (alone[group] for group in sorted(outline.groups, key=lambda group: len(around[group])))
    while waiting:
        state = waiting.pop(0)
        for group in outline.groups:
            inside = {other for other in state if other == group or group in around[other]}
            next_state = state - inside if group in state else state | alone[group]
            if next_state not in seen:
                seen.add(next_state)
                waiting.append(next_state)
                yield next_state


def _alone(outline: Outline, group: int) -> Open:
    """A group, opened together with those around it, and with its only child if it has just one."""
    return frozenset([group, *outline.around(group), *only_children(outline.groups[group])])


def only_children(group: Group) -> Iterator[int]:
    """The only child of a group, the only child of that one, and so on."""
    while group.only:
        group = group.only
        yield group.id
