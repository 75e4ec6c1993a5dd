"""A function on arrays that are moved in place: it is prepared once and run thousands of times.

`Subject` hands out fresh copies at every call, because it judges functions that may do anything. Here the caller
vouches for the function, and a run costs little more than the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.backend import Array, get_array_module
from ...engine.configuration import using_config
from ...engine.errors import GradientCountError, GradientShapeError
from ...engine.float_errors import FloatSetting, float_setting, quietly
from ...engine.grad import grad
from ...engine.variable import Variable
from ...shared.binding import Bound
from ..judging.mismatch import GradientCheckError
from ..measuring.point import MovableArrays
from ..measuring.subject import beside, flat, results
from ..messages import shown


@dataclass(frozen=True, eq=False)
class Procedure:
    """What is to be run: a bound function, the names of its inputs that are checked, and parameters that it reads.

    The arguments have ``dtype``, or their own if that is None. ``floats`` is what the caller does about floating-point
    errors, under which the function runs.
    """

    caller: str
    bound: Bound
    names: tuple[str, ...]
    params: tuple[Variable, ...] = ()
    dtype: Any = None
    floats: FloatSetting = field(default_factory=float_setting)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the checked inputs and the parameters are called in messages."""
        params = [p.name or f"params[{i}]" for i, p in enumerate(self.params)]
        return tuple([shown(name) for name in (*self.names, *params)])

    @contextmanager
    def prepared(self) -> Iterator[Prepared]:
        """The procedure on copies of everything that will move; parameters get their own arrays back at the end."""
        leaves = {name: self._leaf(x) for name, x in self.bound.variables.items()}
        own = [p.array for p in self.params]
        try:
            for p in self.params:
                p.array = self._copy(p.array)
            checked = (*[leaves[name] for name in self.names], *self.params)
            with using_config("enable_backprop", True), np.errstate(all="ignore"):
                yield Prepared(self, checked, self.bound.prepared(leaves))
        finally:
            for p, data in zip(self.params, own, strict=True):
                p.array = data

    def _leaf(self, x: Variable) -> Variable:
        return type(x)(self._copy(x.array), name=x.name, requires_grad=x.requires_grad)

    def _copy(self, array: Array) -> Array:
        dtype = self.dtype if array.dtype.kind == "f" and self.dtype is not None else array.dtype
        return get_array_module(array).array(array, dtype=dtype, order="C", copy=True)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A procedure with its arrays in place; ``checked`` are the Variables whose gradients are asked for."""

    procedure: Procedure
    checked: tuple[Variable, ...]
    run: Callable[[], Any]

    def outputs(self) -> tuple[Variable, ...]:
        """The floating-point results."""
        with quietly(self.procedure.floats):
            returned = self.run()
        return results(self.procedure.caller, self.procedure.bound.name, returned)

    def look(self) -> np.ndarray:
        """All results in one flat float64 array of their own."""
        return flat([y.array for y in self.outputs()])

    def place(self) -> MovableArrays:
        """The checked arrays, flat, to be moved."""
        return MovableArrays(self.look, [x.array.reshape(-1) for x in self.checked], self.procedure.caller)

    def gradients(self, ys: Sequence[Variable], upstream: Sequence[Array]) -> tuple[np.ndarray, ...]:
        """Flat float64 gradients of the checked Variables; 0 where a result does not depend on them."""
        starts = beside(ys, upstream)
        try:
            with quietly(self.procedure.floats):
                found = grad(ys, self.checked, starts)
        except (GradientShapeError, GradientCountError) as error:
            raise GradientCheckError(f"{self.procedure.caller}: {error}") from error
        pairs = zip(found, self.checked, strict=True)
        return tuple([np.zeros(x.size) if g is None else flat([g.array]) for g, x in pairs])
