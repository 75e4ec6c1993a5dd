"""Every sentence that a gradient check says, and which findings are innocent.

They are in `sentences.toml`. The catalogue is the check's own: `views.draw.messages` is that of the views, and nothing
here may import views. A sentence says what the evidence shows, never the finished formula.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from ...shared.numerals import precise, sentences

Verdict = Literal["right", "wrong", "cannot tell"]

Kind = Literal[
    "wrong_sign",
    "wrong_factor",
    "swapped_inputs",
    "rearranged",
    "wrong_shape",
    "unreduced_broadcast",
    "missing_dependency",
    "local_error",
    "upstream_ignored",
    "missing_term",
    "wrong_function",
    "left_graph",
    "inplace",
    "nondeterministic",
    "kink",
    "low_precision",
    "cannot_verify",
    "not_checked",
]

INNOCENT: frozenset[Kind] = frozenset({"kink", "low_precision", "cannot_verify", "not_checked"})
"""Findings that explain a verdict and never make a check fail."""

SENTENCES = sentences(__file__)


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("worst", analytic="2", numeric="3", where=" at [0, 1]")
    '2 against 3 numerically at [0, 1]'
    """
    return SENTENCES[key].format(**values)


number = partial(precise, digits=4)
"""A number for a sentence, with about as many digits as pictures have."""


def apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart.

    Examples
    --------
    >>> apart(1.0, 2.0), apart(1.0, 1.00000012), apart(float("inf"), 3.0)
    (('1', '2'), ('1', '1.0000001'), ('∞', '3'))
    """
    for digits in range(4, 18):
        texts = precise(first, digits), precise(second, digits)
        if texts[0] != texts[1]:
            return texts
    return number(first), number(second)


def told_apart(**numbers: float) -> dict[str, str]:
    """The same of two numbers that have names.

    Examples
    --------
    >>> told_apart(given=1.0, expected=1.00000012)
    {'given': '1', 'expected': '1.0000001'}
    """
    return dict(zip(numbers, apart(*numbers.values()), strict=True))


def where(index: tuple[int, ...]) -> str:
    """`` at [1, 2]``; nothing for a 0-d array.

    Examples
    --------
    >>> where((1, 2)), where(())
    (' at [1, 2]', '')
    """
    return f" at {list(index)}" if index else ""


def shown(name: str, limit: int = 60) -> str:
    """A user's name as printable text on one line.

    Examples
    --------
    >>> shown("a\\nb"), shown("w_1")
    ('a\\\\nb', 'w_1')
    """
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= limit else text[: limit - 1] + "…"
