"""Gradients written by hand beside a function, in the forms of courses: a pair ``forward(x, ...) -> (out, cache)`` and
``backward(dout, cache) -> gradients``, or one function that returns its loss and the gradient of it."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from ...authoring.function_node import FunctionNode
from ...engine import Variable, array_of, is_array
from ...engine.errors import GradientCountError, a_kind
from ...engine.undisturbed import undisturbed

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A function and its arguments."""


def as_written(fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Call:
    """``fn`` as a function of Variables whose backward is what its author wrote, and the arguments; otherwise the same.

    Examples
    --------
    >>> import autolab
    >>> def forward(x, w):
    ...     return x * w, (x, w)
    >>> def backward(dout, cache):
    ...     x, w = cache
    ...     return dout * w, dout * w
    >>> autolab.check_gradients(forward, backward, 2.0, 3.0).verdict
    'wrong'
    """
    if args and _is_pair(fn, args, inputs):
        return _function(fn, fn, args[0]), args[1:], dict(inputs)
    called = _called_gradients(fn)
    names = _gradients_of(fn, args, inputs, called) if called else []
    if not names:
        return fn, args, dict(inputs)
    function = _function(fn, partial(_loss_first, fn), partial(_scaled, names))
    bound = inspect.signature(fn).bind(*args, **inputs)
    for name, x in bound.arguments.items():
        if name not in names and _is_floats(x):  # data, of which it returns no gradient
            bound.arguments[name] = Variable(_plain(x), requires_grad=False)
    return function, bound.args, bound.kwargs


def _gradients_of(fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any], called: list[str]) -> list[str]:
    """The arguments whose gradients a function returns beside its loss, in this order; none if that is not clear.

    ``called`` are the names of those whose name in the code says whose gradients they are; others are told by shape.
    """
    try:
        bound = inspect.signature(fn).bind(*args, **inputs)
        with undisturbed():
            loss, found = _loss_first(fn, *[np.array(x) if _is_floats(x) else x for x in map(_plain, bound.args)])
    except Exception:  # the check itself will say what is wrong
        return []
    given, shapes = bound.arguments, {name: np.shape(_plain(x)) for name, x in bound.arguments.items() if _is_floats(x)}
    if np.size(loss) != 1 or bound.kwargs:
        return []
    if isinstance(found, dict):
        names = [_of(str(name), {*given}) for name in found]
        return names if all([name in shapes for name in names]) else []
    gradients, names = found if isinstance(found, tuple) else (found,), []
    for gradient, own in zip(gradients, called, strict=False):
        free = [name for name in shapes if name not in (*called, *names)]
        fitting = [name for name in ([own] if own else free) if shapes.get(name) == np.shape(gradient)]
        names += fitting[:1]
    return names if len(names) == len(gradients) else []


def _plain(x: Any) -> Any:
    return x.data if isinstance(x, Variable) else x


def _is_floats(x: Any) -> bool:
    """Whether an argument is an array of floats, a Variable, a float or a list of such."""
    if isinstance(x, bool | int | str | dict) or callable(x):
        return False
    try:
        return bool(np.asarray(_plain(x)).dtype.kind == "f")
    except (TypeError, ValueError):
        return False


