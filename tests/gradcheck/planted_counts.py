"""Counts over planted mistakes and hostile right functions; run as a program it prints them all."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from planted_mistakes import FAMILIES, Planted, draw

from autolab import check_gradients

FRESH = range(1000, 1030)
"""Seeds of the draws that are counted; nothing was adapted to them."""

RIGHT = 45
"""So many right functions of each family."""


@dataclass
class Counts:
    """All draws; caught, the right kind, the very mistake."""

    all: int = 0
    caught: int = 0
    kind: int = 0
    very: int = 0

    def __iadd__(self, other: Counts) -> Counts:
        for key, value in vars(other).items():
            setattr(self, key, getattr(self, key) + value)
        return self


def judge(planted: Planted) -> tuple[Counts, str]:
    """How a planted mistake is judged, and the text of the report."""
    report = check_gradients(planted.mistaken, *planted.inputs)
    is_coarse = planted.kinds == ("low_precision",)  # no proof of a mistake, but it must not pass
    blamed = [f for f in report.findings if not f.innocent or is_coarse]
    caught = not report.passed if is_coarse else report.verdict == "wrong"
    kind = caught and any(f.kind in planted.kinds for f in blamed)
    very = kind and any(re.search(planted.says, str(f)) for f in blamed if f.kind in planted.kinds)
    return Counts(1, int(caught), int(kind), int(very)), str(report)


def scaled(inputs: tuple[np.ndarray, ...], seed: int) -> tuple[np.ndarray, ...]:
    """Inputs that are hard for differences: of another size, saturating, with equal elements, or as they were."""
    size = (1.0, 1e-3, 30.0, 1e-8, 300.0)[seed % 5]
    return tuple([np.full_like(x, x.flat[0]) if seed % 7 == 3 else x * size for x in inputs])


def accused(family: str, seed: int) -> str:
    """The report that accuses the right function of a family; empty if none does."""
    planted = draw(family, seed)
    with np.errstate(all="ignore"):
        report = check_gradients(planted.correct, *scaled(planted.inputs, seed))
    return str(report) if report.verdict == "wrong" else ""


def totals(families: Iterable[str], seeds: range) -> dict[str, Counts]:
    """The counts of each family."""
    found = {family: Counts() for family in families}
    for family in found:
        for seed in seeds:
            found[family] += judge(draw(family, seed))[0]
    return found


def main() -> None:
    """Print the table; with ``-v`` the reports that miss something too."""
    if "-v" in sys.argv:
        for family in FAMILIES:
            for seed in FRESH:
                counts, text = judge(draw(family, seed))
                if not counts.very:
                    print(f"--- {family} {seed} {draw(family, seed).kinds}\n{text}")
    found = totals(FAMILIES, FRESH)
    whole = Counts()
    print("| mistake | drawn | caught | right kind | the very mistake |\n|---|---|---|---|---|")
    for family, counts in found.items():
        whole += counts
        print(f"| {family} | {counts.all} | {counts.caught} | {counts.kind} | {counts.very} |")
    print(f"| **all** | {whole.all} | {whole.caught} | {whole.kind} | {whole.very} |\n")
    wrongly = [(family, seed, accused(family, seed)) for family in FAMILIES for seed in range(RIGHT)]
    print(f"Right functions accused: {sum(bool(text) for *_, text in wrongly)} of {len(wrongly)}.")
    if "-v" in sys.argv:
        print(*[f"{family} {seed}\n{text}" for family, seed, text in wrongly if text], sep="\n")


if __name__ == "__main__":
    main()
