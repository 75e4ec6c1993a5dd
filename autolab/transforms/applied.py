"""A function applied to its arguments, with Variables of our own in place of those to differentiate with respect to."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..engine import Node, Variable, a_kind, as_array, backprop_enabled, check_real, grad, using_config, wrap
from ..engine.backend import get_array_module
from ..engine.declare import elementwise
from ..shared.structure import filled, leaves, matched, rebuilt

ArgumentKey = int | str
Wrt = ArgumentKey | tuple[ArgumentKey, ...]


def checked_fn(caller: str, fn: Any) -> Callable[..., Any]:
    """Return ``fn`` if it is callable."""
    if not callable(fn):
        hint = ". For results that are computed already: autolab.grad" if isinstance(fn, Variable) else ""
        raise TypeError(f"{caller}: fn is {a_kind(fn)}; expected a function of Variables{hint}")
    return fn


def checked_wrt(caller: str, wrt: Any) -> Wrt:
    """Return ``wrt`` if it is a position, a name or a tuple of them; a list becomes a tuple."""
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    places = wrt if isinstance(wrt, tuple) else (wrt,)
    fine = [isinstance(p, str) or (isinstance(p, int) and not isinstance(p, bool) and p >= 0) for p in places]
    if not places or not all(fine) or len(set(places)) < len(places):
        at = f"; at a point it is {caller}(f)(x)" if hasattr(wrt, "shape") or isinstance(wrt, float) else ""
        raise TypeError(
            f"{caller}: wrt is {wrt!r:.60}; expected the position or the name of an argument, or a tuple of several{at}"
        )
    return wrt


def check_aux(caller: str, has_aux: Any) -> None:
    """Refuse what is no switch, above all a second point: ``jacobian(f, x, y)``."""
    if not isinstance(has_aux, bool | np.bool_):
        raise TypeError(
            f"{caller}: has_aux is {a_kind(has_aux)}; expected True or False. For several arguments write "
            f"{caller}(f, wrt=(0, 1))(x, y)"
        )


class AppliedFunction:
    """``fn`` applied to its arguments.

    The Variables in ``inputs`` are our own, connected to the caller's where these are differentiable. ``fn`` received
    them as the chosen arguments and returned ``value``.
    """

    def __init__(
        self, caller: str, fn: Callable[..., Any], wrt: Wrt, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.caller, self.name = caller, getattr(checked_fn(caller, fn), "__name__", type(fn).__name__)
        self.inputs: list[Variable] = []
        self._outer = backprop_enabled()
        self._single = not isinstance(wrt, tuple)
        places = wrt if isinstance(wrt, tuple) else (wrt,)
        given: dict[ArgumentKey, Any] = dict(enumerate(args))
        given.update(kwargs)
        found = [_key_of(caller, self.name, fn, place, given) for place in places]
        if len(set(found)) < len(found):
            raise TypeError(f"{caller}: wrt={wrt!r:.60} names an argument of {self.name} twice")
        self._chosen = [self._lifted(place, given[place]) for place in found]
        given |= {key: rebuilt(tree, lambda x: x) for key, tree in zip(found, self._chosen, strict=True)}  # fn's own
        # inside no_grad, too, fn has to be recorded
        with nullcontext() if self._outer else using_config("enable_backprop", True):
            self.value = fn(*[given[i] for i in range(len(args))], **{key: given[key] for key in kwargs})
        self.outputs = self._checked_outputs()

    # ------------------------------------------------------------------ going in
    def _lifted(self, place: ArgumentKey, argument: Any) -> Any:
        def lift(path: str, leaf: Any) -> Variable:
            own = self._own(f"{self.caller}: argument {place!r} of {self.name}", path, leaf)
            self.inputs.append(own)
            return own

        return filled(argument, iter([lift(path, leaf) for path, leaf in leaves(argument)]))

    def _own(self, what: str, path: str, leaf: Any) -> Variable:
        if isinstance(leaf, Variable) and leaf.node is not None and self._outer:
            return same(leaf)
        if isinstance(leaf, bool) or not (isinstance(leaf, int | float) or hasattr(type(leaf), "__array__")):
            raise TypeError(f"{what}{path and ' at ' + path} is {a_kind(leaf)}; expected real numbers or an array")
        data = np.float64(leaf) if isinstance(leaf, int | float) and not isinstance(leaf, np.generic) else leaf
        array = as_array(leaf._data if isinstance(leaf, Variable) else data, what)
        if check_real(array, what).dtype.kind != "f":
            raise TypeError(f"{what}{path and ' at ' + path} holds {array.dtype}; expected floating-point numbers")
        return wrap(array, Node.leaf())

    # ------------------------------------------------------------------ coming out
    def _checked_outputs(self) -> list[Variable]:
        outputs = []
        for path, value in leaves(self.value):
            if not isinstance(value, Variable):
                raise TypeError(
                    f"{self.caller}: {self.name} returned {a_kind(value)}{path and ' at ' + path}; expected a "
                    "Variable. An array (x.data) or a number (float(x), math.sin(x)) has lost its gradient; np.sin(x) "
                    "keeps it"
                )
            outputs.append(value)
        if not outputs:
            raise TypeError(f"{self.caller}: {self.name} returned {self.value!r:.60}; expected a Variable")
        return outputs

    def number(self) -> Variable:
        """The result, which must be a single number."""
        y = self.value
        if not isinstance(y, Variable):
            raise TypeError(
                f"{self.caller}: {self.name} returned {a_kind(y)}; expected one Variable: use vjp or jacobian"
            )
        if y.size != 1:
            raise ValueError(
                f"{self.caller}: {self.name} returned shape {y.shape}; expected a single number: take a sum, or use "
                "jacobian or vjp"
            )
        return y

    def result(self, tree: Any, differentiable: bool) -> Any:
        """``tree`` as returned to the caller: with its graph, or as constants."""
        return tree if differentiable else rebuilt(tree, lambda y: wrap(y._data, None))

    def shaped(self, values: Sequence[Any]) -> Any:
        """One value per input, in the structure of the chosen arguments."""
        each = iter(values)
        found = tuple([filled(argument, each) for argument in self._chosen])
        return found[0] if self._single else found

    def matched(self, what: str, values: Any) -> list[Variable]:
        """One value per input from ``values``, which have the structure of the chosen arguments."""
        tree = self._chosen[0] if self._single else tuple(self._chosen)
        what = f"{self.caller}: {what}"
        return like(self.inputs, matched(tree, values, what), what)

    # ------------------------------------------------------------------ derivatives
    def depends_on_others(self, *more: Variable) -> bool:
        """Whether the results, or ``more``, were computed from differentiable Variables other than our own."""
        own = {x.node for x in self.inputs}
        return self._outer and backprop_enabled() and reaches([*self.outputs, *more], without=own)

    def gradients(
        self, outputs: Sequence[Variable], starts: Sequence[Any] | None, create_graph: bool
    ) -> list[Variable]:
        """The gradient with respect to each input; zeros where there is no dependence."""
        found = grad(list(outputs), self.inputs, starts, create_graph)
        return [zeros(x) if g is None else g for g, x in zip(found, self.inputs, strict=True)]


@elementwise(x=lambda g: g)
def same(xp: Any, x: Any) -> Any:
    """The same value as a new step: derivatives with respect to it ignore other paths to its origin."""
    return x


def zeros(x: Variable) -> Variable:
    """Constant zeros of the shape of ``x``."""
    return wrap(get_array_module(x._data).zeros_like(x._data), None)


def like(models: Sequence[Variable], values: Sequence[Any], what: str) -> list[Variable]:
    """Each value as a Variable, after checking that it has the shape of its model."""
    found = []
    for model, value in zip(models, values, strict=True):
        v = value if isinstance(value, Variable) else wrap(check_real(as_array(value, what), what), None)
        if v.shape != model.shape:
            raise ValueError(f"{what} has shape {v.shape}; expected {model.shape}")
        found.append(v)
    return found


def reaches(ys: Sequence[Variable], leaves: Collection[Any] | None = None, without: Collection[Any] = ()) -> bool:
    """Whether values were computed from one of ``leaves`` (as nodes), or from any leaf outside ``without``."""
    stack = [y.node for y in ys if y.node is not None]
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        left_out = node in without
        if left_out if node.order else not left_out and (leaves is None or node in leaves):
            return True  # an excluded node that is no leaf has other leaves below it: no need to walk there
        stack.extend(node.parents)
    return False


def _key_of(
    caller: str, name: str, fn: Callable[..., Any], place: ArgumentKey, given: dict[ArgumentKey, Any]
) -> ArgumentKey:
    """How the argument was passed: its position or keyword."""
    if place in given:
        return place
    names = _positional(fn)
    if isinstance(place, int) and place < len(names) and names[place] in given:
        return names[place]
    if isinstance(place, str) and place in names and names.index(place) in given:
        return names.index(place)
    shown = ", ".join([repr(names[key]) if isinstance(key, int) and key < len(names) else repr(key) for key in given])
    raise TypeError(
        f"{caller}: wrt is {place!r:.60}; expected an argument of {name:.60}: {shown or 'none was given':.120}"
    )


def _positional(fn: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:  # built-ins and ufuncs have no signature
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def all_places(args: Any) -> tuple[tuple[Any, ...], Wrt]:
    """The arguments as a tuple, and ``wrt`` for all of them; a single argument need not be in a tuple."""
    return (args, tuple(range(len(args)))) if isinstance(args, tuple) else ((args,), 0)


def is_point(wrt: Any) -> bool:
    """Whether ``wrt`` holds arguments of the function instead of positions, as in PyTorch and TensorFlow."""
    return any([hasattr(value, "shape") for value in (wrt if isinstance(wrt, tuple) else (wrt,))])


def at_point(transform: Callable[..., Any], fn: Callable[..., Any], point: Any) -> Any:
    """``transform(fn)`` at a single argument, or at a tuple of arguments with respect to all of them."""
    arguments, places = all_places(point)
    return transform(fn, places)(*arguments)
