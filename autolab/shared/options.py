"""The options of tools such as `record`: separated from the inputs of the function, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import a_kind
from .binding import signature_of


def apart(fn: Any, inputs: Mapping[str, Any], options: Any, known: tuple[str, ...]) -> tuple[dict[str, Any], Any]:
    """The inputs and the options of a call: a keyword that the tool takes, but not the function, is an option.

    Examples
    --------
    >>> apart(lambda x: x, {"x": 1.0, "order": 2}, None, ("order", "wrt"))
    ({'x': 1.0}, {'order': 2})
    >>> apart(lambda order: order, {"order": 2.0}, None, ("order", "wrt"))
    ({'order': 2.0}, None)
    """
    signature = signature_of(fn) if callable(fn) else None
    parameters = {} if signature is None else signature.parameters
    takes_any = signature is None or any([p.kind is p.VAR_KEYWORD for p in parameters.values()])
    found = {} if takes_any else {name: inputs[name] for name in known if name in inputs and name not in parameters}
    if not found or not isinstance(options, Mapping | None):
        return dict(inputs), options
    return {name: value for name, value in inputs.items() if name not in found}, {**found, **(options or {})}


def chosen_options(caller: str, options: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """``options`` as a new dictionary; a TypeError if it is not a mapping, or has keys that are not ``known``."""
    names = ", ".join([f"{name!r}" for name in known])
    if options is not None and not isinstance(options, Mapping):
        what = f"{caller}: options is {a_kind(options)}; expected a dict with {names}"
        raise TypeError(f"{what:.230}; an input of that name has to be renamed, or given by position")
    unknown = ", ".join([f"{key!r:.60}" for key in options or {} if key not in known])
    if unknown:
        raise TypeError(f"{caller}: unknown options {unknown:.150}; expected {names}")
    return dict(options or {})


def settle(
    caller: str,
    defaults: Mapping[str, Any],
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None,
    inputs: dict[str, Any],
) -> dict[str, Any]:
    """The options of a call, with their defaults.

    Entries of ``options`` are meant for the tool; a keyword of the same name, in ``given``, is then an input of the
    function and is added to ``inputs``.

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
