"""The state of a random generator as an array, so that it can be saved with everything else."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def generator_state(rng: np.random.Generator) -> np.ndarray:
    """The state as bytes of text (JSON)."""
    return np.frombuffer(json.dumps(rng.bit_generator.state, default=_listed).encode(), np.uint8)


def generator_store(rng: np.random.Generator, state: Any) -> tuple[Any, str, dict[str, Any]]:
    """The store, for `publish`, with which ``rng`` goes on where a generator of the same kind stood.

    Raises
    ------
    ValueError
        If ``state`` is not what `generator_state` gives for this kind of generator.
    """
    kind = type(rng.bit_generator)
    try:
        found = json.loads(bytes(np.asarray(state, np.uint8)).decode())
        kind().state = found  # a trial, on a generator of nobody
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"this is no state of a {kind.__name__} generator ({error!s:.100})") from None
    return rng.bit_generator, "state", found


def _listed(value: Any) -> Any:
    return value.tolist()
