"""The engine compared with other libraries, in one run: `make bench`, or `python benchmarks/engine.py [--save engine]`.

It prints the table of all rows; README.md in this folder says how to read it. `readme.py` puts what was saved into
docs/speed.md and history.md.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from speed import harness
from speed.race import GROUPS, LIBRARIES, Runner, WorkerError
from speed.rows import LEGEND, DifferentResultsError, heading, table


def main() -> int:
    parser = harness.racing_options(__doc__, GROUPS)
    parser.add_argument("--save", metavar="NAME", help=f"also write {harness.RESULTS.name}/NAME.json")
    options = parser.parse_args()
    try:
        runner = Runner(harness.prepare(), options.heats, options.rounds)
        harness.stay_on_one_core()
        before = harness.load()
        runner.run(options.only)
    except (harness.SetupError, WorkerError, DifferentResultsError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    facts = {
        **harness.origin(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": runner.versions,
        "left_out": runner.left_out,
        "load": [before, harness.load()],
        "heats": options.heats,
        "rounds": options.rounds,
    }
    print(heading(facts), table(runner.rows, LIBRARIES), LEGEND, sep="\n\n")
    if options.save:
        harness.keep(options.save, {**facts, "rows": runner.rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
