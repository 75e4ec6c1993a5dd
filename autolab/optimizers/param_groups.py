"""PyTorch's ``param_groups``, dictionaries through which settings can be assigned, and Keras's ``apply_gradients``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from ..engine import publish
from .optimizer import Optimizer


class ParameterGroup(MutableMapping[str, Any]):
    """The hyperparameters of a group by name, its parameters as ``params``, and any other items that are assigned.

    Examples
    --------
    >>> from autolab import links as L, optimizers
    >>> optimizer = optimizers.Adam(L.Linear(3, 2), lr=0.01)
    >>> for group in optimizer.param_groups:
    ...     group["lr"] *= 0.5
    >>> optimizer.lr
    0.005
    """

    def __init__(self, rule: Optimizer, params: list[Any]) -> None:
        self._rule, self._more = rule, {"params": params}

    def __getitem__(self, name: str) -> Any:
        return getattr(self._rule, name) if name in self._rule.hyperparameters else self._more[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self._rule.hyperparameters:
            setattr(self._rule, name, value)
        else:
            self._more[name] = value

    def __delitem__(self, name: str) -> None:
        del self._more[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._rule.hyperparameters, *self._more])

    def __len__(self) -> int:
        return len(self._rule.hyperparameters) + len(self._more)

    def __repr__(self) -> str:
        return repr(dict(self))


@property  # type: ignore[misc]  # it becomes an attribute of Optimizer
def param_groups(self: Any) -> list[ParameterGroup]:
    """The parameter groups of an optimizer; the same objects each time, until the next `setup`."""
    rules = [rule for _, rule in self._groups]
    shown: list[ParameterGroup] = vars(self).get("_shown_groups", [])
    if [group._rule for group in shown] != [self, *rules] or self._shown_target is not self.target:
        params = [p for p in self._link("param_groups").params() if p not in self._rules]
        shown = [ParameterGroup(self, params), *[ParameterGroup(rule, params) for params, rule in self._groups]]
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
