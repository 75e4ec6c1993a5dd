"""The part of a live view that talks with the page: colours and words at first, then one message after the other."""

from __future__ import annotations

import threading
from typing import Any

import traitlets

from ..display.colors import palette
from ..display.messages import say
from .part import Part
from .user_error import for_page, user_error

_WORDS = ("live_silent", "live_stale", "live_computing", "live_old", "live_stopping", "live_saved", "still")


class Conversation(Part):
    """Takes the page's messages and acknowledges them. ``still`` says why the inputs cannot be
    moved: ``graph``, where there is no function to run, ``page``, where there is no kernel; else it is empty.
    """

    needs_session = True

    palette = traitlets.Dict().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    ack = traitlets.Int().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)
    error = traitlets.Dict(allow_none=True).tag(sync=True)

    _turn = traitlets.Instance(threading.Condition, ())  # messages may come from several threads: one after the other

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Obey one message. It is acknowledged whatever happens: the page waits for that before it sends the next."""
        if not isinstance(content, dict) or type(content.get("seq")) is not int:
            return
        with self._turn:
            self._answer(content)

    def _answer(self, content: dict[str, Any]) -> None:
        with self.hold_sync():
            try:
                self._obey(content)
                self._wait_a_little()
            except Exception as error:
                self.error = for_page(user_error(error))
            finally:
                self.ack = content["seq"]

    def _wait_a_little(self) -> None:
        """For a part whose obeying takes its time."""


def at_first() -> dict[str, Any]:
    """The traits with which every view begins: colours, words, and no error."""
    return {"palette": palette(), "words": {key: say(key) for key in _WORDS}, "error": None}
