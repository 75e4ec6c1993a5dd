"""A program is diagnosed the same however it is called: as a function, a model, a method, a partial, compiled."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import autolab
from autolab import functions as F
from autolab import links as L

X, T = np.random.default_rng(0).normal(size=(16, 3)), np.arange(16) % 4


class Net(L.Link):
    """A network with a mistake, or none."""

    def __init__(self, mistake: str) -> None:
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(3, 4)
            if mistake == "unreached_parameter":
                self.b = L.Linear(3, 4)
        self.parts = [L.Linear(3, 3)] if mistake == "unregistered_parameter" else []

    def forward(self, x: Any, t: Any) -> Any:
        for part in self.parts:
            x = F.relu(part(x))
        return F.softmax_cross_entropy(self.a(x), t)


class Step:
    """An object that holds a network and is called."""

    def __init__(self, model: Net) -> None:
        self.model = model

    def __call__(self, x: Any, t: Any) -> Any:
        return self.model(x, t)

    def run(self, x: Any, t: Any) -> Any:
        return self.model(x, t)


def argument(net: Net, x: Any, t: Any) -> Any:
    return net(x, t)


def handed_on(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def run(*args: Any) -> Any:
        return fn(*args)

    return run


def forms(model: Net) -> dict[str, tuple[Any, ...]]:
    """The forms of one call."""

    def default(x: Any, t: Any, net: Net = model) -> Any:
        return net(x, t)

    named: dict[str, Any] = {"net": model}
    exec(compile("def loss(x, t):\n    return net(x, t)", __file__, "exec"), named)
    plain = {
        "lambda": (lambda: model(X, T),),
        "closure": (lambda x, t: model(x, t), X, T),
        "global": (named["loss"], X, T),
        "argument": (argument, model, X, T),
        "default": (default, X, T),
        "decorated": (handed_on(lambda x, t: model(x, t)), X, T),
        "model": (model, X, T),
        "method": (model.forward, X, T),
        "object": (Step(model), X, T),
        "its method": (Step(model).run, X, T),
        "partial": (functools.partial(argument, model), X, T),
        "partial by name": (functools.partial(argument, net=model, x=X, t=T),),
        "partial model": (functools.partial(model, X), T),
        "partial method": (functools.partial(model.forward, X, T),),
        "partial of a partial": (functools.partial(functools.partial(argument, model), X), T),
    }
    chosen = ("closure", "argument", "model", "method", "object", "partial")
    return plain | {f"compiled {form}": (autolab.compile(plain[form][0]), *plain[form][1:]) for form in chosen}


def test_every_form_of_call_finds_the_same() -> None:
    for mistake in ("unreached_parameter", "unregistered_parameter", ""):
        found = {form: [f.kind for f in autolab.diagnose(*call).findings] for form, call in forms(Net(mistake)).items()}
        assert found == dict.fromkeys(found, [mistake] if mistake else [])
