"""Functions that compute all their input gradients in one call, from the upstream gradients of all their results."""

from __future__ import annotations

import weakref
from typing import Any

from .backend import get_array_module
from .errors import a_kind
from .node import Node


class MultiOutputNode(Node):
    """A node whose function computes all input gradients in one call, ``function.pull``.

    A function with several results has an `OutputNode` above its own node for each of them.
    """

    __slots__ = ("_outputs", "kinds")

    kinds: tuple[tuple[tuple[int, ...], Any], ...]
    _outputs: tuple[weakref.ref[Node] | None, ...]

    def connect(self, outputs: tuple[Any, ...], constants: tuple[int, ...] = ()) -> None:
        """Give the results (Variables) their nodes; those in ``constants`` or of a non-float dtype get none."""
        self.kinds = tuple([(y._data.shape, y._data.dtype) for y in outputs])
        single = len(outputs) == 1
        for i, y in enumerate(outputs):
            if y.dtype.kind == "f" and i not in constants:
                y.node = self if single else OutputNode.above(self, i)
        self._outputs = () if single else tuple([weakref.ref(y.node) if y.node else None for y in outputs])

    def output(self, i: int) -> Node | None:
        """The node of result ``i``; None if it has none."""
        if len(self.kinds) == 1:
            return self
        output = self._outputs[i]
        # if the result no longer exists, nobody can ask for its own gradient: a new node will do
        return None if output is None else output() or OutputNode.above(self, i)

    def gradients(self, g: Any) -> list[Any]:
        """The upstream gradient of each result; None for one that was not used."""
        return [g.get(i) for i in range(len(self.kinds))] if isinstance(g, Bundle) else [g]

    def all_gradients(self, g: Any) -> tuple[Any, ...]:
        """The same, with constant zeros instead of None."""
        found = self.gradients(g)
        xp = get_array_module(*found)
        return tuple([xp.zeros(*kind) if got is None else got for kind, got in zip(self.kinds, found, strict=True)])


class OutputNode(Node):
    """The node of one of several results: it passes its gradient on under the ``index`` of the result."""

    __slots__ = ("index",)

    index: int

    @classmethod
    def above(cls, node: MultiOutputNode, index: int) -> OutputNode:
        """The node of result ``index`` of the function at ``node``."""
        output = cls.join(_SELECT, [(node, index, None, None, None)])
        output.index = index
        return output


class _Select:
    """The function of every `OutputNode`."""

    name = "part"

    def pull(self, node: OutputNode, g: Any, create_graph: bool, ways: object = None) -> list[tuple[Node, Any]]:
        """The single gradient: ``g``, for the node of the function with several results."""
        return [(node.parent, Bundle({node.index: g}))]


_SELECT = _Select()


def several(function: str, outputs: tuple[str, ...], results: Any) -> tuple[Any, ...]:
    """Check that a forward with several outputs returned as many results; returns them as a tuple."""
    if not isinstance(results, tuple | list) or len(results) != len(outputs):
        came = f"{len(results)} results" if isinstance(results, tuple | list) else a_kind(results)
        raise TypeError(f"{function}: forward returned {came}; expected a tuple of {len(outputs)}, its outputs")
    return tuple(results)


class Bundle(dict[int, Any]):
    """The gradients of a function with several results, ``{index: gradient}``. Adds like one array."""

    dtype = None

    def __add__(self, other: Bundle) -> Bundle:
        return Total(self) + other


class Total(Bundle):
    """A sum of bundles, which its pass adds to in place: a copy for each of many results would be expensive."""

    def __add__(self, other: Bundle) -> Bundle:
        for index, g in other.items():
            self[index] = self[index] + g if index in self else g
        return self
