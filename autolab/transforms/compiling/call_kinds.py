"""The kind of a call: a key to look up programs by, and a fast test whether a call is of a known kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ...engine import Leaf, Variable
from ...engine.modes import modes
from ...engine.reach import is_plain
from ...gpu.traced_function import exact
from .reached_state import alike, gradient_alike
from .reads import GeneratedFunction, keys_alike, same


class Signature:
    """The kind of a call.

    Attributes
    ----------
    key : hashable
        Shapes, strides, dtypes and modes; everything other than data by value, or by identity.
    leaves : list
        The arrays and Variables among the arguments, at any depth of nesting.
    objects : list
        Arguments that are neither data nor plain values.
    is_nested : bool
        Whether there are lists or dicts among the arguments, which may change after the call.
    train : bool
        Whether training mode is on.

    Raises
    ------
    TypeError
        If an argument is a foreign array, or cannot be compared.
    """

    def __init__(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.leaves: list[Any] = []
        self.objects: list[Any] = []
        self.is_nested = False
        mode = modes()
        self.train = mode.train
        kinds = *map(self._kind, args), *[(key, self._kind(value)) for key, value in options.items()]
        numbers = [id(leaf) for leaf in self.leaves]
        self.has_twins = len(set(numbers)) < len(numbers)
        twins = tuple([numbers.index(number) for number in numbers]) if self.has_twins else None
        self.key: Hashable = kinds, twins, mode.enable_backprop, mode.train

    def _kind(self, value: Any) -> Hashable:
        kind = type(value)
        if kind is np.ndarray:
            self.leaves.append(value)
            return value.shape, value.strides, value.dtype
        if isinstance(value, Variable):
            self.leaves.append(value)
            data, node = value._data, value.node
            if type(data) is not np.ndarray:
                raise TypeError("not in main memory")
            grad = getattr(node, "grad", None)
            of_grad = None if grad is None else (grad._data.strides, grad._data.dtype, grad.node is None)
            return kind, data.shape, data.strides, data.dtype, type(node), of_grad
        if kind is tuple or kind is list:
            self.is_nested |= kind is list
            return kind, tuple([self._kind(item) for item in value])
        if kind is dict:
            self.is_nested = True
            return tuple([(exact(key), self._kind(item)) for key, item in value.items()])
        if is_plain(value):
            return exact(value)
        if isinstance(value, np.ndarray):
            raise TypeError("a kind of array of its own")
        self.objects.append(value)
        return id(value)


def taker(args: tuple[Any, ...], options: dict[str, Any]) -> Callable[[Any, Any], list[Any] | None]:
    """A function that returns the leaves of a call of the same kind as this one, and None for any other call.

    It is Python code generated for the arguments of one call, and takes a sixth of the time of a `Signature`.
    """
    made = _Taker()
    made.visit("A", args)
    made.visit("O", options)
    mode = modes()
    made.tests += [f"m.enable_backprop is {mode.enable_backprop}", f"m.train is {mode.train}", *made.no_twins()]
    leaves = ", ".join(made.leaves)
    text = f"def take(A, O):\n    m = modes()\n    if {' and '.join(made.tests)}:\n        return [{leaves}]\n"
    found: Callable[[Any, Any], list[Any] | None] = made.made("arguments", text)
    return found


class _Taker(GeneratedFunction):
    def __init__(self) -> None:
        super().__init__(same=same, modes=modes)
        self.tests: list[str] = []
        self.leaves: list[str] = []
        self._alike: dict[Any, list[str]] = {}

    def visit(self, text: str, value: Any) -> None:
        """Add the tests for one argument."""
        kind = type(value)
        if kind in (tuple, list):
            self.tests.append(f"type({text}) is {kind.__name__} and len({text}) == {len(value)}")
            for i, item in enumerate(value):
                self.visit(f"{text}[{i}]", item)
        elif kind is dict:
            self.tests.append(keys_alike(text, tuple(value), self.bound))
            for key, item in value.items():
                self.visit(f"{text}[{self.bound(key)}]", item)
        elif kind is np.ndarray:
            self.tests.append(alike(f"({self._leaf(text)})", value, self.bound))
            self._alike.setdefault((kind, value.shape, value.strides), []).append(self.leaves[-1])
        elif isinstance(value, Variable):
            self._variable(text, value)
        elif is_plain(value):
            self.tests.append(f"same({text}, {self.bound(value)})")
        else:
            self.tests.append(f"{text} is {self.bound(value)}")

    def _leaf(self, text: str) -> str:
        self.leaves.append(f"a{len(self.leaves)}")
        return f"{self.leaves[-1]} := {text}"

    def _variable(self, text: str, value: Variable) -> None:
        self.tests.append(f"type({self._leaf(text)}) is {self.bound(type(value))}")
        name, node = self.leaves[-1], value.node
        self.tests.append(alike(f"{name}._data", value._data, self.bound))
        self.tests.append(f"type(n := {name}.node) is {self.bound(type(node))}")
        if isinstance(node, Leaf):
            self.tests.append(gradient_alike("n.grad", node.grad, self.bound))
        self._alike.setdefault((type(value), value.shape), []).append(name)

    def no_twins(self) -> list[str]:
        """Tests that no array or Variable occurs twice: its gradient would be a sum, and functions may compare them."""
        groups = [group for group in self._alike.values() if len(group) > 1]
        return [
            f"{group[0]} is not {group[1]}"
            if len(group) == 2
            else f"len({{{', '.join([f'id({name})' for name in group])}}}) == {len(group)}"
            for group in groups
        ]
