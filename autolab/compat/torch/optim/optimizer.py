"""``torch.optim.optimizer``: AutoLab's update rules on groups of parameters."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from typing import Any

import numpy as np

from ....engine import a_kind, publish
from ....links.link import clear_gradients
from ....optimizers.given import parameters_of
from ....optimizers.optimizer import Updates
from ....optimizers.param_groups import ParameterGroup, set_all
from ....optimizers.state import loaded, state_dict, states_of
from .._tensor import Engine, constant


class Optimizer(Updates):
    """Base class of optimizers: groups of parameters, each with its settings.

    A subclass defines ``step()``, or ``rule(settings)``, which returns an optimizer of AutoLab, whose update rule
    changes the parameters: either all of them or, on an error, none.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        name = type(self).__name__
        if isinstance(params, Engine) or not hasattr(params, "__iter__"):
            raise TypeError(f"{name}: params is {a_kind(params)}; expected an iterable of tensors: model.parameters()")
        given = list(params)
        if not given:
            raise ValueError(f"{name}: got an empty parameter list")
        self.defaults = defaults
        self.param_groups: list[Any] = []
        self._states: dict[Any, dict[str, Any]] = {}  # what the rules keep
        self._read: Any = None  # the same as tensors, from when it is read until the next step
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters to train, with their own settings."""
        name, held = type(self).__name__, [p for group in self.param_groups for p in group["params"]]
        params = parameters_of(name, param_group["params"], held, is_lenient=True)
        self.param_groups.append(self._group({**self.defaults, **param_group, "params": params}))

    def _group(self, given: dict[str, Any]) -> Any:
        """The group, whose settings are those of a rule, or a dictionary where `step` itself reads them."""
        if callable(given.get("lr")):
            raise TypeError(f"{type(self).__name__}: lr is {a_kind(given['lr'])}; expected a number")
        if type(self).rule is Optimizer.rule:
            return given
        group = ParameterGroup(self.rule({key: given[key] for key in self.defaults}), given["params"], is_open=True)
        set_all(group, [one for one in given.items() if one[0] not in ("params", *self.defaults)])
        return group

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        clear_gradients([p for group in self.param_groups for p in group["params"]], set_to_none)

    def rule(self, settings: dict[str, Any]) -> Any:
        """AutoLab's optimizer with the settings of a group."""
        raise NotImplementedError(f"{type(self).__name__}: write rule(self, settings), or step(self)")

    @property
    def _rules(self) -> dict[Any, Any]:  # type: ignore[override]  # groups may be added to the list
        return {p: group.rule for group in self.param_groups[1:] for p in group["params"]}

    def _step(self) -> None:
        first = self.param_groups[0]
        rule = self.rule(first) if isinstance(first, dict) else first.rule  # the former says what is missing
        due = [p for group in self.param_groups for p in group["params"] if p._grad is not None]
        before = self._states if self._read is None else loaded(type(self).__name__, self._read)
        stores, later = self._moved(due, rule, before)
        publish([*stores, (self, "_states", {**before, **later}), (self, "_read", None)])

    # ------------------------------------------------------------------ state
    @property
    def state(self) -> Any:
        """What is kept of each parameter between steps, as tensors; the next step uses what is changed there."""
        if self._read is None:
            shown = {p: {name: _shown(value) for name, value in held.items()} for p, held in self._states.items()}
            self._read = defaultdict(dict, shown)
        return self._read

    @state.setter
    def state(self, states: Any) -> None:
        self._read = states

    def state_dict(self) -> dict[str, Any]:
        """Everything besides the parameters that the next steps depend on; parameters are represented by numbers."""
        return state_dict(self.param_groups, self.state)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        given = deepcopy(state_dict)
        states = states_of(f"{type(self).__name__}.load_state_dict", self.param_groups, given)
        pairs = zip(self.param_groups, given["param_groups"], strict=True)
        groups = [self._group({**saved, "params": group["params"]}) for group, saved in pairs]
        publish([(self, "param_groups", groups), (self, "_read", defaultdict(dict, states))])

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {value}" for key, value in sorted(group.items()) if key != "params"]
        return "\n".join([*lines, ")"])


def _shown(value: Any) -> Any:
    """What a rule keeps, as a tensor; numbers are float32, as PyTorch's."""
    return constant(np.float32(value) if isinstance(value, int | float) else value)
