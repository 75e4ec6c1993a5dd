"""A function on arrays that are moved in place: it is prepared once and run thousands of times.

`Subject.run` hands out fresh copies at every call, because it judges functions that may do anything. Here the caller
vouches for the function, and a run costs little more than the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.backend import Array
from ...engine.configuration import using_config
from ...engine.errors import GradientCountError, GradientShapeError
from ...engine.float_errors import quietly
from ...engine.variable import Variable
from ..judging.mismatch import GradientCheckError
from ..measuring.point import MovableArrays
from ..measuring.subject import Run, Subject, flat, holding, results


@dataclass(frozen=True, eq=False)
class Prepared:
    """A subject with its arrays in place; ``checked`` are the Variables whose gradients are asked for."""

    subject: Subject
    checked: tuple[Variable, ...]
    run: Callable[[], Any]

    def outputs(self) -> tuple[Variable, ...]:
        """The floating-point results."""
        with quietly(self.subject.floats):
            returned = self.run()
        return results(self.subject.caller, self.subject.bound.name, returned)

    def look(self) -> np.ndarray:
        """All results in one flat float64 array of their own."""
        return flat([y.array for y in self.outputs()])

    def place(self) -> MovableArrays:
        """The checked arrays, flat, to be moved."""
        return MovableArrays(self.look, [x.array.reshape(-1) for x in self.checked], self.subject.caller)

    def gradients(self, ys: tuple[Variable, ...], upstream: Sequence[Array]) -> tuple[np.ndarray, ...]:
        """Flat float64 gradients of the checked Variables; 0 where a result does not depend on them."""
        try:
            found = self.subject.gradients(Run(self.checked, ys), upstream)
        except (GradientShapeError, GradientCountError) as error:
            raise GradientCheckError(f"{self.subject.caller}: {error}") from error
        pairs = zip(found, self.checked, strict=True)
        return tuple([np.zeros(x.size) if g is None else g.ravel().astype(np.float64, copy=False) for g, x in pairs])


@contextmanager
def prepared(subject: Subject) -> Iterator[Prepared]:
    """The subject on copies of everything that will move; parameters get their own arrays back at the end."""
    leaves, own = subject.fresh(subject.arrays), subject.arrays[len(subject.inputs) :]
    with using_config("enable_backprop", True), np.errstate(all="ignore"), holding(subject.params, own):
        checked = (*[leaves[name] for name in subject.inputs], *subject.params)
        yield Prepared(subject, checked, subject.bound.prepared(leaves))
