"""The short table of README.md, made from saved results. Needs nothing but Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from speed.goals import BLOCKS_KEPT, verdicts
from speed.report import number
from speed.rows import OURS, Row

ROWS = {
    "chain, arrays": "1000 operations on four numbers",
    "user functions": "50 functions of the user's own",
    "tiny net": "net 1-10-1, a training step",
    "MLP" + BLOCKS_KEPT: "net 784-100-100-10, a training step",
    "Linear" + BLOCKS_KEPT: "`x @ w + b`, 128x784 to 1000",
    "MulAdd composed" + BLOCKS_KEPT: "`x * y + z`, 1000x1000",
    "MulAdd as one function" + BLOCKS_KEPT: "the same as one function",
    "tanh, order 4": "fourth derivative of tanh, 1000 points",
    "gradcheck, Linear": "gradient check of a linear map, every element",
    "deep chain: peak": "memory of 50 layers at its peak, in arrays",
    "long chain: backward": "back through a million operations",
    "first gradient of a cold interpreter": "start of Python to the first gradient",
}
NAMES = {"torch": "PyTorch", "numpy": "NumPy by hand", "dezero": "DeZero", "mygrad": "MyGrad", "autograd": "autograd"}
START, END = "<!-- speed: made by benchmarks/readme.py -->", "<!-- end of speed -->"


def section(results: Mapping[str, Any]) -> str:
    """What stands between the marks in README.md."""
    measured = {row["title"]: row for row in results["rows"]}
    rows = {title: measured[title] for title in ROWS if title in measured}  # a run may leave groups out
    lines = [["", "AutoLab", *[f"of {name}" for name in NAMES.values()], "goal"], ["---", *["---:"] * 6, "---"]]
    lines += [_line(row, ROWS[title]) for title, row in rows.items()]
    table = "\n".join(["| " + " | ".join(line) + " |" for line in lines])
    return "\n\n".join([_about(results), table, *_explained(list(rows.values()))])


def replaced(readme: str, results: Mapping[str, Any]) -> str:
    """README.md with the section that ``results`` give."""
    before, rest = readme.split(START)
    return f"{before}{START}\n{section(results)}\n{END}{rest.split(END)[1]}"


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


def _about(results: Mapping[str, Any]) -> str:
    versions = ", ".join([f"{NAMES.get(name, name)} {version}" for name, version in results["versions"].items()])
    machine = ", ".join(results["machine"].values())
    before, after = results["load"]
    return (
        f"AutoLab {results['commit']} beside {versions}\n"
        f"on {machine}; one core, one BLAS thread, load of the machine {before} before and {after} after.\n"
        "Medians, and AutoLab's share of the other's figure in the same round: 0.5 is half of it.\n"
        "`~`: part of the other's work is in another dtype. `make bench` measures again."
    )


def _line(row: Row, text: str) -> list[str]:
    cells = row["cells"]
    shares = [_share(cells.get(name, {})) for name in NAMES]
    return [text, f"{number(cells[OURS]['median'])} {_unit(row)}", *shares, ", ".join(_goals(row))]


def _share(cell: Mapping[str, Any]) -> str:
    return number(cell["ratio"]) + ("~" if cell.get("other_dtype") else "") if "ratio" in cell else ""


def _unit(row: Row) -> str:
    return {"us": "µs"}.get(row["unit"], row["unit"])


def _goals(row: Row) -> list[str]:
    said = []
    for name, (reached, goal) in verdicts(row).items():
        whose = f"{goal:g} {_unit(row)}" if name == OURS else f"{goal:g} of {NAMES[name]}"
        said.append(f"{whose} {'✓' if reached <= goal else 'missed'}")
    return said


def _explained(rows: Sequence[Row]) -> list[str]:
    """The goals that were missed, each with what NumPy by hand takes of the same library's time."""
    said = []
    for row in rows:
        cells = row["cells"]
        for name, (reached, goal) in verdicts(row).items():
            if reached > goal and name != OURS:
                text = f"- {ROWS[row['title']]}: the goal is {goal:g} of {NAMES[name]}; AutoLab takes {reached:.2f}"
                if "numpy" in cells and name != "numpy":
                    share = cells["numpy"]["median"] / cells[name]["median"]
                    text += f", and NumPy by hand, without a graph, {share:.2f}"
                said.append(text + ".")
    return ["Goals missed:\n\n" + "\n".join(said)] if said else []
