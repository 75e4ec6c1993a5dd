"""The state of an optimizer, as arrays and numbers by name, and how it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import Parameter, as_array, get_array_module
from ..shared.state_layout import BELOW, COUNT, NUMBER, Slot, check_entry, is_handed_over, named
from .param_groups import OF_SCHEDULES, ParameterGroup

if TYPE_CHECKING:
    from .optimizer import Optimizer

State = dict[str, Any]
"""The state of an optimizer for one parameter: arrays and numbers by name."""


def state(optimizer: Optimizer) -> dict[str, Any]:
    """The number of updates, the settings of all groups, and the state of each parameter."""
    found: dict[str, Any] = {"t": optimizer.t}
    rules = optimizer._all_rules
    for key, (i, name) in _keys(rules).items():
        value = rules[i]._notes.get(name) if name in OF_SCHEDULES else getattr(rules[i], name)
        is_usual = name not in rules[i].hyperparameters and value == rules[i].options.get(name)
        if not is_usual and not callable(value):
            found[key] = value
    for path, parameter in optimizer._link("state").namedparams():
        found |= {f"{path[1:]}/{name}": value for name, value in optimizer._states.get(parameter, {}).items()}
    return found


def _keys(rules: Iterable[Optimizer]) -> dict[str, tuple[int, str]]:
    """The keys in a state of all settings, and of what schedules note: the group and the name that each stands for."""
    found = {}
    for i, rule in enumerate(rules):
        for name in (*rule.setting_names(), *OF_SCHEDULES):
            own = name in rule.hyperparameters or name in OF_SCHEDULES
            found[f"hyperparameters/{f'{i}/' if i else ''}{'' if own else 'options/'}{name}"] = i, name
    return found


def _groups(names: Iterable[str]) -> int:
    """How many groups of parameters there are, by the names of their numbers in a state; 0 if it has no number."""
    parts = [name.split("/")[1] for name in names if name.startswith("hyperparameters/")]
    return max([1 + int(part) if part.isdigit() else 1 for part in parts], default=0)


def state_layout(optimizer: Optimizer) -> dict[str, Slot]:
    """The shape and dtype of each entry that a state may have, by name."""
    found = {"t": COUNT, f"hyperparameters{BELOW}": NUMBER}
    for path, parameter in optimizer._link("state_layout").namedparams():
        found[f"{path[1:]}{BELOW}"] = _slot(parameter)
    return found


def planned(optimizer: Optimizer, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
    """The assignments that load a state; raises before any of them if the state does not fit this optimizer."""
    rest = set(state)  # an array is read only where it is taken
    who = f"{type(optimizer).__name__}.load_state"
    if "t" not in rest:
        raise ValueError(f"{who}: 't' is missing; nothing was loaded")
    rules = optimizer._all_rules
    there = _groups(state)
    if there and there != len(rules):
        what = f"the state has {there}, the optimizer {len(rules)}"
        raise ValueError(f"{who}: groups of parameters: {what}; nothing was loaded")
    keys = {key: held for key, held in _keys(rules).items() if not callable(getattr(rules[held[0]], held[1], None))}
    given: list[dict[str, Any]] = [{} for _ in rules]
    for key, (i, name) in keys.items():
        if key in rest:
            given[i][name] = np.asarray(state[key]).item()
    stores: list[tuple[Any, str, Any]] = [(rule, "t", int(state["t"])) for rule in rules]
    stores += [store for rule, its in zip(rules, given, strict=True) for store in ParameterGroup(rule, []).planned(its)]
    rest -= {"t", *_keys(rules)}
    states = _states(who, optimizer, state, rest)
    if others := [name.partition("/")[2] for name in rest if name.startswith("hyperparameters/")]:
        raise ValueError(
            f"{who}: this is the state of another kind of optimizer, with {named(others)}; nothing was loaded"
        )
    if rest:
        raise ValueError(f"{who}: the model has no parameter for {named(list(rest))}; nothing was loaded")
    needed = {key: name for key, (i, name) in keys.items() if name in rules[i].hyperparameters and name != "lr"}
    if lost := [name for key, name in needed.items() if key not in state]:  # lr may have been a schedule
        what = f"this is the state of another kind of optimizer, without {named(lost)}"
        raise ValueError(f"{who}: {what}; nothing was loaded")
    return [*stores, (optimizer, "_states", states)]


def _states(who: str, optimizer: Optimizer, state: Mapping[str, Any], rest: set[str]) -> dict[Parameter, State]:
    """The state of each parameter; removes from ``rest`` the names that are used."""
    states = {}
    names: dict[str, list[str]] = {}
    own = is_handed_over(state)
    for name in state:
        names.setdefault(name.rpartition("/")[0], []).append(name)
    for path, parameter in optimizer._link("load_state").namedparams():
        its = [name for name in names.get(path[1:], ()) if name in rest]
        states[parameter] = {n.rpartition("/")[2]: _loaded(who, n, state[n], parameter, own) for n in its}
        rest.difference_update(its)
    return states


def state_dict(groups: Iterable[Any], states: Mapping[Any, State]) -> dict[str, Any]:
    """PyTorch's form of a state: the parameters have the numbers of their order in the groups."""
    numbers: dict[int, int] = {}
    listed = []
    for group in groups:
        numbers.update({id(p): len(numbers) + i for i, p in enumerate(group["params"])})
        settings = {name: value for name, value in group.items() if not callable(value)}
        listed.append({**settings, "params": [numbers[id(p)] for p in group["params"]]})
    return {"state": {numbers[id(p)]: dict(held) for p, held in states.items() if held}, "param_groups": listed}


