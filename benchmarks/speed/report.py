"""The table that is printed, and the file that is saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from speed.goals import verdicts
from speed.rows import OURS, Row


def table(rows: Iterable[Row], names: Sequence[str]) -> str:
    """One line per row: AutoLab's figure, and each other library's with AutoLab's share of it in brackets."""
    lines = [["", *names, "to reach"], *[[_title(r), *[_cell(r, n) for n in names], _goals(r)] for r in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(_line(line, widths) for line in lines)


def heading(facts: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    left_out = [f"left out: {name} ({reason})" for name, reason in facts["left_out"].items()]
    machine = ", ".join(facts["machine"].values())
    return "\n".join(
        [f"AutoLab {facts['commit']}, against {versions}", f"{machine}; one BLAS thread, one core", *left_out]
    )


LEGEND = f"""\
Medians; in brackets {OURS}'s share of that library's figure in the same round (below 1: {OURS} is less).
~  part of that library's work is in another dtype than {OURS}'s (its numbers are the same within the tolerance)."""


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = cells
    padded = [cell.rjust(width) for cell, width in zip(middle, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *padded, last]).rstrip()


def _title(row: Row) -> str:
    return f"{row['title']}, {row['unit']}" if row["unit"] else row["title"]


def _cell(row: Row, name: str) -> str:
    cell = row["cells"].get(name)
    if cell is None:
        return "–"
    if "failed" in cell:
        return cell["failed"]
    share = f" ({number(cell['ratio'])})" if "ratio" in cell else ""
    return number(cell["median"]) + ("~" if cell.get("other_dtype") else "") + share


def _goals(row: Row) -> str:
    said = []
    for name, (reached, goal) in verdicts(row).items():
        whose = "" if name == OURS else f" of {name}"
        said.append(f"{'ok' if reached <= goal else 'MISSED'} ≤ {goal:g}{whose}")
    return ", ".join(said)


def number(value: float | int) -> str:
    """Three digits, no exponent; whole numbers as they are."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
