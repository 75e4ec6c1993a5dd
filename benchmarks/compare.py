"""Compare two commits, row by row: `python benchmarks/compare.py BEFORE [AFTER] [--only chains nets]`.

Both run in one race, in plain processes that take turns, with the workloads of this checkout. AFTER defaults to the
working tree. A ratio below 1 is faster; the last column holds the interquartile range of the rounds' ratios.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles

from speed import harness
from speed.race import TOGETHER, Race, Runner, Worker, WorkerError
from speed.rows import OURS, DifferentResultsError

BEFORE = "before"


class Commits(Runner):
    """AutoLab from two checkouts, in place of several libraries."""

    def __init__(self, trees: dict[str, Path], heats: int, rounds: int) -> None:
        super().__init__(Path(sys.executable), heats, rounds, list(trees))
        self.trees = trees

    def worker(self, group: str, name: str) -> Worker:
        return Worker(self.python, group, OURS, self.trees[name])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = harness.racing_options(__doc__, TOGETHER)
    parser.add_argument("before", metavar="BEFORE", help="a commit, as git understands it")
    parser.add_argument("after", metavar="AFTER", nargs="?", help="another one (default: the working tree)")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        try:
            trees = {OURS: _tree(options.after, stack), BEFORE: _tree(options.before, stack)}
            harness.stay_on_one_core()
            print(f"{'':42}{BEFORE:>12}{'after':>12}{'share':>8}   middle half")
            for group in options.only:
                for race in Commits(trees, options.heats, options.rounds).races(group):
                    if BEFORE in race.turns:
                        print(_line(race), flush=True)
        except (subprocess.CalledProcessError, WorkerError, DifferentResultsError) as error:
            print(f"{parser.prog}: {getattr(error, 'stderr', None) or error}".strip(), file=sys.stderr)
            return 1
    return 0


def _line(race: Race) -> str:
    times = race.microseconds()
    before, after = times[BEFORE], times[OURS]
    shares = [new / old for old, new in zip(before, after, strict=True)]
    low, share, high = quantiles(shares, n=4) if len(shares) > 1 else shares * 3
    return f"{race.title:42}{median(before):9.1f} us{median(after):9.1f} us{share:8.3f}   {low:.3f} to {high:.3f}"


def _tree(commit: str | None, stack: ExitStack) -> Path:
    """A checkout of a commit in a temporary folder."""
    if commit is None:
        return harness.ROOT
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tree"
    harness.git("worktree", "add", "--detach", str(folder), commit)
    stack.callback(harness.git, "worktree", "remove", "--force", str(folder))
    return folder


if __name__ == "__main__":
    sys.exit(main())
