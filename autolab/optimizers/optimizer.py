"""Optimizer: updates the parameters of a link by their gradients, all of them at once or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..engine import Array, Displayed, Parameter, Variable, a_kind, check_number, new_order, publish, to_cpu, to_gpu
from ..engine.arrays import HALF
from ..engine.configuration import using_config
from ..engine.habits import answer_habits
from ..links import Link
from ..shared.state_layout import Slot
from .construction import TakesParameters
from .given import GivenParameters, Groups, parameters_of, target_and_groups, warn_of_plain_lists
from .hooks import Hooked
from .settings import Check, Settings, Word, from_to, truth
from .state import State, loaded, planned, state, state_dict, state_layout, states_of

_NONE: State = {}


def _rate(who: str, name: str, value: Any) -> Any:
    return value if callable(value) else check_number(who, name, value, 0.0)


class Updates(Settings):
    """What changes parameters, in ``_step()``: AutoLab's optimizers and those of facades."""

    _rules: dict[Any, Optimizer]
    """The rules of parameters that have another than the first group."""

    def _step(self) -> None:
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once by their current gradients.

        ``closure``, if given, is called first, to compute the gradients again; its result is returned.
        """
        loss = None
        if closure is not None:
            with using_config("enable_backprop", True):
                loss = closure()
        self._step()
        return loss

    def _moved(
        self, parameters: list[Any], first: Optimizer, states: Mapping[Any, State]
    ) -> tuple[list[tuple[Any, str, Any]], dict[Any, State]]:
        """The assignments that update parameters, by the rule ``first`` or their own, and their states afterwards."""
        stores: list[tuple[Any, str, Any]] = []
        later: dict[Any, State] = {}
        rules, prepares = self._rules, first.weight_decay or first.maximize
        if rules:
            prepares = any([rule.weight_decay or rule.maximize for rule in {first, *rules.values()}])
        for parameter in parameters:
            before = states.get(parameter, _NONE)
            state = before.copy()
            node: Any = parameter.node  # it exists, as the parameter has a gradient
            w = parameter._data
            rule = rules.get(parameter, first) if rules else first
            if prepares or w.dtype is HALF:
                new = rule._updated(w, node.grad._data, state)
            else:
                new = rule.update_one(w, node.grad._data, state)
            if new.shape != w.shape:
                raise ValueError(
                    f"{type(self).__name__}: the new {parameter.name} has shape {new.shape}, not {w.shape}"
                )
            if new.dtype is not w.dtype:
                new = new.astype(w.dtype, copy=False)
            stores += (parameter, "_data", new), (node, "moved", new_order())
            if state or before:
                later[parameter] = state
        return stores, later


class Optimizer(Displayed, Hooked, Updates, metaclass=TakesParameters):
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
    weight_decay : float
        Every optimizer takes this keyword: ``weight_decay * w`` is added to the gradient of each parameter ``w``.
    maximize : bool
        And this one: go along the gradient instead of against it.

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

    options: ClassVar[dict[str, Any]] = {"weight_decay": 0.0, "maximize": False}
    """Further settings with their defaults, which are shown and saved if they have another value."""

    fixed: ClassVar[dict[str, Any]] = {"foreach": None, "fused": None, "capturable": False, "differentiable": False}
    """PyTorch's settings that have this value only; None stands for any, as they have no effect on numbers."""

    checks: ClassVar[dict[str, Check]] = {"lr": _rate, "weight_decay": from_to(0), "maximize": truth}
    weight_decay, maximize, decoupled_weight_decay = 0.0, False, False
    learning_rate, betas = Word(), Word()

    def __init__(self, lr: float | Callable[[int], float]) -> None:
        self.lr = lr
        self.target: Link | None = None
        self.t = 0
        self._hooks: dict[str, Callable[..., Any]] = {}
        self._states: dict[Parameter, State] = {}
        self._groups: list[tuple[list[Parameter] | None, Optimizer]] = []
        self._rules: dict[Parameter, Optimizer] = {}
        self._notes: dict[str, Any] = {}
        self._made_with: tuple[tuple[Any, ...], dict[str, Any]] = (), {}

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """The names of all settings."""
        return (*cls.hyperparameters, *[name for name in cls.options if name not in cls.hyperparameters])

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "rate":
            raise AttributeError(f"{type(self).__name__}.rate follows from lr; write optimizer.lr = {value!r:.60}")
        super().__setattr__(name, value)

    def _set_of_all(self, name: str) -> None:
        groups = vars(self).get("_groups", ())
        if len(groups) > 1:
            raise AttributeError(
                f"{type(self).__name__}.{name:.60}: there are {len(groups)} parameter groups, each with its own; write "
                f"optimizer.param_groups[i][{name!r:.60}] = ..., for each i"
            )

    # ------------------------------------------------------------------ parameters
    def setup(self, target: Any) -> Self:
        """Set the parameters to update, a Link's or individual ones, and reset the state; returns the optimizer."""
        given = target_and_groups(f"{type(self).__name__}.setup: target", target)
        if given is None or any([own for _, own in given[1]]):
            raise TypeError(f"{type(self).__name__}.setup: got {a_kind(target)}; expected a Link or parameters")
        self.target, self.t, self._states, self._groups, self._rules = given[0], 0, {}, [], {}
        return self._split(given[1])

    def _split(self, groups: Groups) -> Self:
        """Set up groups of parameters. The settings of the first are its own; each of the others gets a rule."""
        if len(groups) > 1:
            self._groups = [(groups[0][0], self)]
            for parameters, own in groups[1:]:
                self._add_group(parameters, own)
        return self

    def _add_group(self, parameters: list[Any], own: dict[str, Any]) -> None:
        args, settings = self._made_with
        rule = type(self)._with_settings(args, {**type(self)._own_words(settings), **type(self)._own_words(own)})
        rule.t = self.t
        self._groups.append((parameters, rule))
        self._rules |= dict.fromkeys(parameters, rule)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Update more parameters, with settings of their own; those that are not given are as at the construction.

        Parameters
        ----------
        param_group : dict
            ``params``, and settings such as ``lr``.

        Examples
        --------
        >>> from autolab import links as L, optimizers
        >>> head, body = L.Linear(3, 2), L.Linear(3, 3)
        >>> optimizer = optimizers.SGD(head.parameters(), lr=0.1)
        >>> optimizer.add_param_group({"params": body.parameters(), "lr": 0.001})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.001]
        """
        who = f"{type(self).__name__}.add_param_group"
        if not isinstance(param_group, Mapping) or "params" not in param_group:
            raise TypeError(f"{who}: got {a_kind(param_group)}; expected a dict with params, such as {{'params': [w]}}")
        target = self._link("add_param_group")
        origins = [*getattr(target, "origins", [target]), getattr(param_group["params"], "link", None)]
        before = list(target.params())
        parameters = parameters_of(who, param_group["params"], before)
        own = {name: value for name, value in param_group.items() if name != "params"}
        first = self._groups or [(before, self)]
        self._groups = first
        try:
            self._add_group(parameters, own)
        except BaseException:
            self._groups = first if len(first) > 1 else []
            raise
        self.target = GivenParameters([*before, *parameters], [link for link in origins if link is not None])

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

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or, with ``set_to_none=False``, those that there are to 0."""
        self._link("zero_grad").cleargrads(set_to_none)

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
        stores, later = self._moved(parameters, self, self._states)
        return [*stores, (self, "_states", {**self._states, **later})] if later else stores

    def _updated(self, w: Array, g: Array, state: State) -> Array:
        """The new array of one parameter, from its gradient as the options say."""
        if w.dtype is HALF:  # the squares of small gradients underflow in float16, and so does Adam's eps
            w, g = w.astype(np.float32), g.astype(np.float32)
        if self.maximize:
            g = -g
        if self.weight_decay and not self.decoupled_weight_decay:
            g = g + self.weight_decay * w
        return self.update_one(w, g, state)

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
        """The rule of each group; it is itself that of the first, or only one."""
        return (self, *[rule for _, rule in self._groups[1:]])

    def state(self) -> dict[str, Any]:
        """The state of the optimizer by names such as ``l1/W/exp_avg``: all that later updates depend on, besides the
        parameters."""
        return state(self)

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name."""
        return state_layout(self)

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load what `state` returned, for the same kind of optimizer and model; on an error nothing changes."""
        publish(self.planned(state))

    def state_dict(self) -> dict[str, Any]:
        """The state in PyTorch's form: ``state`` of each parameter, by its number, and ``param_groups``; and ``t``.

        Examples
        --------
        >>> import numpy as np
        >>> from autolab import links as L, optimizers
        >>> layer = L.Linear(2, 1, nobias=True)
        >>> optimizer = optimizers.Adam(layer.parameters())
        >>> layer.W.grad = np.full((1, 2), 2.0, np.float32)
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"][0]["exp_avg"]
        array([[0.2, 0.2]], dtype=float32)
        """
        return {**state_dict(self.param_groups, self._states), "t": self.t}  # type: ignore[attr-defined]

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load what `state_dict` returned, here or in PyTorch, or what `state` did; on an error nothing changes."""
        if "param_groups" not in state_dict:
            return self.load_state(state_dict)
        who, groups = f"{type(self).__name__}.load_state_dict", self.param_groups  # type: ignore[attr-defined]
        states = loaded(who, states_of(who, groups, state_dict))
        saved = zip(groups, state_dict["param_groups"], strict=True)
        stores = [store for group, settings in saved for store in group.planned(settings)]
        t = int(state_dict.get("t", max([held.get("step", 0) for held in states.values()], default=0)))
        publish([*stores, *[(rule, "t", t) for rule in self._all_rules], (self, "_states", states)])

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
        self._states = {
            parameter: {name: move(value) if hasattr(value, "shape") else value for name, value in held.items()}
            for parameter, held in self._states.items()
        }
        return self

    def __repr__(self) -> str:
        settings = ", ".join([f"{name}={value!r}" for name, value in self.settings()])
        return f"{type(self).__name__}({settings}, t={self.t})"

    def settings(self) -> list[tuple[str, Any]]:
        """Pairs of name and value: the hyperparameters, and the options that have another value than their default."""
        options = [(n, d) for n, d in self.options.items() if n not in self.hyperparameters and getattr(self, n) != d]
        return [(name, getattr(self, name)) for name in (*self.hyperparameters, *[name for name, _ in options])]


answer_habits(Optimizer, "Optimizer")
