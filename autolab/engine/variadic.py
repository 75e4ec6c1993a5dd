"""What the edges of one application of a function of any number of inputs share, so that all takes time and memory in
proportion to their number."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any


class Inputs(list[Any]):
    """The inputs of one application; one name stands for all from position ``first`` on.

    ``number`` is that of the input whose edge is being made, counted from there.
    """

    number = 0

    def __init__(self, values: Iterable[Any], first: int) -> None:
        super().__init__(values)
        self.first = first

    @cached_property
    def many(self) -> Many:
        """Those for which the one name stands."""
        return Many(self[self.first :])

    @cached_property
    def shapes(self) -> Shapes:
        """Their shapes."""
        return Shapes([array.shape for array in self[self.first :]])


class Many(tuple[Any, ...]):
    """The inputs for which one name stands, and once they are asked for, the Variables that they were."""

    variables: tuple[Any, ...] | None = None


class Shapes(tuple[tuple[int, ...], ...]):
    """The shapes of those inputs."""

    def bounds(self, axis: int | None) -> list[int]:
        """Where each begins if they stand one after the other along an axis (None: flattened), and last the end.

        Examples
        --------
        >>> Shapes([(2, 3), (1, 3)]).bounds(0), Shapes([(2, 3), (1, 3)]).bounds(None)
        ([0, 2, 3], [0, 6, 9])
        """
        known: dict[int | None, list[int]] = self.__dict__.setdefault("_bounds", {})
        if axis not in known:
            known[axis] = [0, *accumulate([prod(shape) if axis is None else shape[axis] for shape in self])]
        return known[axis]
