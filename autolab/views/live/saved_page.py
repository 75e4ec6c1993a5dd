"""Saved pages of live views: the page's initial state, and the answers to the questions that it may ask."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .computation import Stopped
from .protocol import question_key
from .widget import CALM, LiveView

MAX_BYTES = 2_000_000
"""The contents of a page are reduced until its data has at most this size, if possible."""


_PLAIN = frozenset({str, int, float, bool, type(None)})  # the types of nearly all values on a page


@dataclass(frozen=True)
class SavedPage:
    """``view`` names the module and the style sheet. ``contents`` are ever smaller: the first that fits is written,
    else the last. ``playground`` says where the same view opens with its code.
    """

    title: str
    view: str
    contents: Iterable[Mapping[str, Any]]
    playground: Mapping[str, Any] | None = None

    def data(self) -> str:
        """State and answers, as text for a script element."""
        text = ""
        for content in self.contents:
            opened = {"state": {**content["state"], "playground": self.playground}} if self.playground else {}
            text = as_json({**content, **opened})
            if len(text) <= MAX_BYTES:
                break
        return text


def state_of(view: LiveView) -> dict[str, Any]:
    """The synchronised state of a view, from which a saved page begins."""
    return {name: getattr(view, name) for name in LiveView.class_own_traits(sync=True) if name[0] != "_"}


def still(state: Mapping[str, Any], sentence: str = "", **changes: Any) -> dict[str, Any]:
    """The state in which a page of a live view begins: nothing is under way. ``sentence`` says what the page can do."""
    words = {**state["words"], "still": sentence} if sentence else state["words"]
    return {**state, "still": "page", "ack": 0, "condition": CALM, "words": words, **changes}


def content(
    view: LiveView, answers: Mapping[str, Any], look: Mapping[str, Any], sentence: str, asked: Iterable[Sequence[Any]]
) -> dict[str, Any]:
    """The content of a view's page with its own answers; it begins with those to the questions ``asked``."""
    state = still(state_of(view), sentence, look=look, page={}, numbers={}, answers={})
    return {"state": state, "answers": answers, "first": [key for key in map(question_key, asked) if key in answers]}


def deadline(seconds: float) -> Callable[[], None]:
    """A check that ends a computation when this many seconds have passed."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise Stopped

    return check


def as_json(saved: Any) -> str:
    """Data for a script element. It has no ``<``, so that nothing in it can end the element; bytes are kept apart, in
    base64."""
    buffers: dict[bytes, int] = {}
    places: list[list[Any]] = []

    def without_bytes(value: Any, place: Any) -> Any:
        """``place`` is ``(outer place, key)``; it is only written out if there are bytes."""
        if isinstance(value, Mapping):
            return {k: item if type(item) in _PLAIN else without_bytes(item, (place, k)) for k, item in value.items()}
        if isinstance(value, list | tuple):
            return [item if type(item) in _PLAIN else without_bytes(item, (place, i)) for i, item in enumerate(value)]
        if isinstance(value, bytes | memoryview):
            keys = []
            while place is not None:
                place, key = place
                keys.append(key)
            places.append([keys[::-1], buffers.setdefault(bytes(value), len(buffers))])
            return None
        return value

    def texts(value: Any, place: Any = None, depth: int = 0) -> Iterator[str]:
        """One text per answer. Answers that are functions are called only now, so that they never all exist at once."""
        value = value() if callable(value) else value
        if depth == 2 or not isinstance(value, Mapping):
            yield json.dumps(without_bytes(value, place), allow_nan=False, separators=(",", ":"))
            return
        for k, item in enumerate(value):
            yield f"{',' if k else '{'}{json.dumps(item)}:"
            yield from texts(value[item], (place, item), depth + 1)
        yield "}" if value else "{}"

    def kept() -> list[str]:
        return [base64.b64encode(buffer).decode("ascii") for buffer in buffers]

    parts = texts({**saved, "buffers": kept, "places": lambda: places})
    return "".join([part.replace("<", "\\u003c") for part in parts])
