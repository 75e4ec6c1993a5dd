"""The library's functions as DeZero's objects, with inputs, outputs, a generation and a backward, for readers who walk
over graphs themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ... import functions as F
from ...authoring.hooks import unchain, unchain_backward
from ...engine import array_of, config
from ...engine.creator import Creator
from ...engine.grad import grad
from ...engine.variable import Variable as Engine
from ..table import with_settings
from ._notes import by_hand, forget, functions_below, note, noted
from ._variable import OTHERS, Variable, dressed

_ARRAYS = frozenset({"self", "other", "a", "b", "x", "x0", "x1", "W", "t", "p", "gamma", "beta"})
"""The parameters that are inputs of DeZero's functions; the others are settings."""

_NAMES = {
    "matmul": "MatMul",
    "relu": "ReLU",
    "leaky_relu": "LeakyReLU",
    "batch_nrom": "BatchNorm",
    "conv2d": "Conv2d",
    "deconv2d": "Deconv2d",
    "im2col": "Im2col",
    "col2im": "Col2im",
}
"""DeZero's classes whose names are not those of the functions in capitals."""

_COMPOSED = "rsub rdiv as_variable as_array linear_simple softmax_simple sigmoid_simple flatten expand_dims average"
_COMPOSED += " embed_id accuracy im2col_array col2im_array"
"""Functions that are several of DeZero's, or none."""


class Applied:
    """A function of the library, and the call in which it was applied; its class has the name that DeZero gives it."""

    _call: Any = None
    _output: Any = None
    _inputs: Any = None
    _generation: int | None = None

    def __getattr__(self, name: str) -> Any:
        y = None if name.startswith("__") or self._output is None else self._output()
        if y is None or y.node is None or not y.node.order:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(Creator(y.node), name)  # what AutoLab's creators have, such as their function

    def _bound(self) -> tuple[inspect.BoundArguments, list[str]]:
        """The arguments, and the names of those that are inputs."""
        function, args, settings = self._call
        bound = inspect.signature(function).bind(*args, **settings)
        return bound, [name for name, x in bound.arguments.items() if name in _ARRAYS and x is not None]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The Variables it was applied to; of arrays and numbers, Variables without a gradient."""
        if self._inputs is None:
            bound, names = self._bound()
            given = [bound.arguments[name] for name in names]
            self._inputs = tuple(
                [x if isinstance(x, Engine) else Variable(array_of(x), requires_grad=False) for x in given]
            )
        found: tuple[Any, ...] = self._inputs
        return found

    @property
    def outputs(self) -> list[Any]:
        """Weak references to the results: ``f.outputs[0]()`` is the result."""
        return [self._output]

    @property
    def generation(self) -> int:
        """The number of functions before it on the longest path from a leaf."""
        return generation_of(self)

    def backward(self, gy: Any) -> Any:
        """The gradients of the inputs, from that of the result: one for each input, also where two are the same."""
        if self._call is None:
            raise NotImplementedError(f"{type(self).__name__}.backward: NumPy called it; expected a function of DeZero")
        bound, names = self._bound()
        twins = [F.reshape(x, x.shape) for x in self.inputs]
        bound.arguments |= dict(zip(names, twins, strict=True))
        for kept in {"mean", "var"} & {*bound.arguments}:  # a call in training moves them
            bound.arguments[kept] = np.copy(array_of(bound.arguments[kept]))
        y = self._call[0](*bound.args, **bound.kwargs)
        found = [None if x.node is None else grad(y, x, gy, bool(config.enable_backprop)) for x in twins]
        for g in found:
            if g is not None:
                g.__class__ = Variable
        return found[0] if len(found) == 1 else tuple(found)


def generation_of(f: Any) -> int:
    """The number of functions before one on the longest path from a leaf; without recursion, and noted on the way."""
    waiting = [f]
    while waiting:
        last = waiting[-1]
        before = [x.creator for x in last.inputs if x.creator is not None]
        later = [one for one in before if one._generation is None]
        waiting += later
        if not later:
            last._generation = max([one._generation + 1 for one in before], default=0)
            waiting.pop()
    return int(f._generation)


_kinds: dict[str, type[Applied]] = {}


def _kind(name: str) -> type[Applied]:
    """The class of this name."""
    if name not in _kinds:
        _kinds[name] = type(name, (Applied,), {"__module__": __name__})
    return _kinds[name]


def _class_name(function: str) -> str:
    return _NAMES.get(function, function.title().replace("_", ""))


def traced(function: Callable[..., Any]) -> Any:
    """A function of the library that notes its calls, each as an object of DeZero's class."""
    own = function.__name__.strip("_")
    if own in _COMPOSED.split():
        return function
    name = _class_name(own)

    @wraps(function)
    def call(*args: Any, **settings: Any) -> Any:
        y = function(*args, **settings)
        if isinstance(y, Variable) and y.node is not None and y.node.order and noted(y) is None:
            made = object.__new__(_kind(name))
            made._call, made._output = (function, args, settings), note(y, made)
        return y

    return call


def applied(name: str, function: Callable[..., Any], *settings: str) -> Any:
    """A class whose objects, created with ``settings``, call ``function`` with them, as often as you like.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import functions as F
    >>> F.LeakyReLU(0.5)(np.array([-2.0, 2.0]))
    variable([-1.  2.])
    """
    known = inspect.signature(function).parameters

    def _settle(self: Any, given: dict[str, Any]) -> None:
        self.settings = given
        vars(self).update(given)

    def __call__(self: Any, *inputs: Any) -> Any:
        y = function(*inputs, **self.settings)
        made: Any = noted(y) if isinstance(y, Variable) else None
        if type(made) is type(self) and self._output is None:  # the first call is that of this object
            self._call = made._call
            self._output = note(y, self)
        return y

    body = {"_settle": _settle, "__call__": __call__, "__module__": __name__}
    shape = inspect.Signature([known[setting] for setting in settings])
    _kinds[name] = with_settings(Applied, name, f"`{function.__name__}` with its settings.", shape, **body)
    return _kinds[name]


# ---------------------------------------------------------------------- what Variables say
def _creator(y: Any) -> Any:
    """The function that computed the value; None for a leaf."""
    own = noted(y)
    if own is not None or y.node is None or not y.node.order:
        return own
    made = Engine.creator.fget(y)  # type: ignore[attr-defined]  # a property has it
    if not hasattr(made, "function"):
        return made  # an object of a user's class
    found = object.__new__(_kind(_class_name(made.name)))
    found._output, found._inputs = note(y, found), tuple([dressed(x) for x in made.inputs])
    return found


def _set_creator(y: Any, func: Any) -> None:
    """Say that a function computed the value: `creator` and `generation` follow from it."""
    note(y, func)
    by_hand.add(func)


def _generation(y: Any) -> int:
    """The number of functions on the longest path from a leaf to this Variable."""
    return 0 if y.creator is None else int(y.creator.generation) + 1


def _unchain(y: Any) -> None:
    """Forget how the value was computed."""
    forget(y)
    unchain(y)


def _unchain_backward(y: Any) -> None:
    """Make all values that this one was computed from leaves, which frees the graph."""
    earlier = [x for f in functions_below(y) for x in f.inputs]
    unchain_backward(y)
    for x in earlier:
        forget(x)


for _name in OTHERS:  # methods of AutoLab's
    setattr(Variable, _name, traced(getattr(Variable, _name)))
Variable.creator = property(_creator)  # type: ignore[assignment, method-assign]
Variable.generation = property(_generation)
Variable.set_creator = _set_creator
Variable.unchain, Variable.unchain_backward = _unchain, _unchain_backward
