"""How much a report says: in exercises, it withholds what the student is to find out.

GradientReport: what a gradient check found, as plain frozen data; and what it keeps of the function.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from ..engine import Savable, show
from ..engine.habits import answer_habits
from ..engine.source import first_line
from ..shared.binding import Bound
from ..shared.files import as_json
from .judging.contracts import FORWARD
from .judging.finding import Finding, GradientCheckError
from .measuring.subject import Subject
from .measuring.sweep import StepSweep
from .messages import SENTENCES, Verdict, apart, number, say, shown, where

LEVELS = range(5)
"""0: whether something is wrong; 1: in which inputs; 2: at which elements, with numbers; 3: what; 4: where to look."""


def check_level(caller: str, level: Any) -> int:
    """Raise unless the argument is a level."""
    if isinstance(level, bool) or level not in LEVELS:
        raise ValueError(f"{caller}: reveal is {level!r:.40}; expected 0, 1, 2, 3 or 4")
    return int(level)


def revealed(report: GradientReport, level: int, backward: str) -> GradientReport:
    """The report without what its level withholds; ``backward`` says where hints send the reader, if known."""
    if level == 0:
        return replace(report, inputs=(), findings=(), sweep=None)
    if level == 1:
        return replace(report, inputs=tuple(map(_verdict_only, report.inputs)), findings=_innocent(report), sweep=None)
    if level == 2:
        return replace(report, findings=_innocent(report))
    if level == 3:
        return replace(report, findings=tuple(map(_without_formulas, report.findings)))
    return replace(report, findings=tuple([_with_hint(finding, backward) for finding in report.findings]))


def _innocent(report: GradientReport) -> tuple[Finding, ...]:
    return tuple([finding for finding in report.findings if finding.innocent])


def _verdict_only(item: InputReport) -> InputReport:
    nothing = np.full(item.shape, np.nan)
    return replace(item, numeric=nothing, error=nothing, tolerance=nothing, worst=None, measured=0)


_FORMULAS = ("written", "right", "piece", "term", "shared")


def formulas_said(finding: Finding) -> str:
    """The sentence of a hint about what backward computes and what is right, or about the term that is missing."""
    known = {key: finding.evidence[key] for key in _FORMULAS if key in finding.evidence}
    order = {"term": "term", "piece": "rule.piece", "right": "rule"}
    key = next((sentence for name, sentence in order.items() if name in known), "shared")
    return say(f"hint.{key}", **known) if known else ""


def _without_formulas(finding: Finding) -> Finding:
    kept = {key: value for key, value in finding.evidence.items() if key not in _FORMULAS}
    return replace(finding, evidence=kept)


def _with_hint(finding: Finding, backward: str) -> Finding:
    if finding.innocent:
        return finding
    name, cause = "it" if finding.input is None else shown(finding.input), finding.evidence.get("cause")
    own = f"hint.{finding.kind}.{cause}"
    hint = say(own if own in SENTENCES else f"hint.{finding.kind}", input=name)
    is_forward = cause == FORWARD or finding.kind == "left_graph"
    return replace(finding, hint=" ".join(filter(None, (hint, formulas_said(finding), "" if is_forward else backward))))


def written_backward(subject: Subject) -> str:
    """Where the user wrote the backward, in words; empty if there is none, or more than one."""
    functions = [step.function for step in subject.steps()]
    found = {f.name: written for f in functions if (written := getattr(f, "written_backward", None)) is not None}
    if len(found) != 1:
        return ""
    (name, backward), *_ = found.items()
    code = getattr(inspect.unwrap(backward), "__code__", None)
    if code is None:
        return ""
    file = PurePath(code.co_filename)
    in_cell = "ipykernel" in code.co_filename or file.name.startswith("<")
    place = say("hint.cell") if in_cell else shown(file.name)
    return say("hint.backward", function=shown(name), line=first_line(code), place=place)


@dataclass(frozen=True, eq=False)
class CheckedFunction:
    """What a report keeps of the function that it judged, so that it can be explored later.

    ``base`` is the given function with copies of its inputs; ``checked`` is the function whose first derivatives were
    compared: ``base`` itself or, for a higher order, its gradient. ``reveal`` is how much the report may say."""

    base: Bound
    checked: Bound
    order: int
    reveal: int


def kept(bound: Bound) -> Bound:
    """``bound`` with copies of its inputs, so that later changes to the caller's arrays have no effect."""
    copies = {
        name: type(x)(x.array.copy(), name=x.name, requires_grad=x.requires_grad) for name, x in bound.variables.items()
    }
    return replace(bound, variables=copies)


