"""Options of tools that bind inputs by name: a function may have an input that is called like one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...shared.binding import chosen_options


def settle(
    caller: str,
    defaults: Mapping[str, Any],
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None,
    inputs: dict[str, Any],
) -> dict[str, Any]:
    """The options of a call.

    What is in ``options`` is meant for the tool; the keyword of that name, ``given``, is then an input of the
    function and goes to ``inputs``.

    Examples
    --------
    >>> inputs = {}
    >>> settle("f", {"rng": None}, {"rng": 3.0}, {"rng": "generator"}, inputs), inputs
    ({'rng': 'generator'}, {'rng': 3.0})
    """
    chosen = dict(given)
    for name, value in chosen_options(caller, options, tuple(defaults)).items():
        if given[name] is not defaults[name]:
            inputs[name] = given[name]
        chosen[name] = value
    return chosen
