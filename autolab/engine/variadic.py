"""What the edges of one application of a variadic function share, so that time and memory are linear in the number of
inputs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any


class Inputs(list[Any]):
    """The inputs of one application; all from position ``first`` on share one name.

    ``number`` is the index, counted from ``first``, of the input whose edge is being made.
    """

    number = 0

    def __init__(self, values: Iterable[Any], first: int) -> None:
        super().__init__(values)
        self.first = first

    @cached_property
    def many(self) -> Many:
        """The inputs that share the name."""
        return Many(self[self.first :])

    @cached_property
    def shapes(self) -> Shapes:
        """Their shapes."""
        return Shapes([array.shape for array in self[self.first :]])


class Many(tuple[Any, ...]):
    """The inputs that share one name and, once requested, the Variables that they were."""

    variables: tuple[Any, ...] | None = None


class Shapes(tuple[tuple[int, ...], ...]):
    """The shapes of those inputs."""

    def bounds(self, axis: int | None) -> list[int]:
        """Where each starts if they are concatenated along an axis (None: flattened), and finally the end.

        Examples
        --------
        >>> Shapes([(2, 3), (1, 3)]).bounds(0), Shapes([(2, 3), (1, 3)]).bounds(None)
        ([0, 2, 3], [0, 6, 9])
        """
        known: dict[int | None, list[int]] = self.__dict__.setdefault("_bounds", {})
        if axis not in known:
            known[axis] = [0, *accumulate([prod(shape) if axis is None else shape[axis] for shape in self])]
        return known[axis]
