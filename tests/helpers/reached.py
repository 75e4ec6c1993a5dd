"""Functions that multiply by a number from somewhere around them, and what makes that another number."""

from __future__ import annotations

import argparse
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import links

Reached = tuple[Callable[..., Any], Callable[[], object], str]
"""A function of one number, what changes its factor from 2 to 5, and the name under which that is reached."""


class Holder:
    def __init__(self, value: Any) -> None:
        self.value = value

    def times(self, x: Any) -> Any:
        return x * self.value

    def __call__(self, x: Any) -> Any:
        return self.times(x)


class Net(links.Link):
    def __init__(self) -> None:
        super().__init__()
        self.rate = 2.0

    def forward(self, x: Any) -> Any:
        return x * self.rate


def _attribute() -> Reached:
    a = Holder(2.0)
    return lambda x: x * a.value, lambda: setattr(a, "value", 5.0), "a"


def _inner_object() -> Reached:
    a = Holder(Holder(2.0))
    return lambda x: x * a.value.value, lambda: setattr(a.value, "value", 5.0), "a"


def _namespace() -> Reached:
    settings = types.SimpleNamespace(k=2.0)
    return lambda x: x * settings.k, lambda: setattr(settings, "k", 5.0), "settings"


def _module() -> Reached:
    settings = types.ModuleType("settings")
    settings.k = 2.0  # type: ignore[attr-defined]
    return lambda x: x * settings.k, lambda: setattr(settings, "k", 5.0), "settings.k"


def _list_in_list() -> Reached:
    a = [[2.0], "b"]
    return lambda x: x * a[0][0], lambda: a[0].__setitem__(0, 5.0), "a"  # type: ignore[attr-defined, operator]


def _list_with_array() -> Reached:
    a = [2.0, np.ones(2)]
    return lambda x: x * a[0], lambda: a.__setitem__(0, 5.0), "a"


def _array_in_dict() -> Reached:
    weights = {"w": np.array(2.0)}
    return lambda x: x * weights["w"], lambda: weights.update(w=np.array(5.0)), "weights"


def _numpy_scalar() -> Reached:
    a = Holder(np.float32(2))
    return lambda x: x * a.value, lambda: setattr(a, "value", np.float32(5)), "a"


def _method() -> Reached:
    a = Holder(2.0)
    return a.times, lambda: setattr(a, "value", 5.0), "self.value"


def _callable_object() -> Reached:
    a = Holder(2.0)
    return a, lambda: setattr(a, "value", 5.0), "self.value"


def _link() -> Reached:
    net = Net()
    return net, lambda: setattr(net, "rate", 5.0), "self.rate"


def _partial() -> Reached:
    a = [2.0]

    def times(x: Any, one: float) -> Any:
        return x * a[0] * one

    return functools.partial(times, one=1.0), lambda: a.__setitem__(0, 5.0), "a"


def _default() -> Reached:
    def times(x: Any, *, k: list[float] = [2.0]) -> Any:  # noqa: B006
        return x * k[0]

    return lambda x: times(x), lambda: times.__kwdefaults__["k"].__setitem__(0, 5.0), "k"


def _function_in_list() -> Reached:
    steps = [lambda x: x * 2]
    return lambda x: steps[0](x), lambda: steps.__setitem__(0, lambda x: x * 5), "steps"


def _class() -> Reached:
    class Settings:
        k = 2.0

    return lambda x: x * Settings.k, lambda: setattr(Settings, "k", 5.0), "Settings"


def _other_of_that_name() -> Reached:
    def outer(k: float) -> Callable[[Any], Any]:
        return lambda x: x * k

    k, inner = [2.0], outer(1.0)
    return lambda x: inner(x) * k[0], lambda: k.__setitem__(0, 5.0), "k"


def _elsewhere() -> Reached:
    a = argparse.Namespace(value=2.0)
    return lambda x: x * a.value, lambda: setattr(a, "value", 5.0), "a"


KINDS: dict[str, Callable[[], Reached]] = {
    name[1:].replace("_", " "): kind
    for name, kind in list(globals().items())
    if getattr(kind, "__annotations__", {}) == {"return": "Reached"}
}
