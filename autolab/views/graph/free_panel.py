"""What can be changed in a view: inputs and upstream gradients with their controls, settings, and the order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...recording.model import Recording
from ..draw import say
from ..draw.names import label, shorten
from ..live.controls import Key, control
from ..live.protocol import not_understood
from .moved_input import ways
from .parameters import movable_steps
from .questions import Reader, answers
from .session import Session

_LONGEST_NAME = 24
_REST = {(True, True): "rest", (True, False): "rest_none", (False, True): "rest_fixed", (False, False): "rest_neither"}
"""What can be done with a graph, by whether something in it can be changed, and whether it has a gradient."""

Corners = Mapping[Key, tuple[int, int]]

NOTHING_FREE: dict[str, Any] = {"controls": [], "settings": []}


@answers("free", "numbers", of_session=True, given=list)
def free(reader: Reader, given: list[Any]) -> dict[str, Any]:
    """All that a page can change: the answer to ``["free", [[key, row, column], ...]]``.

    The corners say where the windows of large arrays begin. Each control has the ``node`` of the picture to which it
    belongs.
    """
    session, recording, corners = reader.session, reader.recording, _corners(given)
    if session is None:
        return NOTHING_FREE
    state = session.state
    # an error occurred before them, or tangents are shown instead
    outputs = session.outputs if recording.raised is None and recording.moved is None else ()
    places = movable_steps(session.bound, recording)
    places |= {key: recording.outputs[key] for key in outputs}
    controls = [{**_control(session, recording, key, corners), "node": node} for key, node in places.items()]
    is_free = any([control["kind"] != "fixed" for control in controls])
    has_gradient = bool(recording.backward) or recording.moved is not None
    rest = "rest_plan" if recording.outline.is_plan else _REST[is_free, has_gradient]
    return {
        "controls": controls,
        "rest": say(rest, what=what_moves(controls)) + (f" {say('rest_point')}" if _has_cells(recording) else ""),
        "settings": [
            {"name": name, "label": say(f"setting_{name}"), "value": value, "values": list(values)}
            for name, (value, values) in session.settings().items()
        ],
        "order": state.order,
        "most": session.max_order,
        "wrt": state.wrt,
        "forward": _forward(session),
    }


def _has_cells(recording: Recording) -> bool:
    """Whether some box shows an array cell by cell."""
    return not recording.outline.is_plan and any([s.value is not None and s.value.size > 1 for s in recording.steps])


def what_moves(controls: Iterable[Mapping[str, Any]]) -> str:
    """What can be dragged, in words: a number or, if all inputs are arrays, a cell."""
    kinds = {control["kind"] for control in controls if not control["upstream"]}
    return say("rest_cell" if "grid" in kinds and "slider" not in kinds else "rest_number")


def _forward(session: Session) -> dict[str, Any]:
    """What can move in forward mode, and what does; empty if forward mode is not available."""
    found = ways(session)
    return {"now": next((what for what, way in found.items() if way == session.state.forward), ""), "ways": [*found]}


def _control(session: Session, recording: Recording, key: Key, corners: Corners) -> dict[str, Any]:
    corner, array = corners.get(key, (0, 0)), session.array(key)
    if isinstance(key, str):
        made_of = key, array, session.began(key), session.domains.get(key), corner
    else:
        title = say("upstream_of", name=_output_name(recording, key))
        made_of = title, array, session.outputs[key], None, corner
    known = session.controls.get(key)
    if known is None or not _are_same(known[0], made_of):
        known = session.controls[key] = made_of, control(key, *made_of)
    return known[1]


def _are_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two controls are made from the same data. Their arrays are never changed in place."""
    arrays, rest = slice(1, 3), slice(3, None)
    is_same = [a is b for a, b in zip(one[arrays], other[arrays], strict=True)]
    return all(is_same) and (one[0], one[rest]) == (other[0], other[rest])


def _output_name(recording: Recording, place: int) -> str:
    """The name of an output; without one, "the output" or, if there are several, the expression."""
    step = recording.by_id[recording.outputs[place]]
    if step.name is None and len(recording.outputs) == 1:
        return say("output")
    return shorten(label(step), _LONGEST_NAME)


def _corners(given: list[Any]) -> Corners:
    found: dict[Key, tuple[int, int]] = {}
    for entry in given:
        match entry:
            case [str() | int() as key, int() as row, int() as column]:
                found[key] = (row, column)
            case _:
                raise not_understood(["free", given])
    return found
