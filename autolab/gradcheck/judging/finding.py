"""Finding: one result of a check; and Explanation, from which a finding about a wrong gradient is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..messages import INNOCENT, Kind, say, shown


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    ``input`` is the name of the input concerned, or None. ``evidence`` holds the numbers of the message as plain data.
    ``hint`` says where to look, never what to write.

    Examples
    --------
    >>> import autolab
    >>> @autolab.primitive(x=lambda g, x: g * x)  # the 2 of 2 x is forgotten
    ... def square(xp, x):
    ...     return x * x
    >>> (finding,) = autolab.check_gradients(lambda x: square(x), x=3.0).findings
    >>> finding.kind, finding.input, finding.evidence["factor"]
    ('wrong_factor', 'x', 0.5)
    """

    kind: Kind
    input: str | None
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    hint: str = ""

    @classmethod
    def said(
        cls, key: str, input: str | None = None, evidence: Mapping[str, Any] | None = None, **words: object
    ) -> Finding:
        """The sentence ``key`` about an input or all of the function; what stands before its dot is the kind."""
        name = "" if input is None else shown(input)
        return cls(cast(Kind, key.partition(".")[0]), input, say(key, **{"input": name, **words}), evidence or {})

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    @property
    def innocent(self) -> bool:
        """True if it is an explanation rather than a failure."""
        return self.kind in INNOCENT and self.evidence.get("verdict") != "wrong"


@dataclass(frozen=True)
class Explanation:
    """What a search for the cause of a wrong gradient comes back with: the words of its sentence that are not among the
    numbers of the gradient, and more evidence.

    ``cause`` tells it from others of its kind that have other sentences. ``element`` is the one whose numbers are said,
    by default the worst; ``after`` a sentence that follows.
    """

    kind: Kind
    words: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    cause: str = ""
    element: int | None = None
    after: str = ""


def because(
    kind: Kind, key: str, cause: str = "", formulas: Mapping[str, str] | None = None, **words: Any
) -> Explanation:
    """One with words that say how it came about: the sentence ``key`` of that kind. ``formulas`` go further than that:
    what was written, what is right, which term is missing."""
    how = say(f"{kind}.{key}", **words)
    return Explanation(kind, {"how": how}, {"how": how, **(formulas or {})}, cause)
