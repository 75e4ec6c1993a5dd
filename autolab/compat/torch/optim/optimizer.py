"""``torch.optim.optimizer``: AutoLab's update rules on groups of parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ....engine import a_kind, new_order, publish, using_config
from ....engine.parameter import Parameter as EngineParameter
from ....links.link import clear_gradients
from ....optimizers.optimizer import Updates
from ....optimizers.param_groups import ParameterGroup, set_all
from ....transforms.trees import tree_map
from .._tensor import Engine, Tensor, plain


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
        self.state: dict[Any, dict[str, Any]] = defaultdict(dict)
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters to train, with their own settings."""
        params = param_group["params"]
        listed: list[Any] = [params] if isinstance(params, Engine) else list(params)
        for p in listed:
            if not isinstance(p, Tensor):
                raise TypeError(f"{type(self).__name__}: can optimize tensors only, got {a_kind(p)}")
            if not isinstance(p, EngineParameter) and not p.is_leaf:
                raise ValueError(f"{type(self).__name__}: can't optimize a tensor that was computed; expected leaves")
        held = [id(p) for group in (*self.param_groups, {"params": listed}) for p in group["params"]]
        if len(set(held)) < len(held):
            raise ValueError(f"{type(self).__name__}: a parameter was given twice; expected each once")
        own = {name: value for name, value in param_group.items() if name != "params"}
        self.param_groups.append(self._group(listed, {**self.defaults, **own}))

    def _group(self, params: list[Any], settings: dict[str, Any]) -> Any:
        """The group, whose settings are those of a rule, or a dictionary where `step` itself reads them."""
        if callable(settings.get("lr")):
            raise TypeError(f"{type(self).__name__}: lr is {a_kind(settings['lr'])}; expected a number")
        if type(self).rule is Optimizer.rule:
            return {"params": params, **settings}
        rule = self.rule({name: settings[name] for name in self.defaults})
        group = ParameterGroup(rule, params, is_open=True)
        set_all(group, [(name, value) for name, value in settings.items() if name not in self.defaults])
        return group

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        clear_gradients([p for group in self.param_groups for p in group["params"]], set_to_none)

    def rule(self, settings: dict[str, Any]) -> Any:
        """AutoLab's optimizer with the settings of a group."""
        raise NotImplementedError(f"{type(self).__name__}: write rule(self, settings), or step(self)")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once; ``closure``, if given, is called first to compute the gradients again."""
        loss = None
        if closure is not None:
            with using_config("enable_backprop", True):
                loss = closure()
        self._step()
        return loss

    def _step(self) -> None:
        states = defaultdict(dict, self.state)
        stores: list[tuple[Any, str, Any]] = [(self, "state", states)]
        for group in self.param_groups:
            if isinstance(group, dict):
                self.rule(group)  # which says what is missing
            for p in group["params"]:
                if p._grad is not None:
                    states[p] = dict(states.get(p, ()))
                    w = p._data
                    new = group.rule._updated(w, p._grad._data.astype(w.dtype, copy=False), states[p])
                    stores += [(p, "_data", new.astype(w.dtype, copy=False)), (p.node, "moved", new_order())]
        publish(stores)

    # ------------------------------------------------------------------ state
    def state_dict(self) -> dict[str, Any]:
        """Everything besides the parameters that the next steps depend on; parameters are represented by numbers."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            numbers.update({id(p): len(numbers) + i for i, p in enumerate(group["params"])})
            groups.append({**group, "params": [numbers[id(p)] for p in group["params"]]})
        return {"state": {numbers[id(p)]: dict(held) for p, held in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        groups = state_dict["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError("load_state_dict: the groups have other numbers of parameters; nothing was loaded")
        all_params = [p for group in self.param_groups for p in group["params"]]
        states = {all_params[i]: tree_map(plain, deepcopy(held)) for i, held in state_dict["state"].items()}
        loaded = [
            self._group(group["params"], {k: v for k, v in saved.items() if k != "params"})
            for group, saved in zip(self.param_groups, groups, strict=True)
        ]
        for group, new in zip(self.param_groups, loaded, strict=True):
            _take(group, new)
        self.state = defaultdict(dict, states)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {value}" for key, value in sorted(group.items()) if key != "params"]
        return "\n".join([*lines, ")"])


def _take(group: Any, new: Any) -> None:
    """Give a group, which other objects may hold, the settings of another one."""
    if isinstance(group, dict):
        group.update(new)
    else:
        group.rule = new.rule
