"""The part of the live view with which inputs are moved: controls, Undo, Reset, the point as code."""

from __future__ import annotations

from typing import Any

import traitlets

from ..display.escape import clean
from ..recording.model import Recording
from .part import Part, obeys

_CODE_LIMIT = 100_000


class Inputs(Part):
    """Traits and messages for moving the inputs."""

    needs_session = True
    controls: traitlets.List[Any] = traitlets.List().tag(sync=True)
    can_undo = traitlets.Bool().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)
    error = traitlets.Dict(allow_none=True).tag(sync=True)

    def _shown(self, recording: Recording) -> dict[str, Any]:
        return {**super()._shown(recording), **self._inputs()}

    def _inputs(self) -> dict[str, Any]:
        return {"controls": self._session.controls(), "can_undo": self._session.can_undo}

    @obeys("move", name=str, index=(list, tuple, type(None)), value=(int, float), final=bool)
    def _move(self, name: str, index: Any, value: float, final: bool) -> None:
        if self._session.move(name, index, value, final) or self.error:
            self._moved()
        self._publish(self._inputs())

    @obeys("undo")
    def _undo(self) -> None:
        self._session.undo()
        self._moved()

    @obeys("reset")
    def _reset(self) -> None:
        self._session.reset()
        self._moved()

    @obeys("code")
    def _code(self) -> None:
        self._publish({"code": clean(self._session.code(), limit=_CODE_LIMIT)})

    def _moved(self) -> None:
        """The point is another one: its code is withdrawn, its numbers are computed."""
        self._publish({"code": "", **self._inputs()})
        self._refresh()
