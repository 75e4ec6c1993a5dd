"""Race AutoLab's engine against other libraries in one run; README.md in this folder says how to read the table."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime

from speed import environment
from speed.race import WorkerError
from speed.report import LEGEND, heading, table
from speed.rows import DifferentResultsError
from speed.runner import GROUPS, LIBRARIES, Runner

from autolab.shared.files import write

RESULTS = environment.BENCHMARKS / "results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--heats", type=int, default=5, help="how often the processes start anew (default 5)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each library per heat (default 6)")
    parser.add_argument("--save", metavar="NAME", help=f"also write {RESULTS.name}/NAME.json")
    options = parser.parse_args()
    try:
        runner = Runner(environment.prepare(), options.heats, options.rounds)
        environment.stay_on_one_core()
        before = load()
        runner.run(options.only)
    except (environment.SetupError, WorkerError, DifferentResultsError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    facts = {
        "commit": environment.commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": environment.machine(),
        "versions": runner.versions,
        "left_out": runner.left_out,
        "load": [before, load()],
        "heats": options.heats,
        "rounds": options.rounds,
    }
    print(heading(facts), table(runner.rows, LIBRARIES), LEGEND, sep="\n\n")
    if options.save:
        RESULTS.mkdir(exist_ok=True)
        write(RESULTS / f"{options.save}.json", json.dumps({**facts, "rows": runner.rows}, indent=1) + "\n")
    return 0


def load() -> float | None:
    """How many processes want to run, on average over the last minute; the machine may be shared."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


if __name__ == "__main__":
    sys.exit(main())
