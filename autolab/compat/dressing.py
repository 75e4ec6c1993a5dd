"""A facade's Variables are the engine's own: what the engine returns only gets the facade's class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from ..authoring.base import as_upstream
from ..engine.variable import Variable


def dressing(kind: type[Variable]) -> Callable[[Any], Any]:
    """The function that gives the class ``kind`` to what the engine returned; in a tuple or list, to each of them.

    ``kind`` has no slots of its own: an object keeps its layout.

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
    """Let methods that the class ``kind`` has from the engine give what ``dressed`` makes of their results."""
    for name in names:
        setattr(kind, name, _dressed_method(getattr(Variable, name), kind, dressed))


def _dressed_method(engine: Callable[..., Any], kind: type[Variable], dressed: Callable[[Any], Any]) -> Any:
    @wraps(engine)
    def call(*args: Any, **settings: Any) -> Any:
        y = engine(*args, **settings)
        if type(y) is Variable:  # most are: this saves a call
            y.__class__ = kind
            return y
        return dressed(y)

    return call


def dress_operators(kind: type[Variable], names: Iterable[str]) -> None:
    """Let operators of the engine with two operands give the class ``kind``, from both sides."""
    for name in names:
        for operator in (f"__{name}__", f"__r{name}__"):
            setattr(kind, operator, _dressed_operator(getattr(Variable, operator), kind))


def _dressed_operator(engine: Callable[[Any, Any], Any], kind: type[Variable]) -> Any:
    @wraps(engine)
    def operator(self: Any, other: Any) -> Any:
        y = engine(self, other)
        if type(y) is Variable:  # spelled out: it is what a facade costs
            y.__class__ = kind
        return y

    return operator


class DressedNode:
    """A node whose upstream gradients arrive with a facade's class: what a backward that users write is given."""

    def __init__(self, node: Any, dressed: Callable[[Any], Any]) -> None:
        self._node, self._dressed, self.edges = node, dressed, node.edges

    def gradients(self, g: Any) -> list[Any]:
        """One for each result, or None."""
        return [self._dressed(as_upstream(got)) for got in self._node.gradients(g)]

    def all_gradients(self, g: Any) -> list[Any]:
        """The same with zeros for None."""
        return [self._dressed(as_upstream(got)) for got in self._node.all_gradients(g)]
