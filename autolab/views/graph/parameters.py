"""Parameters of links in an exploration: they are moved where the graph shows them, on copies of the links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...engine import Array, a_kind, as_array, get_array_module
from ...recording.model import Recording
from ...shared.binding import Bound
from ..live.controls import Key

_MOST_NUMBERS = 1 << 20
"""Links with more numbers are not copied at every move: their parameters cannot be moved."""

_MOST_PARAMETERS = 64
"""Every control of a parameter is sent to the page with each move."""


def if_few(bound: Bound) -> Bound:
    """The bound function, with its parameters only if they are few enough to be moved."""
    sizes = [own.size for own in bound.learned.values()]
    return bound if len(sizes) <= _MOST_PARAMETERS and sum(sizes) <= _MOST_NUMBERS else bound.standing()


def replaced_parameters(bound: Bound, given: Any) -> dict[Key, Array]:
    """The option ``parameters``: a new array for each named parameter."""
    if not isinstance(given, Mapping):
        raise TypeError(f"explore: option 'parameters' is {a_kind(given)}; expected a dict from names to arrays")
    found: dict[Key, Array] = {}
    for name, value in given.items():
        own = bound.learned.get(name)
        if own is None:
            known = ", ".join(bound.learned) or "none"
            raise ValueError(f"explore: option 'parameters' has {name!r:.60}; the parameters are {known:.200}")
        array = as_array(value, f"explore: parameter {name!r:.60}")
        if array.shape != own.shape or array.dtype.kind not in "biuf":
            what = f"{array.dtype} {tuple(array.shape)}"
            raise ValueError(f"explore: parameter {name!r:.60} is {what}; expected numbers of shape {own.shape}")
        found[name] = get_array_module(own.array).array(array, dtype=own.dtype)
    return found


def movable_steps(bound: Bound, recording: Recording) -> dict[Key, int]:
    """The steps of a recording that can be moved: the inputs, and the parameters of links that it used."""
    inputs: dict[Key, int] = dict(zip(bound.inputs, recording.inputs, strict=True))
    leaves = [(str(step.name), step.id) for step in recording.steps if step.kind == "leaf"]
    named = Counter([name for name, _ in leaves])  # another parameter may have the same name
    return inputs | {name: id for name, id in leaves if name in bound.learned and named[name] == 1}
