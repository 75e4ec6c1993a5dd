"""The part of the live view that moves and chooses: controls, settings, orders, Undo, Reset, the point as code."""

from __future__ import annotations

from typing import Any

import traitlets

from ..display.escape import clean
from ..display.messages import say
from ..display.steps import label, shorten
from ..recording.model import Recording
from .controls import control
from .part import Part, not_understood, obeys
from .state import Key

_CODE_LIMIT = 100_000
_KEY = (str, int)
_NUMBER = (int, float)
_LONGEST_NAME = 24


class Inputs(Part):
    """Traits and messages for all that a session can do: a view without one does not understand them."""

    needs_session = True
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    settings: traitlets.List[Any] = traitlets.List().tag(sync=True)
    can_undo = traitlets.Bool().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)
    error = traitlets.Dict(allow_none=True).tag(sync=True)

    _corners: traitlets.Dict[Key, tuple[int, int]] = traitlets.Dict()

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), **self._inputs(recording)}

    def _inputs(self, recording: Recording) -> dict[str, Any]:
        session = self._session
        settings = [
            {"name": name, "label": say(f"setting_{name}"), "value": value, "values": list(values)}
            for name, (value, values) in session.settings().items()
        ]
        keys: list[Key] = [*session.state.inputs, *session.outputs]
        return {
            "controls": [self._control(key, recording) for key in keys],
            "settings": settings,
            "can_undo": session.can_undo,
        }

    def _control(self, key: Key, recording: Recording) -> dict[str, Any]:
        """With the ``node`` of the graph that it belongs to."""
        session, corner = self._session, self._corners.get(key, (0, 0))
        if isinstance(key, str):
            limits = session.start.arrays[key], session.domains.get(key)
            node = recording.inputs[[*session.state.inputs].index(key)]
            return {**control(key, key, session.array(key), *limits, corner), "node": node}
        title = say("upstream_of", name=_output_name(recording, key))
        own = control(key, title, session.array(key), session.outputs[key], None, corner)
        return {**own, "node": recording.outputs[key]}

    # ------------------------------------------------------------------ messages
    @obeys("move", key=_KEY, index=(int, type(None)), value=_NUMBER, final=bool)
    def _move(self, key: Key, index: int | None, value: float, final: bool) -> None:
        self._moved(self._session.move(key, index, value, final))

    @obeys("draw", key=_KEY, distribution=str, scale=_NUMBER, seed=int)
    def _draw(self, key: Key, distribution: str, scale: float, seed: int) -> None:
        self._moved(self._session.draw(key, distribution, scale, seed))

    @obeys("choose", setting=str, value=str)
    def _choose(self, setting: str, value: str) -> None:
        self._moved(self._session.choose(setting, value))

    @obeys("order", order=int, wrt=str)
    def _differentiate(self, order: int, wrt: str) -> None:
        self._moved(self._session.differentiate(order, wrt))

    @obeys("open fused", function=str, open=bool)
    def _open_fused(self, function: str, open: bool) -> None:
        if function not in self._recording.openable:
            raise not_understood({"do": "open fused", "function": function})
        self._publish({"selected": None})  # the steps behind are counted anew
        self._moved(self._session.open_fused(function, open))

    @obeys("undo")
    def _undo(self) -> None:
        self._session.undo()
        self._moved()

    @obeys("reset")
    def _reset(self) -> None:
        self._session.reset()
        self._moved()

    @obeys("window", key=_KEY, row=int, column=int)
    def _window(self, key: Key, row: int, column: int) -> None:
        """Show another part of a large array."""
        self._session.array(key)
        self._corners = {**self._corners, key: (row, column)}
        self._publish(self._inputs(self._recording))

    @obeys("code")
    def _code(self) -> None:
        self._publish({"code": clean(self._session.code(), limit=_CODE_LIMIT)})

    def _moved(self, changed: bool = True) -> None:
        """If the point is another one, or the last one failed: its code is withdrawn, its numbers are computed."""
        if changed or self.error:
            self._publish({"code": ""})
            self._refresh()
        self._publish(self._inputs(self._recording))


def _output_name(recording: Recording, place: int) -> str:
    """The name of an output; without one it is "the output", or the expression, where there are several."""
    step = next(step for step in recording.steps if step.id == recording.outputs[place])
    if step.name is None and len(recording.outputs) == 1:
        return say("output")
    return shorten(label(step), _LONGEST_NAME)
