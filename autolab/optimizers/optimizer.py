"""Optimizer: updates the parameters of a link by their gradients, all of them at once or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from ..engine import Array, Displayed, Parameter, Variable, a_kind, check_number, new_order, publish, to_cpu, to_gpu
from ..engine.argument_checks import CheckedArguments
from ..engine.habits import answer_habits
from ..links import Link
from ..shared.state_layout import Slot
from .construction import TakesParameters
from .given import target_and_groups, warn_of_plain_lists
from .state import Memory, State, planned, state, state_layout

_HALF = np.dtype(np.float16)

Hook = Callable[["Optimizer"], Any]


class Updates(CheckedArguments):
    """What changes parameters, in ``_step()``: AutoLab's optimizers and those with PyTorch's rules."""


class Optimizer(Displayed, Updates, metaclass=TakesParameters):
    """The base class of optimizers: subclass it and define `update_one`.

    An update first computes all new arrays and then assigns all of them, together with the optimizer's own state,
    atomically: an interrupt cannot leave half of them assigned. Parameters get new arrays and the old ones do not
    change, so that existing graphs remain valid.

    Pass the model to `setup`, or as the first argument: ``Adam(model, lr=0.001)``, ``Adam(model.parameters())``, or
    parameter groups with settings of their own:
    ``Adam([{"params": body.parameters(), "lr": 0.0001}, {"params": head}])``.

    Parameters
    ----------
    lr : float or callable
        Learning rate. A callable is called with the number of updates so far; see `autolab.optimizers.schedules`.

    Attributes
    ----------
    target : Link or None
        The link given to `setup`.
    t : int
        Number of updates so far.

    Examples
    --------
    >>> import autolab
    >>> from autolab import Parameter, functions as F, optimizers
    >>> class Point(autolab.Link):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.x = Parameter([1.0, -2.0])
    ...
    ...     def forward(self):
    ...         return F.sum(self.x**2)
    >>> point = Point()
    >>> optimizer = optimizers.SGD(lr=0.25).setup(point)
    >>> for _ in range(3):
    ...     loss = optimizer.update(point)
    >>> point.x, loss
    (variable([ 0.125 -0.25 ]), variable(0.3125))
    """

    hyperparameters: tuple[str, ...] = ("lr",)
    """Names of the attributes that are saved with the state."""

    def __init__(self, lr: float | Callable[[int], float]) -> None:
        self.lr = lr if callable(lr) else check_number(type(self).__name__, "lr", lr, 0.0)
        self.target: Link | None = None
        self.t = 0
        self._hooks: dict[str, Hook] = {}
        self._memories: dict[Parameter, Memory] = {}
        self._groups: list[tuple[list[Parameter], Optimizer]] = []
        self._rules: dict[Parameter, Optimizer] = {}

    # ------------------------------------------------------------------ parameters and hooks
    def setup(self, target: Any) -> Self:
        """Set the parameters to update, a Link's or individual ones, and reset the state; returns the optimizer."""
        given = target_and_groups(f"{type(self).__name__}.setup: target", target)
        if given is None or given[1]:
            raise TypeError(f"{type(self).__name__}.setup: got {a_kind(target)}; expected a Link or parameters")
        self.target, self.t, self._memories, self._groups, self._rules = given[0], 0, {}, [], {}
        return self

    def _group(self, parameters: list[Parameter], rule: Optimizer) -> None:
        """Update some of the parameters with other settings."""
        self._groups.append((parameters, rule))
        self._rules |= dict.fromkeys(parameters, rule)

    def _link(self, method: str) -> Link:
        if self.target is None:
            raise RuntimeError(f"{type(self).__name__}.{method}: call setup(model) first")
        return self.target

    def _holds(self) -> tuple[dict[str, str], str]:
        return {"target": "updated"}, "asked"

    def __iter__(self) -> Iterator[Parameter]:
        """The parameters that have a gradient, which an update changes."""
        return iter(self._due())

    def _due(self) -> list[Parameter]:
        return [p for p in self._link("update")._all_params() if p._grad is not None and p.is_initialized]

    def add_hook(self, hook: Hook, name: str | None = None) -> None:
        """Call ``hook(optimizer)`` in every update, after the gradients are computed and before the parameters change.

        Iterating over the optimizer gives the parameters that have a gradient. The update uses the ``grad`` that a hook
        assigns; a parameter whose ``grad`` is set to None is not updated. If a hook raises, the previous gradients are
        restored: therefore a hook must assign new ones, and never change their arrays in place.

        Raises
        ------
        KeyError
            If there is a hook with this name already.
        TypeError
            If ``hook`` is not callable, or is a class.
        """
        if isinstance(hook, type):
            raise TypeError(
                f"{type(self).__name__}.add_hook: got the class {hook.__name__:.60}; expected an instance, such as "
                f"{hook.__name__:.60}(...)"
            )
        if not callable(hook):
            raise TypeError(f"{type(self).__name__}.add_hook: got {a_kind(hook)}; expected a callable")
        name = name or str(getattr(hook, "name", getattr(hook, "__name__", type(hook).__name__)))
        if name in self._hooks:
            raise KeyError(f"{type(self).__name__}.add_hook: there is already a hook {name!r:.60}; give another name=")
        self._hooks[name] = hook

    def remove_hook(self, name: str) -> None:
        """Remove the hook with this name.

        Raises
        ------
        KeyError
            If there is no such hook.
        """
        if name not in self._hooks:
            who, there = f"{type(self).__name__}.remove_hook", ", ".join(self._hooks) or "none"
            raise KeyError(f"{who}: no hook is called {name!r:.60}; there are: {there:.150}")
        del self._hooks[name]

    # ------------------------------------------------------------------ an update
    def update(self, lossfun: Callable[..., Variable] | None = None, *args: Any, **kwargs: Any) -> Variable | None:
        """Update the parameters once.

        Without arguments, use their current gradients. With a loss function, clear the gradients, compute
        ``lossfun(*args, **kwargs)`` and its gradients, update the parameters, and return the loss.

        Raises
        ------
        RuntimeError
            If `setup` has not been called, or no parameter has a gradient.
        TypeError
            If ``lossfun`` is not callable, or does not return a Variable.
        """
        target = self._link("update")
        loss = None
        if lossfun is not None:
            who = f"{type(self).__name__}.update: lossfun"
            if not callable(lossfun):
                what = f"{who} is {a_kind(lossfun)}"
                raise TypeError(f"{what}; expected a function that gives the loss, or nothing after loss.backward()")
            target.cleargrads()
            loss = lossfun(*args, **kwargs)
            if not isinstance(loss, Variable):
                raise TypeError(f"{who} returned {a_kind(loss)}; expected the loss, a Variable")
            loss.backward()
        self._step()
        return loss

    def step(self) -> None:
        """Update the parameters once by their current gradients: `update` without arguments."""
        self.update()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, also with ``set_to_none=False``."""
        self._link("zero_grad").cleargrads()

    def _step(self) -> None:
        t = self.t
        parameters = self._due()
        if not t:
            warn_of_plain_lists(f"{type(self).__name__}.update", self._link("update"))
        if not parameters and next(self._link("update").params(), None) is not None:
            raise RuntimeError(
                f"{type(self).__name__}.update: no parameter has a gradient; call loss.backward() first, or "
                "update(lossfun, ...)"
            )
        before = [(p.node, "grad", p._grad) for p in parameters] if self._hooks else []
        try:
            for hook in self._hooks.values():
                hook(self)
            if self._hooks:
                parameters = self._due()  # a hook may have set a gradient to None
            counters = [(rule, "t", t + 1) for rule in self._all_rules]
            publish([*self._stores(parameters), *counters])
        except BaseException:
            if self.t == t:  # not yet published
                publish(before)
            raise

    def _stores(self, parameters: list[Parameter]) -> list[tuple[Any, str, Any]]:
        """The assignments that update the parameters."""
        stores: list[tuple[Any, str, Any]] = []
        memories = self._memories
        for parameter in parameters:
            memory = memories.get(parameter) or memories.setdefault(parameter, Memory())
            state = memory.state.copy()
            node: Any = parameter.node  # it exists, as the parameter has a gradient
            w = parameter._data
            g = node.grad._data
            rule = self._rules.get(parameter, self)
            if w.dtype is _HALF:  # the squares of small gradients underflow in float16, and so does Adam's eps
                new = rule.update_one(w.astype(np.float32), g.astype(np.float32), state)
            else:
                new = rule.update_one(w, g, state)
            if new.shape != w.shape:
                raise ValueError(
                    f"{type(self).__name__}: the new {parameter.name} has shape {new.shape}, not {w.shape}"
                )
            if new.dtype is not w.dtype:
                new = new.astype(w.dtype, copy=False)
            stores += (parameter, "_data", new), (node, "moved", new_order())
            if state or memory.state:
                stores.append((memory, "state", state))
        return stores

    def update_one(self, w: Array, g: Array, state: State) -> Array:
        """The update rule: the new array of one parameter.

        Parameters
        ----------
        w, g : array
            The parameter and its gradient, of the same shape; float16 is converted to float32. Do not change them in
            place.
        state : dict
            The optimizer's state for this parameter, such as its momentum; empty at first. Assign new arrays, do not
            change old ones in place.
        """
        raise NotImplementedError(f"{type(self).__name__}: write update_one(self, w, g, state)")

    @property
    def rate(self) -> float:
        """The learning rate of the next update."""
        if not callable(self.lr):
            return self.lr
        return check_number(type(self).__name__, f"lr({self.t})", self.lr(self.t), 0.0)

    # ------------------------------------------------------------------ state
    @property
    def _all_rules(self) -> tuple[Optimizer, ...]:
        """Itself, and the rule of each group."""
        return (self, *[rule for _, rule in self._groups])

    def state(self) -> dict[str, Any]:
        """The state of the optimizer by names such as ``l1/W/m``: all that later updates depend on, besides the
        parameters."""
        return state(self)

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name."""
        return state_layout(self)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load what `state` returned, for the same kind of optimizer and model; on an error nothing changes."""
        publish(self.planned(state))

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that `load_state` would make; raises the same errors."""
        return planned(self, state)

    def to_gpu(self) -> Self:
        """Move the state to the current GPU; returns the optimizer itself."""
        return self._move(to_gpu)

    def to_cpu(self) -> Self:
        """Move the state to main memory; returns the optimizer itself."""
        return self._move(to_cpu)

    def _move(self, move: Callable[[Array], Array]) -> Self:
        for memory in self._memories.values():
            memory.state = {k: move(v) if hasattr(v, "shape") else v for k, v in memory.state.items()}
        return self

    def __repr__(self) -> str:
        settings = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.hyperparameters])
        return f"{type(self).__name__}({settings}, t={self.t})"


answer_habits(Optimizer, "Optimizer")