def states_of(who: str, groups: list[Any], state_dict: Mapping[str, Any]) -> dict[Any, State]:
    """The states in a `state_dict` by parameter; raises if its groups are others."""
    sizes, own = ([len(group["params"]) for group in each] for each in (state_dict["param_groups"], groups))
    if sizes != own:
        raise ValueError(f"{who}: parameters in groups: the state has {sizes}, the optimizer {own}; nothing was loaded")
    numbers = [i for group in state_dict["param_groups"] for i in group["params"]]
    parameters = dict(zip(numbers, [p for group in groups for p in group["params"]], strict=True))
    if unknown := [i for i in state_dict["state"] if i not in parameters]:
        raise ValueError(f"{who}: no group has a parameter {unknown[0]!r:.60}; nothing was loaded")
    return {parameters[i]: dict(held) for i, held in state_dict["state"].items()}


def loaded(who: str, states: Mapping[Any, State]) -> dict[Any, State]:
    """The states of parameters as arrays and numbers; raises if an array does not fit its parameter."""
    found = {}
    for i, (p, held) in enumerate(states.items()):
        entries = [(name, _loaded(who, f"{i}/{name}", value, p, False)) for name, value in held.items()]
        found[p] = {name: value for name, value in entries if value is not None}
    return found


def _slot(parameter: Parameter) -> Slot:
    """The slot of an entry: an array of the parameter's shape, or a count."""
    known = parameter.is_initialized
    dtype = np.dtype(parameter.dtype if known else np.float32)
    return Slot(parameter.shape if known else None, dtype, count=True)


def _loaded(who: str, name: str, value: Any, parameter: Parameter, own: bool) -> Any:
    """One entry of the state, on the parameter's device, or a number, such as that of the updates."""
    if value is None:  # as PyTorch has it where a rule has kept nothing
        return None
    array = as_array(value, f"{who}: {name!r:.100}")
    if array.ndim == 0 and array.dtype.kind in "iuf" and (array.dtype.kind != "f" or parameter.shape):
        number = array.item()
        return int(number) if number == number // 1 else number
    check_entry(who, name, _slot(parameter), array)
    xp = get_array_module(parameter._data) if parameter.is_initialized else np
    return xp.asarray(array) if own else xp.array(array)
