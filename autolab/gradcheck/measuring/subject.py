"""The function under test: every call gets copies of the inputs, so the user's arrays are never modified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...engine import Array, ForwardEvent, Variable, a_kind, array_of, get_array_module, grad, to_cpu, using_config
from ...engine.undisturbed import FloatSetting, float_setting, quietly
from ...shared.binding import Bound, bind
from ...transforms.forward_mode import Tape
from .point import Arrays, Point, Tally, attempted, step_scale

Gradients = Sequence[np.ndarray | None]
"""One per input; None where there is none."""


@dataclass(frozen=True)
class Run:
    """One forward pass: the checked inputs and the floating-point results, with the graph between them."""

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]

    def values(self) -> tuple[np.ndarray, ...]:
        """Copies of the results in main memory."""
        return tuple([np.array(to_cpu(y.array)) for y in self.outputs])


@dataclass(eq=False)
class Subject:
    """A bound function, its inputs, and the number of its calls.

    Parameters
    ----------
    bound : Bound
    dtype : float dtype, optional
        The dtype that floats are converted to; by default, they keep theirs.
    caller : str
        The name of the tool, for errors.
    executor : Executor, optional
        Runs the measurements of differences.
    params : tuple of Variable
        What the function reads besides its inputs. They are moved like inputs, and get their own arrays back after
        runs.
    inputs : tuple of str, optional
        The inputs to check; by default, those that require a gradient.

    Attributes
    ----------
    names : tuple of str
        The names of what is checked: the inputs, then the parameters.
    arrays : tuple of arrays
        Copies of their values, in main memory.
    floats : dict
        The caller's settings for floating-point errors, under which the function runs.
    """

    bound: Bound
    dtype: Any = None
    caller: str = "check_gradients"
    executor: Executor | None = None
    params: tuple[Variable, ...] = ()
    inputs: tuple[str, ...] = None  # type: ignore[assignment]
    floats: FloatSetting = field(default_factory=float_setting)

    def __post_init__(self) -> None:
        variables = self.bound.variables
        if self.inputs is None:
            self.inputs = tuple([name for name, x in variables.items() if x.requires_grad])
        self.names = (*self.inputs, *[p.name or f"params[{i}]" for i, p in enumerate(self.params)])
        checked = (*[variables[name] for name in self.inputs], *self.params)
        self.arrays = tuple([np.array(self._precise(to_cpu(x.array))) for x in checked])
        self._runs = 0
        self._tallies: list[Tally] = []

    @classmethod
    def given(
        cls, caller: str, fn: Callable[..., Any], args: tuple[Any, ...], inputs: Mapping[str, Any], dtype: Any = None
    ) -> Subject:
        """A subject from the arguments of a tool; raises a TypeError if no input requires a gradient."""
        subject = cls(bind(caller, fn, args, inputs), dtype, caller)
        if not subject.names:
            raise TypeError(f"{caller}: {subject.bound.name} got no floating-point input that requires a gradient")
        return subject

    def _precise(self, array: Array) -> Array:
        return array if self.dtype is None or array.dtype.kind != "f" else array.astype(self.dtype)

    def run(self, arrays: Arrays | None = None) -> Run:
        """Call the function on copies of ``arrays``, by default those of the inputs."""
        self._runs += 1
        return self._run(self.arrays if arrays is None else arrays)

    def _run(self, arrays: Arrays) -> Run:
        fresh, own = self.fresh(arrays), arrays[len(self.inputs) :]
        with using_config("enable_backprop", True), holding(self.params, own), quietly(self.floats):
            returned = self.bound.call(fresh)
        inputs = (*[fresh[name] for name in self.inputs], *self.params)
        return Run(inputs, results(self.caller, self.bound.name, returned))

    def fresh(self, arrays: Arrays) -> dict[str, Variable]:
        """The arguments of the function; the checked ones hold copies of ``arrays``."""
        values = dict(zip(self.inputs, arrays, strict=False))
        return {name: self._fresh(x, values.get(name)) for name, x in self.bound.variables.items()}

    def _fresh(self, x: Variable, value: np.ndarray | None) -> Variable:
        data = self._precise(x.array) if value is None else get_array_module(x.array).asarray(value)
        return type(x)(data.copy(), name=x.name, requires_grad=x.requires_grad)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "executor": None, "_tallies": []}  # what a worker is sent

    def steps(self, arrays: Arrays | None = None) -> list[ForwardEvent]:
        """The functions that it calls in a run, at ``arrays`` or at the inputs."""
        tape = Tape()
        with tape:
            self.run(arrays)
        return tape.steps

    @contextmanager
    def heard(self) -> Iterator[set[str]]:
        """Inside a ``with`` block, floating-point errors of the function are recorded and otherwise ignored."""
        kinds: set[str] = set()
        before = self.floats
        self.floats = {"all": "call", "call": lambda kind, flag: kinds.add(kind)}
        try:
            yield kinds
        finally:
            self.floats = before

    @property
    def evaluations(self) -> int:
        """The number of calls of the function, including those by points from `point` that were moved elsewhere."""
        return self._runs + sum([tally.calls for tally in self._tallies])

    def point(self, arrays: Arrays, upstreams: Arrays | None = None, like: Point | None = None) -> Point:
        """The point ``arrays``, with the results; with ``upstreams``, they are followed by the gradients (0 where there
        is none). ``like`` is another point of the same arrays, from which it takes the steps."""
        found = Point(partial(self._evaluate, upstreams), arrays, like)
        self._tallies.append(found.tally)
        return found

    def _evaluate(self, upstreams: Arrays | None, arrays: Arrays) -> np.ndarray:
        run = self._run(arrays)  # the point counts the calls, wherever its copies are moved
        if upstreams is None:
            return flat(run.values())
        return flat([*run.values(), *filled(self.gradients(run, upstreams), arrays)])

    def gradients(self, run: Run, upstreams: Arrays, create_graph: bool = False) -> tuple[np.ndarray | None, ...]:
        """The gradients of the checked inputs; None where the function reports no dependence."""
        starts = beside(run.outputs, upstreams)
        with using_config("enable_backprop", True), quietly(self.floats):
            found = grad(run.outputs, run.inputs, starts, create_graph)
        return tuple([None if g is None else np.array(to_cpu(array_of(g.array))) for g in found])

    def nearby_gradients(self, arrays: Arrays, upstreams: Arrays) -> Gradients | None:
        """The gradients at other inputs; None if these lie outside the function's domain."""
        run = attempted(self.run, arrays)
        return None if run is None else attempted(self.gradients, run, upstreams)

    def nearby(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """The inputs with every element moved by 2 to 8 per cent."""
        moved = []
        for array in self.arrays:
            fraction = rng.uniform(0.02, 0.08, array.shape) * rng.choice((-1.0, 1.0), array.shape)
            moved.append((array + fraction * step_scale(array).reshape(array.shape)).astype(array.dtype))
        return tuple(moved)

    def epsilon(self, run: Run) -> float:
        """The relative precision of the least precise array among inputs and results."""
        return max(float(np.finfo(x.dtype).eps) for x in (*run.inputs, *run.outputs))


@contextmanager
def holding(params: Sequence[Variable], arrays: Arrays) -> Iterator[None]:
    """Inside a ``with`` block, the parameters hold copies of ``arrays``."""
    own = [p.array for p in params]
    try:
        for p, array in zip(params, arrays, strict=True):
            p.array = get_array_module(p.array).array(array, order="C")
        yield
    finally:
        for p, data in zip(params, own, strict=True):
            p.array = data


def lifted(native: Subject) -> Subject:
    """The function in float64, if an input is less precise and the function allows it."""
    if all(a.dtype.itemsize >= 8 for a in native.arrays):
        return native
    subject = replace(native, dtype=np.float64)
    if attempted(subject.run) is None:  # it accepts only the dtype it was written for
        return native  # and the comparison is as coarse as that
    return subject


def results(caller: str, function: str, returned: Any) -> tuple[Variable, ...]:
    """The floating-point results of a function as Variables; ``caller`` and ``function`` are named in errors."""
    if isinstance(returned, Variable) and returned.dtype.kind == "f":
        return (returned,)
    found = [_result(caller, function, y) for y in (returned if isinstance(returned, tuple | list) else (returned,))]
    outputs = tuple([y for y in found if y.dtype.kind == "f"])
    if not outputs:
        raise TypeError(f"{caller}: {function} returned no floating-point values; there is nothing to differentiate")
    return outputs


def _result(caller: str, function: str, y: Any) -> Variable:
    if isinstance(y, Variable):
        return y
    if isinstance(y, int | float | np.generic) or get_array_module(y).ndarray is type(y):
        return Variable(y, requires_grad=False)
    hint = ": is a return missing?" if y is None else ""
    if isinstance(y, tuple | list | dict):
        hint = "; with a forward that returns (out, cache): check_gradients(forward, backward, x, ...)"
    raise TypeError(f"{caller}: {function} returned {a_kind(y)}; expected a Variable or a tuple of Variables{hint}")


def flat(arrays: Sequence[Array]) -> np.ndarray:
    """A copy of all elements, in one float64 array in main memory."""
    if len(arrays) == 1:
        return to_cpu(arrays[0]).astype(np.float64).reshape(-1)
    return np.concatenate([to_cpu(a).ravel() for a in arrays]).astype(np.float64, copy=False)


def draw_upstreams(results: Sequence[Variable], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Random upstream gradients with the results' shapes and dtypes, in main memory, with magnitudes from 0.5 to 1.5.

    Ones would hide a backward that ignores its upstream gradient, or differs from element to element. Non-finite
    results get 0.
    """
    drawn = []
    for values in [to_cpu(y.array) for y in results]:
        g = rng.uniform(0.5, 1.5, values.shape) * rng.choice((-1.0, 1.0), values.shape)
        drawn.append(np.where(np.isfinite(values), g, 0.0).astype(values.dtype))
    return tuple(drawn)


def first_upstreams(results: Sequence[Variable], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """The upstream gradients for which a report shows gradients; 1 for a single number, to show derivatives."""
    drawn = draw_upstreams(results, rng)
    return ones_for(drawn) if sum([g.size for g in drawn]) == 1 else drawn


def ones_for(upstreams: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Ones in place of other upstream gradients; the 0 of a non-finite result is kept."""
    return tuple([(g != 0).astype(g.dtype) for g in upstreams])


def where_finite(run: Run, upstreams: Arrays) -> list[np.ndarray]:
    """The upstream gradients, with 0 where a result of the run is not finite."""
    return [np.where(np.isfinite(y), g, 0).astype(g.dtype) for y, g in zip(run.values(), upstreams, strict=True)]


def beside(results: Sequence[Variable], upstreams: Sequence[Array]) -> list[Array]:
    """Upstream gradients drawn in main memory, moved to the devices of the results."""
    return [get_array_module(y.array).asarray(g) for y, g in zip(results, upstreams, strict=True)]


def jittered(arrays: Arrays, rng: np.random.Generator, units: float) -> list[np.ndarray]:
    """The arrays with every element moved by ``units`` units in its last place."""
    return [(a + rng.choice((-units, units), a.shape) * np.spacing(a)).astype(a.dtype) for a in arrays]


def filled(gradients: Gradients, inputs: Sequence[Any]) -> tuple[np.ndarray, ...]:
    """The gradients of all inputs in float64, flat; zeros where there is none."""
    pairs = zip(gradients, inputs, strict=True)
    return tuple([np.zeros(x.size) if g is None else g.ravel().astype(np.float64, copy=False) for g, x in pairs])


def spread_of(gradients: Gradients, others: Iterable[Gradients]) -> list[np.ndarray]:
    """The largest distance of gradients from others, flat; missing and non-finite ones do not count."""
    found = [np.zeros(0 if g is None else g.size) for g in gradients]
    for row in others:
        for spread, g, once in zip(found, row, gradients, strict=True):
            if g is not None and once is not None and g.shape == once.shape:
                np.fmax(spread, np.abs(g - once).ravel(), out=spread)
    return found
