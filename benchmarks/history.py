"""Write history.md: what each row of the saved runs was, from the first run on that git knows.

Times of two runs cannot be compared, ratios within a run can: the table holds AutoLab's share of PyTorch's time, or of
that of NumPy by hand where PyTorch took no part, and figures of its own where it raced against nobody.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from speed import environment
from speed.report import number
from speed.rows import OURS

from autolab.shared.files import write

RESULTS = "benchmarks/results/engine.json"
PAGE = environment.BENCHMARKS / "history.md"
RIVALS = {"torch": "", "numpy": " of NumPy"}
OLD_MARK = " [blocks kept]"  # rows of runs before `import autolab` told the allocator to keep freed blocks


def runs() -> list[dict[str, Any]]:
    """The saved runs, the oldest first; the last one is that of the working tree."""
    commits = _git("log", "--reverse", "--format=%h", "--", RESULTS).split()
    found = [json.loads(_git("show", f"{commit}:{RESULTS}")) for commit in commits]
    now = json.loads((environment.ROOT / RESULTS).read_text("utf-8"))
    return found if found and found[-1] == now else [*found, now]


def page(found: Sequence[Mapping[str, Any]]) -> str:
    """The page, for these runs."""
    names = list(dict.fromkeys([_name(row) for run in reversed(found) for row in run["rows"]]))
    measured = [
        {_name(row): row for row in run["rows"]} for run in found
    ]  # of two with a name, the one with kept blocks
    heads = [f"{run['commit']}<br>{run.get('date', '')[:10]}" for run in found]
    lines = [["", *heads], ["---", *["---:"] * len(heads)]]
    lines += [[name, *[_cell(rows.get(name)) for rows in measured]] for name in names]
    table = "\n".join(["| " + " | ".join(line) + " |" for line in lines])
    about = " ".join((__doc__ or "").split("\n\n")[1].split())
    return f"# Each row of the saved runs\n\n{about}\n\n{table}\n\nMade by `python benchmarks/history.py`.\n"


def _name(row: Mapping[str, Any]) -> str:
    return str(row["title"]).removesuffix(OLD_MARK)


def _cell(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    for rival, of in RIVALS.items():
        if "ratio" in row["cells"].get(rival, {}):
            return number(row["cells"][rival]["ratio"]) + of
    return f"{number(row['cells'][OURS]['median'])} {row['unit']}".strip()


def _git(*arguments: str) -> str:
    command = ["git", "-C", environment.ROOT, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    write(Path(PAGE), page(runs()))
