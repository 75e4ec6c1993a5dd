"""What the pages of a view of a graph are told, by name; and a page of a few lines, without a browser.

`seen` reads the published answers to what is looked at; `looks` changes that as a page would.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

from autolab.views.check.lens import questions_of
from autolab.views.live.protocol import question_key

_SEQ = itertools.count(1)


class Evaluation:
    """The answers that a view has published to its pages."""

    def __init__(self, view: Any) -> None:
        self._held = {**view.page, **view.numbers, **view.answers}
        self.look: dict[str, Any] = view.look
        self.program = self._held.get('["program"]')

    def all(self, kind: str) -> list[Any]:
        """The answers to questions of a kind, in the order in which they were asked."""
        return [answer for key, answer in self._held.items() if json.loads(key)[0] == kind]

    def _one(self, kind: str) -> Any:
        return next(iter(self.all(kind)), None)

    @property
    def scene(self) -> Any:
        return self.all("scene")[0]

    @property
    def readings(self) -> Any:
        return self.all("numbers")[0]

    @property
    def plan(self) -> Any:
        return self.readings

    @property
    def order_scenes(self) -> Any:
        return self.all("scene")[1:]

    @property
    def controls(self) -> Any:
        return self._one("free")["controls"]

    @property
    def settings(self) -> Any:
        return self._one("free")["settings"]

    @property
    def selected(self) -> int | None:
        return self.look.get("selected")

    @property
    def detail(self) -> Any:
        return self._one("detail") or {}

    @property
    def frame(self) -> Any:
        return self._one("frame") or {}

    @property
    def flow(self) -> Any:
        return self._one("flow") or {}

    @property
    def path(self) -> Any:
        return self._one("path") or {}


def seen(view: Any) -> Evaluation:
    """What the pages of a view see now."""
    return Evaluation(view)


def looks(view: Any, **changes: Any) -> Evaluation:
    """Change what is looked at, as a page does; ``open`` are open groups by the order of their graph."""
    look = {"open": {}, "selected": None, "moment": None, "pick": None, "colour": None, "path": False, **view.look}
    look |= changes
    opened = look["open"] = {order: sorted(groups) for order, groups in look["open"].items()}
    orders = range(len(seen(view).program["graphs"]))
    questions: list[Any] = [["program"]]
    for order in orders:
        groups = opened.get(str(order))
        questions += [["scene", order, groups, "auto"], ["numbers", order, groups, False]]
    questions.append(["free", look.get("corners", [])])
    if len(orders) > 1:
        questions += [["terms"], ["curves"]]
    if look["selected"] is not None:
        questions.append(["detail", look["selected"]])
    if look["moment"] is not None:
        questions.append(["frame", look["moment"], look["pick"]])
    if look["colour"]:
        questions.append(["flow", look["colour"], opened.get("0")])
    if look["path"]:
        questions.append(["path"])
    if look.get("search"):
        questions.append(["search"])
    error = view.error
    tell(view, {"do": "look", "look": look, "questions": questions})
    assert view.error == error
    return seen(view)


def asks(view: Any, *question: Any) -> Any:
    """What a page gets that asks something once."""
    tell(view, {"do": "ask", "question": [*question]})
    return view.answers.get(question_key([*question]))


INK = """(canvas, [rows, columns]) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (let n = 3; n < data.length; n += 4) {
    const [x, y] = [((n - 3) / 4) % canvas.width, Math.floor((n - 3) / 4 / canvas.width)];
    found[Math.floor((y * rows) / canvas.height)][Math.floor((x * columns) / canvas.width)] += data[n];
  }
  return found;
}"""
"""How much is drawn in each cell of a canvas: handing over all pixels would take seconds."""


def told(view: Any, kind: str) -> Any:
    """The answer to the first question of a kind."""
    return seen(view).all(kind)[0]


def turn(view: Any, questions: list[list[Any]], **changes: Any) -> None:
    """Look at something else, as a page of a view without a graph does, which asks these questions then."""
    tell(view, {"do": "look", "look": {**view.look, **changes}, "questions": questions})


def turn_heat(view: Any, colours: list[Any] | None, *planes: list[Any]) -> None:
    """Look at other planes of a view of heatmaps, in other colours."""
    others = [json.loads(key) for key in view.numbers if not key.startswith('["heat"')]
    turn(view, [*others, ["heat", colours, [*planes]]], colours=colours, planes=[*planes])


def turn_lens(view: Any, **changes: Any) -> None:
    """Look at something else in the check lens."""
    look = {**view.look, **changes}
    turn(view, questions_of(look), **look)


def turn_order(view: Any, order: int) -> None:
    """Look at another order of the derivative explorer."""
    turn(view, [["curves"], ["point", None], ["order", order, None], ["growth"]], order=order)


def tell(view: Any, message: dict[str, Any]) -> None:
    """Send a message as a page does."""
    view._on_message(None, {**message, "seq": next(_SEQ)}, [])
