"""The colours and the words that every view begins with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..draw.colors import palette
from ..draw.messages import say

_WORDS = (
    "live_silent",
    "live_stale",
    "live_ended",
    "live_computing",
    "live_old",
    "live_stopping",
    "live_saved",
    "still",
    "find_reach",
    "take",
    "take_png",
    "take_svg",
    "take_page",
)


def at_first(own: Iterable[str] = (), **words: str) -> dict[str, Any]:
    """The traits with which every view begins: colours and words.

    ``own`` are the keys of further sentences, which the page finds under the same keys; ``words`` are sentences for
    keys that the page knows.
    """
    return {"palette": palette(), "words": {key: say(key) for key in (*_WORDS, *own)} | words}
