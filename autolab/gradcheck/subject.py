"""The function under test: every call gets copies of the inputs, so nothing that belongs to the user is touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..binding import Bound
from ..engine.backend import Array, array_of, get_array_module, to_cpu
from ..engine.backward import grad
from ..engine.config import using_config
from ..engine.variable import Variable
from .point import step_scale


@dataclass(frozen=True)
class Run:
    """One forward pass: the checked inputs and the floating-point results, with the graph between them."""

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]

    def values(self) -> tuple[np.ndarray, ...]:
        """Copies of the results in main memory."""
        return tuple([np.array(to_cpu(y.data)) for y in self.outputs])


class Subject:
    """A bound function, its inputs, and how often it was called.

    Parameters
    ----------
    bound : Bound
    lift : bool
        Run in float64 whatever the precision of the inputs.

    Attributes
    ----------
    names : tuple of str
        The inputs that are checked: those that require a gradient.
    arrays : tuple of arrays
        Copies of their values, in main memory.
    """

    def __init__(self, bound: Bound, lift: bool) -> None:
        self.bound = bound
        self.lift = lift
        self.evaluations = 0
        self.names = tuple([name for name, x in bound.variables.items() if x.requires_grad])
        self.arrays = tuple([np.array(self._precise(to_cpu(bound.variables[name].data))) for name in self.names])

    def _precise(self, array: Array) -> Array:
        return array.astype(np.float64) if self.lift and array.dtype.kind == "f" else array

    def run(self, arrays: Sequence[np.ndarray] | None = None) -> Run:
        """Call the function on copies of ``arrays``; by default on those of the inputs."""
        values = dict(zip(self.names, self.arrays if arrays is None else arrays, strict=True))
        fresh = {name: self._fresh(x, values.get(name)) for name, x in self.bound.variables.items()}
        self.evaluations += 1
        with using_config("enable_backprop", True):
            returned = self.bound.call(fresh)
        return Run(tuple([fresh[name] for name in self.names]), self._outputs(returned))

    def _fresh(self, x: Variable, value: np.ndarray | None) -> Variable:
        data = self._precise(x.data) if value is None else get_array_module(x.data).asarray(value)
        return type(x)(data.copy(), name=x.name, requires_grad=x.requires_grad)

    def _outputs(self, returned: Any) -> tuple[Variable, ...]:
        found = [self._output(y) for y in (returned if isinstance(returned, tuple | list) else (returned,))]
        outputs = tuple([y for y in found if y.dtype.kind == "f"])
        if not outputs:
            raise TypeError(
                f"check_gradients: {self.bound.name} returned no floating-point values; "
                "there is nothing to differentiate"
            )
        return outputs

    def _output(self, y: Any) -> Variable:
        if isinstance(y, Variable):
            return y
        if isinstance(y, int | float | np.generic) or get_array_module(y).ndarray is type(y):
            return Variable(y, requires_grad=False)
        raise TypeError(
            f"check_gradients: {self.bound.name} returned a {type(y).__name__}; "
            "expected a Variable or a tuple of Variables"
        )

    def evaluate(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """All results in one flat float64 array."""
        return flat(self.run(arrays).values())

    def gradients(self, run: Run, upstreams: Sequence[np.ndarray]) -> tuple[np.ndarray | None, ...]:
        """The gradients of the checked inputs; None where the function reports no dependence."""
        starts = [get_array_module(y.data).asarray(g) for y, g in zip(run.outputs, upstreams, strict=True)]
        with using_config("enable_backprop", True):
            found = grad(run.outputs, run.inputs, starts)
        return tuple([None if g is None else np.array(to_cpu(array_of(g.data))) for g in found])

    def nearby(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Inputs of which every element is moved by 2 to 8 per cent."""
        moved = []
        for array in self.arrays:
            fraction = rng.uniform(0.02, 0.08, array.shape) * rng.choice((-1.0, 1.0), array.shape)
            moved.append((array + fraction * step_scale(array).reshape(array.shape)).astype(array.dtype))
        return tuple(moved)

    def epsilon(self, run: Run) -> float:
        """The relative precision of the least precise array among inputs and results."""
        return max(float(np.finfo(x.dtype).eps) for x in (*run.inputs, *run.outputs))


def flat(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """All elements in one float64 array."""
    return np.concatenate([a.ravel() for a in arrays]).astype(np.float64, copy=False)


def draw_upstreams(run: Run, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Random upstream gradients of the results' shapes and dtypes, between 0.5 and 1.5 in magnitude.

    Ones hide a backward that ignores them, and whatever differs from element to element. A result that is not finite
    gets 0.
    """
    drawn = []
    for values in run.values():
        g = rng.uniform(0.5, 1.5, values.shape) * rng.choice((-1.0, 1.0), values.shape)
        drawn.append(np.where(np.isfinite(values), g, 0.0).astype(values.dtype))
    return tuple(drawn)