@dataclass(frozen=True, eq=False)
class InputReport:
    """The comparison for one input.

    All arrays have the input's shape. ``analytic`` is what backward computed (None if it returned no gradient),
    ``numeric`` the finite difference (NaN where it was not or cannot be measured), ``error`` the distance between them
    (at a kink, the distance to the nearest of the slopes), and ``tolerance`` the largest error allowed. ``worst`` is
    the index of the largest error, or None if nothing was compared. ``measured`` is the number of elements that were
    compared; the rest of a large input was covered by random directions through all elements. If these disagree,
    ``halves`` lists the shrinking ranges of the flattened input that still do, from the whole input to one element, as
    pairs of start and stop.

    Examples
    --------
    >>> import autolab
    >>> found = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=[1.0, -3.0])["y"]
    >>> found.verdict, found.shape, found.measured
    ('right', (2,), 2)
    >>> bool((found.error <= found.tolerance).all())
    True
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    verdict: Verdict
    analytic: np.ndarray | None
    numeric: np.ndarray
    error: np.ndarray
    tolerance: np.ndarray
    worst: tuple[int, ...] | None
    measured: int
    halves: tuple[tuple[int, int], ...] = ()

    @property
    def coverage(self) -> str:
        """How much of a large input was measured element by element, in words; empty if all of it."""
        total = self.numeric.size
        return say("coverage", count=self.measured, total=total) if 0 < self.measured < total else ""

    @property
    def is_wrong_elsewhere(self) -> bool:
        """Whether every number here is right but the input fails for another reason: at a nearby point, or for another
        upstream gradient.
        """
        return (
            self.verdict == "wrong" and self.worst is not None and self.error[self.worst] <= self.tolerance[self.worst]
        )

    def __str__(self) -> str:
        head = f"{shown(self.name)}: {self.verdict}"
        if self.worst is None or self.analytic is None or self.is_wrong_elsewhere:
            return head
        pair = float(self.analytic[self.worst]), float(self.numeric[self.worst])
        analytic, numeric = apart(*pair) if self.verdict == "wrong" else map(number, pair)
        line = f"{head}, {say('worst', analytic=analytic, numeric=numeric, where=where(self.worst))}"
        return f"{line} ({self.coverage})" if self.coverage else line


@dataclass(frozen=True, eq=False)
class GradientReport(Savable):
    """What `check_gradients` found. It displays itself; ``str(report)`` is its text.

    Attributes
    ----------
    function : str
    verdict : "right", "wrong" or "cannot tell"
    inputs : tuple of InputReport
    findings : tuple of Finding
        Failures first.
    upstream : tuple of arrays
        The upstream gradients used, one per result: 1 if the result is a single number, else random.
    evaluations : int
        The number of calls of the function.
    seconds : float
    sweep : StepSweep or None
        For a wrong gradient, how the error at the worst element of the first wrong input depends on the step.

    Notes
    -----
    The truth value of a report is ``report.passed``, which is True only for the verdict "right". For `explore` it keeps
    the function and copies of the inputs; a copy or a pickle of the report does not.

    Examples
    --------
    >>> import autolab
    >>> report = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=3.0)
    >>> report.verdict, [item.name for item in report.inputs], report.findings
    ('right', ['x', 'y'], ())
    >>> report.raise_for_failure()
    """

    function: str
    verdict: Verdict
    inputs: tuple[InputReport, ...]
    findings: tuple[Finding, ...]
    upstream: tuple[np.ndarray, ...]
    evaluations: int
    seconds: float
    sweep: StepSweep | None = None
    _origin: CheckedFunction | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        """True only if the verdict is "right"."""
        return self.verdict == "right"

    @property
    def _is_drawn(self) -> bool:
        """Whether the upstream gradient is random, so that the gradients are not the familiar slopes."""
        return not all([np.isin(g, (0, 1)).all() for g in self.upstream])

    def __bool__(self) -> bool:
        return self.passed

    def __getitem__(self, name: str) -> InputReport:
        """The report of the input called ``name``."""
        for item in self.inputs:
            if item.name == name:
                return item
        names = ", ".join(shown(item.name) for item in self.inputs)
        raise KeyError(f"GradientReport: no input is called {name!r:.60}; the names are {names}")

    def raise_for_failure(self) -> None:
        """Raise `GradientCheckError` if the check found something wrong.

        "Cannot tell" for innocent reasons (a jump, noise) is not a failure; use ``assert report.passed`` to be strict.
        """
        if self.verdict == "wrong" or any(not finding.innocent for finding in self.findings):
            raise GradientCheckError(str(self))

    def __str__(self) -> str:
        lines = [say("title", function=shown(self.function), verdict=self.verdict)]
        lines += [f"  {item}" for item in self.inputs]
        lines += [str(finding) for finding in self.findings]
        seconds = f"{self.seconds:.1f} s" if self.seconds >= 1 else f"{1e3 * self.seconds:.3g} ms"
        key = "cost.drawn" if self._is_drawn else "cost"
        return "\n".join([*lines, say(key, evaluations=self.evaluations, seconds=seconds)])

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        """The report as dictionaries, lists, strings, numbers and None; NaN and infinities as strings."""
        return {
            "function": self.function,
            "verdict": self.verdict,
            "passed": self.passed,
            "inputs": [{key: as_json(value) for key, value in vars(item).items()} for item in self.inputs],
            "findings": [{**vars(f), "evidence": as_json(f.evidence)} for f in self.findings],
            "upstream": [as_json(g) for g in self.upstream],
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "sweep": None if self.sweep is None else as_json(vars(self.sweep)),
        }

    def explore(self) -> Any:
        """Open the check lens: the same comparison, live. Clicking an element explains it; a menu offers the rest.

        In plain Python, where there is no notebook to draw in, the report is saved as a page in the folder
        ``autolab_pages``.

        Returns
        -------
        Lens
            ``.report`` is what it shows; ``.close()`` closes it.

        Raises
        ------
        ValueError
            If the report withholds its numbers (``reveal`` below 2), or is a copy that has no function.

        Examples
        --------
        >>> import autolab
        >>> report = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=3.0)
        >>> lens = report.explore()
        explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
        """
        return show(self, "live")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_origin": None}  # not all functions can be pickled


answer_habits(GradientReport, "GradientReport")
