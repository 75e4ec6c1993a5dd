"""The record of one application of a function with a backward of its own.

The names of the parameters of a user's forward.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

from ..engine import Array, MultiOutputNode, Node, Variable, wrap
from ..engine.errors import GradientCountError, a_kind, counted


def parameter_label(forward: Callable[..., Any], i: int, skip: int = 0) -> str:
    """The name of the parameter that takes the argument at position ``i``, after ``skip`` other parameters.

    Examples
    --------
    >>> parameter_label(lambda x, *rest: x, 0), parameter_label(lambda x, *rest: x, 2)
    ('x', 'rest[1]')
    """
    parameters = list(inspect.signature(forward).parameters.values())[skip:]
    for place, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{i - place}]"
        if place == i:
            return parameter.name
    return f"inputs[{i}]"


Parents = dict[int, Node]
"""Input index -> the node of that input."""


_NOWHERE: tuple[None, Parents] = (None, {})


def _no_node() -> None:
    """The node of an application that has none yet: a function of every call's own would take longer to make."""


class Call:
    """The record of one application, separate from the user's own attributes, so that names cannot collide."""

    __slots__ = (
        "arity",
        "changed_inputs",
        "constant_outputs",
        "inputs",
        "made",
        "name",
        "nodes",
        "outputs",
        "results",
        "retained_inputs",
        "retained_outputs",
    )

    def __init__(self, name: str, arity: int) -> None:
        self.name, self.arity, self.results = name, arity, 0
        self.retained_inputs: tuple[int, ...] = ()
        self.retained_outputs: tuple[int, ...] = ()
        self.constant_outputs: tuple[int, ...] = ()  # floats that get no node
        self.changed_inputs: tuple[int, ...] = ()  # in place, as declared by the function
        self.made: Callable[[], MultiOutputNode | None] = _no_node  # its node, which holds the function
        self.inputs: dict[int, Array] = {}
        self.outputs: dict[int, Array] = {}
        # thread -> the node and its inputs' nodes, while a differentiable backward runs in it
        self.nodes: dict[int, tuple[MultiOutputNode, Parents]] = {}

    def keep(self, arrays: tuple[Array, ...], outputs: tuple[Variable, ...]) -> None:
        self.results = len(outputs)
        try:
            self.inputs = {i: arrays[i] for i in self.retained_inputs}
            self.outputs = {i: outputs[i]._data for i in self.retained_outputs}
        except IndexError:
            raise IndexError(
                f"{self.name}: retained inputs {self.retained_inputs} and outputs {self.retained_outputs}; "
                f"there are {len(arrays)} inputs and {len(outputs)} outputs"
            ) from None

    @property
    def node(self) -> MultiOutputNode | None:
        """The node that retained values belong to; None in a backward without a graph, where they are constants."""
        return self.nodes.get(get_ident(), _NOWHERE)[0] if self.nodes else None

    def input_variable(self, i: int) -> Variable:
        parents = self.nodes.get(get_ident(), _NOWHERE)[1] if self.nodes else {}
        return wrap(self._kept(self.inputs, i), parents.get(i))

    def output_variable(self, i: int) -> Variable:
        node = self.node
        return wrap(self._kept(self.outputs, i), None if node is None else node.output(i))

    def check_tuple(self, returned: Any, of: str) -> None:
        """Refuse what a backward returned unless it is a tuple or a list."""
        if not isinstance(returned, tuple | list):
            what = f"{self.name}.backward returned {a_kind(returned)}"
            raise TypeError(f"{what}; expected a tuple of {of}, even for one: return gx,")

    def miscounted(self, returned: Sequence[Any], expected: str) -> GradientCountError:
        """The error for a backward that returned too many or too few gradients."""
        return GradientCountError(f"{self.name}.backward returned {counted(returned)}; expected {expected}")

    def _kept(self, values: dict[int, Array], i: int) -> Array:
        if i not in values:
            raise RuntimeError(f"{self.name}: nothing was retained, as no input required a gradient")
        return values[i]
