"""Values in place of what steps compute, by the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.replacing import Replacement


def replaced_steps(given: Mapping[int, Replacement], numbers: tuple[int, ...]) -> dict[int, Any]:
    """``given`` is by the steps of a recording; ``numbers`` has for each of them its number in the run, which counts
    what is left out of the recording as well."""
    return {numbers[step]: new.value for step, new in given.items() if step < len(numbers)}
