"""Two commits against each other, row by row: `python benchmarks/compare.py BEFORE [AFTER] [--only chains nets]`.

Both run in one race, in plain processes that take turns, with the workloads as they are written here. Without AFTER it
is the working tree. A share below 1 is faster; the last column holds the middle half of the rounds' shares.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles
from typing import Any

from speed import environment
from speed.race import Race, Worker, WorkerError
from speed.rows import OURS, DifferentResultsError
from speed.runner import TOGETHER

BEFORE = "before"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE", help="a commit, as git understands it")
    parser.add_argument("after", metavar="AFTER", nargs="?", help="another one (default: the working tree)")
    parser.add_argument(
        "--only", nargs="+", choices=TOGETHER, default=TOGETHER, metavar="GROUP", help=", ".join(TOGETHER)
    )
    parser.add_argument("--heats", type=int, default=5, help="how often the processes start anew (default 5)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each commit per heat (default 6)")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        try:
            trees = {OURS: _tree(options.after, stack), BEFORE: _tree(options.before, stack)}
            environment.stay_on_one_core()
            print(f"{'':42}{BEFORE:>12}{'after':>12}{'share':>8}   middle half")
            for group in options.only:
                for line in compared(group, trees, options.heats, options.rounds):
                    print(line, flush=True)
        except (subprocess.CalledProcessError, WorkerError, DifferentResultsError) as error:
            print(f"{parser.prog}: {getattr(error, 'stderr', None) or error}".strip(), file=sys.stderr)
            return 1
    return 0


def compared(group: str, trees: dict[str, Path], heats: int, rounds: int) -> list[str]:
    """A line for each workload of a group."""
    races: dict[str, Race] = {}
    for _ in range(heats):
        with ExitStack() as stack:
            workers = {
                name: stack.enter_context(Worker(Path(sys.executable), group, OURS, tree))
                for name, tree in trees.items()
            }
            titles = [set(worker.hear()["titles"]) for worker in workers.values()]
            for title in sorted(set.intersection(*titles)):
                races.setdefault(title, Race(title)).heat(workers, rounds)
    return [_line(title, race.turns) for title, race in races.items()]


def _line(title: str, turns: dict[str, list[dict[str, Any]]]) -> str:
    before, after = ([1e6 * sum(turn.values()) for turn in turns[name]] for name in (BEFORE, OURS))
    shares = [new / old for old, new in zip(before, after, strict=True)]
    low, share, high = quantiles(shares, n=4) if len(shares) > 1 else shares * 3
    middle = [quantiles(found, n=2)[0] if len(found) > 1 else found[0] for found in (before, after)]
    return f"{title:42}{middle[0]:9.1f} us{middle[1]:9.1f} us{share:8.3f}   {low:.3f} to {high:.3f}"


def _tree(commit: str | None, stack: ExitStack) -> Path:
    """A checkout of a commit in a temporary folder."""
    if commit is None:
        return environment.ROOT
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tree"
    _git("worktree", "add", "--detach", str(folder), commit)
    stack.callback(_git, "worktree", "remove", "--force", str(folder))
    return folder


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-C", environment.ROOT, *arguments], check=True, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
