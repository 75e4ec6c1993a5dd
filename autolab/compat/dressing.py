"""A facade's Variables are the engine's own: what the engine returns only gets the facade's class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from ..authoring.base import as_upstream
from ..engine import Variable


def dressing(kind: type[Variable]) -> Callable[[Any], Any]:
    """A function that gives the class ``kind`` to what the engine returned; in a tuple or list, to each element.

    ``kind`` must not have slots of its own, since an object keeps its memory layout.

    Examples
    --------
    >>> from autolab import Variable
    >>> class Tensor(Variable):
    ...     __slots__ = ()
    >>> dressed = dressing(Tensor)
    >>> [type(one).__name__ for one in dressed([Variable(1.0), 2.0])]
    ['Tensor', 'float']
    """

    def dressed(found: Any) -> Any:
        its = type(found)
        if its is Variable:
            found.__class__ = kind
        elif its is tuple or its is list:
            return its([dressed(one) for one in found])
        return found

    return dressed


def dress(kind: type[Variable], names: Iterable[str], dressed: Callable[[Any], Any]) -> None:
    """Wrap methods that the class ``kind`` inherits from the engine: ``dressed`` is applied to their results."""
    for name in names:
        setattr(kind, name, _dressed_method(getattr(Variable, name), kind, dressed))


def _dressed_method(engine: Callable[..., Any], kind: type[Variable], dressed: Callable[[Any], Any]) -> Any:
    @wraps(engine)
    def call(*args: Any, **settings: Any) -> Any:
        y = engine(*args, **settings)
        if type(y) is Variable:  # the usual case: this saves a call
            y.__class__ = kind
            return y
        return dressed(y)

    return call


def dress_operators(kind: type[Variable], names: Iterable[str]) -> None:
    """Make the engine's binary operators return the class ``kind``, also when reflected."""
    for name in names:
        for operator in (f"__{name}__", f"__r{name}__"):
            setattr(kind, operator, _dressed_operator(getattr(Variable, operator), kind))


def _dressed_operator(engine: Callable[[Any, Any], Any], kind: type[Variable]) -> Any:
    @wraps(engine)
    def operator(self: Any, other: Any) -> Any:
        y = engine(self, other)
        if type(y) is Variable:  # spelled out: this is the overhead of a facade
            y.__class__ = kind
        return y

    return operator


class DressedNode:
    """A node that passes upstream gradients to a backward written by users as objects of a facade's class."""

    def __init__(self, node: Any, dressed: Callable[[Any], Any]) -> None:
        self._node, self._dressed, self.edges = node, dressed, node.edges

    def gradients(self, g: Any) -> list[Any]:
        """The upstream gradients, one for each result; None if there is none."""
        return [self._dressed(as_upstream(got)) for got in self._node.gradients(g)]

    def all_gradients(self, g: Any) -> list[Any]:
        """The upstream gradients, with zeros in place of None."""
        return [self._dressed(as_upstream(got)) for got in self._node.all_gradients(g)]
