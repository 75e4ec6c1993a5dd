"""The words that every live view begins with."""

from __future__ import annotations

from collections.abc import Iterable

from ..draw.messages import SENTENCES, say

_LIVE = [key for key in SENTENCES if key.startswith("live_")]
_WORDS = (*_LIVE, "still", "find_reach", "take", "take_png", "take_svg", "take_page")


def view_words(own: Iterable[str] = (), **words: str) -> dict[str, str]:
    """The texts with which a view starts.

    ``own`` are the keys of further sentences, which the page finds under the same keys; ``words`` are sentences under
    keys that the page knows.
    """
    return {key: say(key) for key in (*_WORDS, *own)} | words
