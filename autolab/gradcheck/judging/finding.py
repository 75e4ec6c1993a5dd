"""Finding: one result of a check; and Explanation, from which a finding about a wrong gradient is made.

What checks with given tolerances say when they fail: which input, which element, and both values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from ..measuring.point import Arrays, Shape, array_and_index, index_of
from ..messages import INNOCENT, Kind, Verdict, apart, number, say, shown, where


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


class GradientCheckError(AssertionError, RuntimeError):
    """A gradient is wrong; the message says which and how.

    ``mismatches`` are the disagreements that `check_backward` or `gradcheck` found, as plain data.
    """

    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True)
class Limits:
    """Half the width of a difference, how far a gradient may be from it, and from itself when it is computed again."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float = 0.0

    def allowed(self, numeric: Any) -> Any:
        """By how much a gradient may differ from such a difference."""
        return self.atol + self.rtol * np.abs(numeric)


@dataclass(frozen=True)
class Mismatch:
    """The worst disagreement for one input.

    ``index`` is the index of the element; None if the disagreement shows only along a random direction. ``result`` is
    the index of the result that was differentiated, and ``result_index`` that of its element; None if the upstream
    gradient sums over all results. ``count`` of ``total`` numbers disagree; both are None if random directions found
    the element and the others are not known.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> from autolab.gradcheck import GradientCheckError, check_backward
    >>> @autolab.primitive(x=lambda g, x: g * x)  # the 2 of 2 x is forgotten
    ... def square(xp, x):
    ...     return x * x
    >>> try:
    ...     check_backward(square, np.array([3.0]), np.array([1.0]))
    ... except GradientCheckError as error:
    ...     (worst,) = error.mismatches
    >>> worst.input, worst.index, round(worst.analytic), round(worst.numeric)
    ('x', (0,), 3, 6)
    """

    input: str
    index: tuple[int, ...] | None
    analytic: float
    numeric: float
    allowed: float
    count: int | None = None
    total: int | None = None
    result: int | None = None
    result_index: tuple[int, ...] = ()

    def __str__(self) -> str:
        analytic, numeric = apart(self.analytic, self.numeric)
        words = {"input": self.input, "where": where(self.index or ()), "analytic": analytic}
        if not np.isfinite(self.numeric):
            return say("mismatch.unmeasured", **words)
        kind = "direction" if self.index is None else "element" if self.result is None else "entry"
        words |= {"numeric": numeric, "allowed": number(self.allowed), "result_where": where(self.result_index)}
        sentence = say(f"mismatch.{kind}", **words, result=f"result {self.result}" if self.result else "the result")
        if self.count is None:
            return sentence if self.index is None else f"{sentence} {say('mismatch.probed')}"
        return f"{sentence} {say('mismatch.count', count=self.count, total=self.total)}"


def failure(
    caller: str, function: str, mismatches: Sequence[Mismatch], eps: float, is_wrong: Callable[[], bool]
) -> GradientCheckError:
    """The exception for some mismatches, which it carries along; ``is_wrong`` is asked whether they are a failure."""
    measured = any(np.isfinite(m.numeric) for m in mismatches)
    verdict: Verdict = "wrong" if measured and is_wrong() else "cannot tell"
    lines = [say("mismatch.title", caller=caller, function=shown(function), verdict=verdict), *map(str, mismatches)]
    if measured and verdict == "cannot tell":
        lines.append(say("mismatch.doubtful", eps=number(eps)))
    error = GradientCheckError("\n".join(lines))
    error.mismatches = tuple(mismatches)
    return error


def worst_entry(label: str, shape: Shape, slopes: Arrays, result_shapes: Sequence[Shape] = ()) -> Mismatch | None:
    """The worst of the derivatives by one input: a row per result element, or a single one for all results together.

    ``slopes`` are the analytic and the numeric ones, and how far apart they may be. What is NaN is wrong; what cannot
    be measured comes last.
    """
    analytic, numeric, allowed = slopes
    gap = np.abs(analytic - numeric)
    wrong = ~(gap <= allowed)
    if not wrong.any():
        return None
    size = np.where(np.isfinite(numeric), np.where(np.isnan(gap), np.inf, gap), 0.0)
    place = int(np.argmax(np.where(wrong, size, -1.0)))
    row, k = divmod(place, gap.shape[-1])
    result, index = array_and_index(row, result_shapes) if result_shapes else (None, ())
    numbers = float(analytic.flat[place]), float(numeric.flat[place]), float(allowed.flat[place])
    return Mismatch(label, index_of(k, shape), *numbers, int(wrong.sum()), wrong.size, result, index)
