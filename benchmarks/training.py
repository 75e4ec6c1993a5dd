"""Whole training beside PyTorch and Chainer, and what LiveMonitor costs: `python benchmarks/training.py [--save NAME]`.

The first is the group `training` of `engine.py`; README.md in this folder says how it measures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from speed import environment
from speed.race import WorkerError
from speed.report import LEGEND, heading, table
from speed.rows import DifferentResultsError
from speed.runner import Runner

from autolab.shared.files import write

GOAL = 0.03
"""What LiveMonitor may add to the time of training."""
LIBRARIES = ["autolab", "torch", "chainer"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Whole training beside other libraries, and what LiveMonitor costs.")
    parser.add_argument("--heats", type=int, default=3, help="how often the processes start anew (default 3)")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each library per heat (default 6)")
    parser.add_argument("--save", metavar="NAME", help="write the result to benchmarks/results/NAME.json")
    options = parser.parse_args()
    try:
        runner = Runner(environment.prepare(), options.heats, options.rounds, LIBRARIES)
        environment.stay_on_one_core()
        runner.together("training")
        monitor = what_monitoring_takes()
    except (environment.SetupError, WorkerError, DifferentResultsError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    facts = {
        "commit": environment.commit(),
        "machine": environment.machine(),
        "versions": runner.versions,
        "left_out": runner.left_out,
    }
    print(heading(facts), table(runner.rows, LIBRARIES), LEGEND, in_words(monitor), sep="\n\n")
    if options.save:
        result = {**facts, "rows": runner.rows, "LiveMonitor": monitor}
        write(environment.BENCHMARKS / "results" / f"{options.save}.json", json.dumps(result, indent=1) + "\n")
    return 0


def what_monitoring_takes() -> dict[str, Any]:
    """What `monitor.py` measures, in the environment at hand: the view needs ipywidgets, as a notebook does."""
    command = [sys.executable, str(environment.BENCHMARKS / "monitor.py")]
    run = subprocess.run(command, env=environment.variables(), stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise WorkerError(f"monitor.py ended with {run.returncode}; it has said why on stderr")
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def in_words(found: dict[str, Any]) -> str:
    low, high = (100 * share for share in found["adds, 90 % interval"])
    verdict = "met" if found["adds"] <= GOAL else "missed"
    return (
        f"LiveMonitor adds {100 * found['adds']:.1f} % to the training's processor time ({low:.1f} to {high:.1f} %, "
        f"90 % interval; goal {100 * GOAL:.0f} %: {verdict}); by its own clock it works "
        f"{100 * found['its own share']:.1f} %; "
        f"{found['messages a second']:.1f} pictures a second; an update without it takes {1e6 * found['update']:.0f} us"
    )


if __name__ == "__main__":
    sys.exit(main())
