"""Runs `diagnose` over the table; as a program it prints what it says of each case::

PYTHONPATH=.:tests/analysis python -m diagnosis.table ["torch_*.py"] [--folder FOLDER] [-v]
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import autolab
from autolab.analysis.diagnosis.rules import RULES
from diagnosis.case import FOLDER, Case, cases, mended
from diagnosis.plain import made
from diagnosis.state import differences, state_of


@dataclass(frozen=True)
class Verdict:
    """What `diagnose` said of a case, and whether that is right."""

    case: Case
    findings: list[Any]
    facts: list[str]
    text: str
    changed: list[str]

    @property
    def is_right(self) -> bool:
        """A mistake: the first finding has a right kind and a right line. A healthy program: there is none."""
        return not self.findings if not self.case.kinds else bool(self.findings) and self._fits(self.findings[0])

    @property
    def is_among(self) -> bool:
        """Some finding fits."""
        return any(self._fits(finding) for finding in self.findings)

    @property
    def has_kind(self) -> bool:
        """The kind of the first finding is right, whatever its line."""
        return bool(self.findings) and self.findings[0].kind in self.case.kinds

    def _fits(self, finding: Any) -> bool:
        line = finding.line
        return finding.kind in self.case.kinds and (
            self.case.outside if line is None else _is_here(self.case, finding) and line in self.case.lines
        )

    def __str__(self) -> str:
        first = self.findings[0] if self.findings else None
        said = f"{first.kind} at {first.line} ({first.certainty})" if first else "nothing"
        mark = "ok " if self.is_right else "   "
        changed = f"; CHANGED {', '.join(self.changed)}" if self.changed else ""
        return f"{mark} {self.case.library:8} {self.case.name:52} {said}{changed}"


def _is_here(case: Case, finding: Any) -> bool:
    return Path(finding.file).name == case.file.name


@contextmanager
def in_peace() -> Iterator[None]:
    """Programs with mistakes warn; and each gets a generator of its own."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), autolab.using_config("rng", np.random.default_rng(0)):
        warnings.simplefilter("ignore")
        yield


def judge(case: Case) -> Verdict:
    """Diagnose a case; an error of `diagnose` itself counts as finding nothing right."""
    with in_peace():
        fn, *args = made(case)
        before = state_of(args)
        found = autolab.diagnose(fn, *args, **case.options)
        assert not any("an error in AutoLab" in why for why in found.not_looked_at), found.facts
        assert len(found.looked_at) + len(found.not_looked_at) == len(RULES)
        changed = differences(before, state_of(args))
    return Verdict(case, list(found.findings), list(found.facts), str(found), changed)


def judged(case: Case, folder: Path | None = None) -> tuple[Verdict | None, str]:
    """The verdict, of the right lines if there is a folder for them, and else what was raised."""
    try:
        return judge(case if folder is None else mended(case, folder)), ""
    except Exception as error:  # whatever happens, the table goes on
        return None, f"    {case.library:8} {case.name:52} {type(error).__name__}: {error!s:.150}"


def report(found: list[Case], folder: Path | None, verbose: bool) -> tuple[Counter[str], Counter[str]]:
    """Print a line for each case; returns how many are right and how many there are, by library."""
    right: Counter[str] = Counter()
    for case in found:
        verdict, raised = judged(case, folder)
        right[case.library] += bool(verdict and verdict.is_right)
        right["among"] += bool(verdict and verdict.is_among)
        print(verdict or raised, flush=True)
        if verdict and not verdict.is_right:
            print("       right:", *case.kinds, sorted(case.lines))
            print(*[f"       said:  {f.kind} {f.line} {f.certainty}: {f.message}" for f in verdict.findings], sep="\n")
        if verbose and verdict:
            print(verdict.text)
    return right, Counter(case.library for case in found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pattern", nargs="?", default="*_*.py")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("-v", action="store_true", help="print every report")
    given = parser.parse_args()
    found = cases(given.pattern, given.folder)
    wrong, sound = [c for c in found if c.kinds], [c for c in found if not c.kinds]
    mend = [c for c in wrong if c.can_be_mended]
    with tempfile.TemporaryDirectory() as folder:
        for title, group, where in (
            ("Mistakes, named first with a right line", wrong, None),
            ("Healthy programs, of which nothing is said", sound, None),
            ("Mistakes put right, of which nothing is said", mend, Path(folder)),
        ):
            print(f"\n--- {title}")
            right, all_of = report(group, where, given.v)
            told = ", ".join(f"{library} {right[library]} of {count}" for library, count in all_of.items())
            print(f"{title}: {told}" + (f"; among the findings: {right['among']}" if group is wrong else ""))


if __name__ == "__main__":
    main()
