"""PyTorch's ``param_groups``, dictionaries through which settings can be assigned, and Keras's ``apply_gradients``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from copy import copy
from typing import TYPE_CHECKING, Any

from ..engine import publish
from ..engine.errors import LIMIT
from ..links import Link
from .settings import no_setting, read_as

if TYPE_CHECKING:
    from .optimizer import Optimizer

OF_SCHEDULES = frozenset({"initial_lr", "max_lr", "min_lr", "max_momentum", "base_momentum", "swa_lr"})
"""What schedules note in a parameter group."""

FREE = OF_SCHEDULES | {"name"}
"""Keys that no update rule reads: a group may have them, with any value."""


class ParameterGroup(MutableMapping[str, Any]):
    """The parameters of a group, as ``params``, and its settings, by our names and by those of PyTorch.

    A setting that is assigned is checked, and used from the next update on; an unknown one raises a KeyError.

    Parameters
    ----------
    rule : Optimizer
        Has the settings as attributes.
    params : list of Parameter or Link
        A link stands for the parameters that it has at the time.
    is_open : bool
        Whether any other key can be assigned, too, as in PyTorch.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.Adam(L.Linear(3, 2), lr=0.01)
    >>> for group in optimizer.param_groups:
    ...     group["lr"] *= 0.5
    ...     group["betas"] = 0.8, 0.99
    >>> optimizer.lr, optimizer.beta1
    (0.005, 0.8)
    """

    def __init__(self, rule: Optimizer, params: Any, is_open: bool = False) -> None:
        self.rule, self._params, self._is_open = rule, params, is_open

    def __getitem__(self, name: str) -> Any:
        rule = self.rule
        if name == "params":
            return list(self._params.params()) if isinstance(self._params, Link) else self._params
        if name in rule.setting_names():
            return getattr(rule, name)
        if name in rule._notes:
            return rule._notes[name]
        if name in rule.fixed:
            return rule.fixed[name]
        found = tuple([getattr(rule, one) for one in read_as(type(rule), name)])
        if not found:
            raise KeyError(name)
        return found if name == "betas" else found[0]

    def __setitem__(self, name: str, value: Any) -> None:
        rule = self.rule
        who = type(rule).__name__
        if name == "params":
            raise ValueError(f"{who}: params cannot be assigned; write optimizer.add_param_group({{'params': new}})")
        if name in rule.fixed and name not in rule.setting_names():
            if value != rule.fixed[name] and rule.fixed[name] is not None:
                raise ValueError(f"{who}: {name} is {value!r:.60}; this update rule has only {rule.fixed[name]!r}")
            rule._notes[name] = value
        elif name in rule.setting_names() or [*read_as(type(rule), name)]:
            rule._set(name, value)
        elif name in FREE or self._is_open:
            rule._notes[name] = value
        else:
            raise KeyError(no_setting(who, name, rule.setting_names()))

    def planned(self, settings: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that give the rule these settings, and its options their defaults where there is none."""
        twin = copy(self.rule)
        twin._notes = dict(twin._notes)
        for name, default in twin.options.items():
            if name not in twin.hyperparameters:
                object.__setattr__(twin, name, default)
        set_all(ParameterGroup(twin, [], self._is_open), [one for one in settings.items() if one[0] != "params"])
        before = vars(self.rule)
        return [(self.rule, name, value) for name, value in vars(twin).items() if before.get(name, twin) is not value]

    def __delitem__(self, name: str) -> None:
        if name not in self.rule._notes:
            raise KeyError(f"{type(self.rule).__name__}: the setting {name!r:.60} of a group cannot be deleted"[:LIMIT])
        del self.rule._notes[name]

    def __iter__(self) -> Iterator[str]:
        own = self.rule.setting_names()
        listed = dict.fromkeys(["betas" if name in ("beta1", "beta2") else name for name in own])  # as in PyTorch
        more = [name for name in (*self.rule.fixed, *self.rule._notes) if name not in own]
        return iter(dict.fromkeys(["params", *listed, *more]))

    def __len__(self) -> int:
        return sum([1 for _ in self])

    def __repr__(self) -> str:
        return repr(dict(self))


def set_all(group: ParameterGroup, settings: Iterable[tuple[str, Any]]) -> None:
    """Assign settings, or notes, under any of their names."""
    for name, value in settings:
        group[name] = value


@property  # type: ignore[misc]  # it becomes an attribute of Optimizer
def param_groups(self: Any) -> list[ParameterGroup]:
    """The parameter groups of an optimizer; the same objects each time, until the next `setup`."""
    shown: list[ParameterGroup] = vars(self).get("_shown_groups", [])
    groups = self._groups or [(None, self)]
    if [group.rule for group in shown] != [rule for _, rule in groups] or self._shown_target is not self.target:
        target = self._link("param_groups")
        shown = [ParameterGroup(rule, target if params is None else params) for params, rule in groups]
        self._shown_groups, self._shown_target = shown, self.target
    return shown


def apply_gradients(self: Any, grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
    """Keras's form of an update: takes pairs of gradient and parameter, as in ``zip(gradients, parameters)``.

    Examples
    --------
    >>> import autolab
    >>> w = autolab.Variable([1.0, 2.0])
    >>> autolab.optimizers.SGD(lr=0.1).apply_gradients([(autolab.grad((w * w).sum(), w), w)])
    >>> w
    variable([0.8 1.6])
    """
    pairs = list(grads_and_vars)
    gradients = [(p.node, "grad", p._gradient(g, "apply_gradients")) for g, p in pairs if g is not None]
    if self.target is None:
        self.setup([parameter for _, parameter in pairs])
    publish(gradients)
    self.update()
