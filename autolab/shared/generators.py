"""The state of a random generator as an array, so that it can be saved with everything else."""

from __future__ import annotations

from typing import Any

import numpy as np

from .state_layout import text_of, text_state, unpacking


def generator_state(rng: np.random.Generator) -> np.ndarray:
    """The state as JSON, in an array of bytes."""
    return text_state(rng.bit_generator.state, default=_listed)


def generator_store(rng: np.random.Generator, state: Any) -> tuple[Any, str, dict[str, Any]]:
    """The assignment, for `publish`, that restores the state of a generator of the same kind in ``rng``.

    Raises
    ------
    ValueError
        If ``state`` is not a result of `generator_state` for this kind of generator.
    """
    kind = type(rng.bit_generator)
    with unpacking(f"{kind.__name__} generator"):
        found = text_of(state)
        trial = kind()
        _check_positions(found, trial.state)
        trial.state = found
    return rng.bit_generator, "state", found


def _check_positions(state: Any, usual: Any) -> None:
    """Check the position in the generator's table, from which it would read; NumPy does not check its bounds."""
    for table, position, found, kind in (
        ("key", "pos", state["state"], usual["state"]),
        ("buffer", "buffer_pos", state, usual),
    ):
        if position in kind:
            place = found[position]
            if type(place) is not int or not 0 <= place <= len(kind[table]) == len(found[table]):
                raise ValueError(f"{position} is {place!r} in a table of {len(found[table])} numbers")


def _listed(value: Any) -> Any:
    return value.tolist()
