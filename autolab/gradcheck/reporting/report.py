"""GradientReport: what a gradient check found, as plain frozen data; and what it keeps of the function."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...engine import Savable, show
from ...engine.habits import answer_habits
from ...shared.binding import Bound
from ...shared.json_values import as_json
from ..judging.finding import Finding
from ..judging.mismatch import GradientCheckError
from ..measuring.sweep import StepSweep
from ..messages import Verdict, apart, number, say, shown, where


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
