"""A facade's Variables are the engine's own: what the engine returns only gets the facade's class."""

from __future__ import annotations

from collections.abc import Callable
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
