"""The catalogue: every sentence that a view shows, in one voice; a table for each room of the lab.

A sentence must be true in every situation in which its key is used; tests look keys up here instead of repeating
words.
"""

from __future__ import annotations

from ....shared.numerals import listed as listed
from ....shared.numerals import sentences

SENTENCES = sentences(__file__)


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("zero")
    'The gradient is exactly zero.'
    """
    return SENTENCES[key].format(**values)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun.

    Examples
    --------
    >>> plural(1, "step"), plural(0, "input"), plural(2, "pass", "passes")
    ('1 step', '0 inputs', '2 passes')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"
