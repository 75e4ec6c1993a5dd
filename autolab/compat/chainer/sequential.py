"""``chainer.sequential``"""

from __future__ import annotations

from typing import Any, Literal

from ... import links as _links
from .. import missing
from .link import Link


class Sequential(Link, _links.Sequential):
    """Links and functions, each applied to the result of the one before.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> import autolab.compat.chainer.functions as F
    >>> import autolab.compat.chainer.links as L
    >>> model = chainer.Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    >>> model(np.ones((5, 2), np.float32)).shape
    (5, 1)
    """

    def __init__(self, *layers: Any) -> None:
        Link.__init__(self)
        _links.Sequential.__init__(self, *layers)

    def __getitem__(self, index: Any) -> Any:
        """The step of this number; for a slice, a `Sequential` of these steps, which shares them."""
        return type(self)(*self._items[index]) if isinstance(index, slice) else self._items[index]

    def extend(self, sequential: Any) -> None:
        """Add the steps of another one at the end."""
        for step in sequential:
            self.append(step)

    def flatten(self) -> Any:
        """The same without a `Sequential` inside."""
        steps: list[Any] = []
        for step in self:
            steps += step.flatten() if isinstance(step, Sequential) else [step]
        return type(self)(*steps)

    def repeat(self, n_repeat: int, mode: Literal["share", "copy", "init"] = "init") -> Any:
        """Its steps so many times, in copies."""
        return type(self)(*[step for _ in range(n_repeat) for step in self.copy(mode)])


__getattr__ = missing(__name__)