def _is_pair(forward: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> bool:
    """Whether the first argument is a backward: the forward takes the others only, and it takes two."""
    backward = args[0]
    if not (inspect.isroutine(backward) and inspect.isroutine(forward)):
        return False
    return _takes(forward, args[1:], inputs) and not _takes(forward, args, inputs) and _takes(backward, (0, 0), {})


def _takes(function: Any, args: Sequence[Any], inputs: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **inputs)
    except (TypeError, ValueError):
        return False
    return True


def _called_gradients(fn: Any) -> list[str]:
    """For each gradient that a function returns beside a value, in any order, the argument that its name says, or "".

    Empty if one of its returns is anything else.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
    except (OSError, TypeError, SyntaxError):
        return []
    if not inspect.isfunction(fn) or not isinstance(tree.body[0], ast.FunctionDef):
        return []
    given = set(inspect.signature(fn).parameters)
    returned = [node.value for node in _statements(tree.body[0]) if isinstance(node, ast.Return)]
    found = [_gradients_in(value, given) for value in returned]
    return found[0] if found and all([names == found[0] for names in found]) else []


def _statements(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function, without those of functions inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return found


def _gradients_in(value: Any, given: set[str]) -> list[str]:
    parts = value.elts if isinstance(value, ast.Tuple) else []
    marked = [part for part in parts if _is_gradient(part, given)]
    if len(parts) < 2 or len(marked) != len(parts) - 1:
        return []
    return [_of(part.id, given) if isinstance(part, ast.Name) else "" for part in marked]


def _is_gradient(part: Any, given: set[str]) -> bool:
    """Whether an expression is called the gradient of an argument, or is a dictionary of such."""
    if isinstance(part, ast.Dict):
        keys = [key.value for key in part.keys if isinstance(key, ast.Constant)]
        return bool(keys) and all([_of(str(key), given) in given for key in keys])
    name = part.id if isinstance(part, ast.Name) else ""
    return _of(name, given) in given - {name} or re.fullmatch(r"(d|the_)?grad(ient)?s?(_\w+)?", name) is not None


def _of(name: str, given: set[str]) -> str:
    """The argument that a gradient called ``name`` is of: ``dx``, ``d_x``, ``grad_x``, ``x_grad``, ``gx`` or ``x``."""
    if name in given:
        return name
    found = re.fullmatch(r"(?:d_?|g_?|grad_?)?(\w+?)(?:_grad)?", name)
    return found[1] if found is not None and found[1] in given else ""


def _loss_first(fn: Callable[..., Any], *args: Any) -> tuple[Any, Any]:
    """The loss and its gradients, whatever their order."""
    returned = fn(*args)
    place = next((i for i, part in enumerate(returned) if not isinstance(part, dict) and np.size(part) == 1), 0)
    rest = [part for i, part in enumerate(returned) if i != place]
    return returned[place], rest[0] if len(rest) == 1 else tuple(rest)


def _scaled(names: Sequence[str], dout: Any, gradients: Any) -> dict[str, Any]:
    """The gradients by the names of the arguments, times that of the loss."""
    found: Any = gradients.values() if isinstance(gradients, dict) else gradients
    each = [found] if is_array(found) or (np.ndim(found) == 0 and not isinstance(gradients, dict)) else [*found]
    return {name: dout * array_of(g) for name, g in zip(names, each, strict=True)}


def _function(own: Callable[..., Any], forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
    """A function of Variables with the name and the parameters of ``own``."""
    names = [*inspect.signature(own).parameters]

    @wraps(own)
    def function(*args: Any, **keywords: Any) -> Any:
        bound = inspect.signature(own).bind(*args, **keywords)
        bound.apply_defaults()
        given = dict(zip(names, bound.args, strict=False))
        node = _ByHand(own.__name__, forward, backward, given)
        outputs = node.apply(tuple([x for x in given.values() if isinstance(x, Variable)]))
        return outputs[0] if len(outputs) == 1 else outputs

    return function


class _ByHand(FunctionNode):
    """One call of a function and of the backward that its author wrote, on arrays."""

    def __init__(self, own: str, forward: Callable[..., Any], backward: Callable[..., Any], given: dict[str, Any]):
        self._own, self._forward_of, self._backward_of, self._given = own, forward, backward, given
        self._inputs = [name for name, x in given.items() if isinstance(x, Variable)]

    @property
    def name(self) -> str:
        return self._own

    @property
    def written_backward(self) -> Callable[..., Any]:
        return self._backward_of

    def input_label(self, i: int) -> str:
        return self._inputs[i]

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        own = [x if isinstance(x, Variable) else np.array(x) for x in inputs]  # Variables trace a forward
        arrays = dict(zip(self._inputs, own, strict=True))
        returned = self._forward_of(*[arrays.get(name, x) for name, x in self._given.items()])
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError(
                f"{self.name} returned {a_kind(returned)}; expected two: the result and what backward needs"
            )
        out, self._cache = returned
        return (out if isinstance(out, Variable) else array_of(out),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        found = self._by_name(self._backward_of(np.array(grad_outputs[0].data), self._cache))
        gradients = [found.get(name) for name in self._inputs]
        return tuple([None if g is None else Variable(array_of(g), requires_grad=False) for g in gradients])

    def _by_name(self, returned: Any) -> dict[str, Any]:
        """The gradients by the names of the arguments."""
        given = [*self._given]
        if isinstance(returned, dict):
            return {_of(str(name), {*given}): g for name, g in returned.items()}
        gradients = returned if isinstance(returned, tuple | list) else (returned,)
        floats = [name for name, x in self._given.items() if isinstance(x, Variable) and x.dtype.kind == "f"]
        names = given if len(gradients) == len(given) else floats
        if len(gradients) > len(names):
            raise GradientCountError(
                f"{self.name}: backward returned {len(gradients)} gradients; expected {len(floats)}, one for each of "
                f"{', '.join(floats):.100}"
            )
        return dict(zip(names, gradients, strict=False))
