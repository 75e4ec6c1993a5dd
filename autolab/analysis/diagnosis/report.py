"""Diagnosis: what `diagnose` found in a program, as plain frozen data.

How findings refer to steps, numbers and names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ...engine import Savable, show
from ...recording.model import Recording, Snapshot, Step
from ...shared import numerals


def whole(value: Snapshot | None) -> np.ndarray | None:
    """The numbers of a floating-point array, if all were kept."""
    if value is None or not value.is_whole or value.values.dtype.kind not in "fiub" or not value.size:
        return None
    return value.values.astype(np.float64)


def shape_of(step: Step) -> tuple[int, ...]:
    """The shape of a value; empty for a number, or if there is no value."""
    return () if step.value is None else step.value.shape


def holds(step: Step, array: np.ndarray) -> bool:
    """Whether a value equals an array, compared in the value's dtype."""
    value = step.value
    return value is not None and value.is_whole and np.array_equal(value.values, array.astype(value.values.dtype))


def range_of(value: Snapshot | None) -> tuple[float, float]:
    """The smallest and the largest finite element."""
    return (0.0, 0.0) if value is None else (value.minimum or 0.0, value.maximum or 0.0)


def axes_of_probabilities(values: np.ndarray) -> list[int]:
    """The axes of length greater than 1 along which the numbers sum to 1."""
    return [a for a, n in enumerate(values.shape) if n > 1 and np.allclose(values.sum(axis=a), 1, atol=2e-3)]


def called(step: Step) -> str:
    """The user's name for a value, or its expression; for a step inside a layer, the function and the call."""
    is_inside = step.source not in (step.statement or "") if step.source else _has_no_name(step)
    if is_inside and step.statement and step.line is not None:
        return f"`{step.function}` in `{short(step.statement)}`"
    text = step.name if step.name and step.kind != "call" else step.source or step.name or step.function
    return f"`{short(text)}`" if text else "a value"


def _has_no_name(step: Step) -> bool:
    """Whether a step has a name that was made up for it, such as ``dot_general_9``."""
    return step.name == f"{step.function}_{step.id}"


def short(text: str, most: int = 60) -> str:
    """A text without its comment, shortened if it is too long."""
    text = text.partition("  #")[0]
    return text if len(text) <= most else text[: most - 3] + "..."


def at_line(step: Step) -> str:
    """``Line 7, `F.relu(h)```."""
    return called(step) if step.line is None else f"Line {step.line}, {called(step)},"


def number(x: float) -> str:
    """A number formatted for a sentence."""
    return f"{x:.3g}"


def ends(step: Step) -> str:
    """The smallest and largest elements of a value, as ``-2 and 3``."""
    return " and ".join(map(number, range_of(step.value)))


listed = partial(numerals.listed, most=3)
"""Names as a list in words; only the first of many."""


Certainty = Literal["wrong", "suspicious"]


class CodeLine(NamedTuple):
    """A line of the user's code; None if no line is to blame."""

    line: int | None = None
    file: str | None = None


@dataclass(frozen=True)
class ProgramFinding:
    """One thing that is wrong with a program.

    ``kind`` is a short name such as ``cut_gradient``. ``message`` says what is wrong, with the numbers that show it,
    and ``remedy`` what to write instead. ``line`` counts from 1 in ``file`` (a notebook cell or a module); None if no
    line is to blame. ``certainty`` is ``wrong``, or ``suspicious`` if it may be intended. ``step`` is the id of the
    step of the recording at which it was found; None if it is not in the graph.

    Examples
    --------
    >>> import autolab
    >>> from autolab import functions as F
    >>> found = autolab.diagnose(lambda x: F.sum(F.log(x)), [1.0, 0.0]).findings[0]
    >>> found.kind, found.certainty
    ('not_finite', 'wrong')
    """

    kind: str
    message: str
    remedy: str
    line: int | None = None
    file: str | None = None
    certainty: Certainty = "wrong"
    step: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f" ({self.file}, line {self.line})"
        return f"{self.certainty}: {self.kind}{place}\n  {self.message}\n  {self.remedy}"


@dataclass(frozen=True, eq=False)
class Diagnosis(Savable):
    """What `diagnose` found. It displays itself; ``str(diagnosis)`` is its text.

    Attributes
    ----------
    function : str
    findings : tuple of ProgramFinding
        The most likely cause first.
    facts : tuple of str
        Observations that may be intended, such as a frozen layer.
    looked_at : tuple of str
        What was examined.
    not_looked_at : tuple of str
        What could not be, each with the reason, such as that it takes several training steps.
    recording : Recording or None
        The run that the findings are about; None if it could not be recorded.

    Notes
    -----
    The truth value of a diagnosis is True if nothing was found.

    Examples
    --------
    >>> import autolab
    >>> diagnosis = autolab.diagnose(lambda x: x * x, 3.0)
    >>> bool(diagnosis), diagnosis.findings
    (True, ())
    """

    function: str
    findings: tuple[ProgramFinding, ...]
    facts: tuple[str, ...]
    looked_at: tuple[str, ...]
    not_looked_at: tuple[str, ...] = ()
    recording: Recording | None = field(default=None, repr=False)
    _origin: Any = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        count = len(self.findings)
        head = "nothing found" if not count else "1 finding" if count == 1 else f"{count} findings"
        lines = [f"{self.function}: {head}", *map(str, self.findings)]
        lines += [f"fact: {fact}" for fact in self.facts]
        others = f"; {len(self.not_looked_at)} could not be: .not_looked_at says why" if self.not_looked_at else ""
        return "\n".join([*lines, f"looked at {len(self.looked_at)} things: .looked_at lists them{others}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return str(show(self, "bundle")["text/html"])

    def explore(self) -> Any:
        """Open the live graph at the step of the first finding.

        Raises
        ------
        ValueError
            If the program could not be recorded, or if this is a copy or an unpickled diagnosis, which has no program.

        Examples
        --------
        >>> import autolab
        >>> view = autolab.diagnose(lambda x: x * x, 3.0).explore()
        explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
        """
        return show(self, "live")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_origin": None}  # not all functions can be pickled
