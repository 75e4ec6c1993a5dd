"""The facades compute what Chainer and DeZero compute, also with parameters at other than their defaults.

The originals' numbers are in ``*_figures.json``; ``figures.py`` wrote them. What a facade does not have or take, it
refuses by name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import figures

ON_PURPOSE = {
    'soft_target_loss="kl-divergence"': "Chainer adds 1e-7 to the targets before the logarithm",
}

HERE = Path(__file__).parent


def off(case: str, library: str, expected: Any) -> str | None:
    """What differs from the original; None if nothing does, or if the facade refuses a name."""
    try:
        found = figures.computed(case, library, "autolab.compat.")
    except (NotImplementedError, AttributeError) as error:
        return None if "is not part of AutoLab's" in str(error) else f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    tolerance = 1e-4 if "s(" in case else 1e-9
    for what, mine, theirs in zip(("values", "gradients"), found, expected, strict=True):
        if len(mine) != len(theirs):
            return f"{len(mine)} {what} for {len(theirs)}"
        for i, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            if (one is None) != (other is None):
                return f"{what}[{i}]: {one} for {other}"
            if one is not None and (
                np.shape(one) != np.shape(other)
                or not np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
            ):
                return f"{what}[{i}]: {one} for {other}"
    return None


@pytest.mark.parametrize("library", ["chainer", "dezero"])
def test_every_case_has_the_figures_of_the_original(library: str) -> None:
    recorded = json.loads((HERE / f"{library}_figures.json").read_text("utf-8"))
    assert list(recorded) == figures.cases(library)
    due = {case: expected for case, expected in recorded.items() if not any([part in case for part in ON_PURPOSE])}
    wrong = {case: said for case, expected in due.items() if (said := off(case, library, expected))}
    assert not wrong, "\n".join([f"{case}\n    {said:.400}" for case, said in wrong.items()])
