"""One run of a JAX function and of its gradient, as a Recording."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine.errors import a_kind
from ...engine.leaving import Exit
from ...recording.departures import Departure, departure
from ...recording.inner import describe_inner_steps
from ...recording.locate import source_of
from ...recording.model import BackwardStep, Recording, Snapshot, Step
from ...recording.serialize import digest
from ...recording.unexecuted_lines import unexecuted_lines
from ..needed import UnsupportedError
from ..pruned import pruned
from .arrays import JaxBudget, array_of, is_float
from .inputs import JaxInputs
from .levels import JaxprLevel, placed_scopes
from .tape import EvaluatedEquation, JaxTape, TracedValue

BUDGET = 64 << 20
_SLACK = 256
"""By so many rounding errors the gradient of an input may differ from that of `jax.vjp` of the whole function."""


def _nothing() -> None:
    """Nobody wants to stop the run."""


@dataclass
class JaxRun:
    """A run. ``upstream`` is an array, a tuple of one per output, a function of the outputs that gives one, or None.

    ``check`` is called at every step, and may raise to end the run. ``replaced`` has the values that equations are to
    give in place of their own, by the numbers of all that were evaluated; ``numbers`` has these for the steps of the
    recording.
    """

    inputs: JaxInputs
    values: Mapping[str, Any] | None = None
    upstream: Any = None
    budget: int = BUDGET
    check: Callable[[], None] = _nothing
    replaced: Mapping[int, Any] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    _totals: dict[int, tuple[Any, int]] = field(default_factory=dict)
    _backward: list[BackwardStep] = field(default_factory=list)

    def record(self) -> Recording:
        """Trace, run forward and backward."""
        given = {**self.inputs.arrays, **(self.values or {})}
        arrays = list(given.values())
        closed = _traced(self.inputs, arrays)
        written = self.inputs.written
        budget = JaxBudget(self.budget)
        names = _ClosureNames(written)
        self._tape = JaxTape(budget, getattr(written, "__code__", None), names, self.check, self.replaced)
        leaves = [TracedValue(a, self._tape.add_leaf(a, "input", name), is_float(a)) for name, a in given.items()]
        outputs = self._tape.run(closed.jaxpr, closed.consts, leaves, JaxprLevel(None))
        for value in outputs:
            if value.step is None:
                value.step = self._tape.add_leaf(value.array, "constant", None)
        starts = one_each(self.inputs.caller, [value.array for value in outputs], self.upstream)
        upstream = self._differentiate(outputs, starts)
        if not self.replaced:
            self._verify(arrays, outputs, starts, leaves)
        return self._finish(outputs, upstream)

    # ------------------------------------------------------------------ backward
    def _differentiate(self, outputs: Sequence[TracedValue], starts: Sequence[Any]) -> list[Snapshot | None]:
        """The vjp of every equation, the last first; the upstream gradient of every output."""
        for value, start in zip(outputs, starts, strict=True):
            if value.needs:
                self._add(value.step, start)
        kept = [self._kept(value.step) if value.needs else None for value in outputs]
        for call in reversed(self._tape.calls):
            self.check()
            self._back(call)
        for draft in self._tape.drafts:
            if draft.id in self._totals and draft.grad is None:
                draft.grad, draft.reached = self._kept(draft.id), True
        return kept

    def _back(self, call: EvaluatedEquation) -> None:
        arrived = [self._totals.get(step, (None, 0))[0] for step, _ in call.results]
        if all(g is None for g in arrived):
            return
        draft = self._tape.drafts[call.step]
        draft.reached = True
        draft.grad = None if draft.value is None else self._kept(call.step)
        self._backward.append(BackwardStep(len(self._backward), call.step, draft.grad, 0.0))
        cotangents = [_cotangent(y, g) for (_, y), g in zip(call.results, arrived, strict=True)]
        try:
            shares = call.vjp(cotangents)
        except ValueError as error:
            if "while_loop" not in str(error):
                raise
            raise UnsupportedError(
                "record: JAX has no gradient through while_loop with a number of rounds that it does not know; use scan"
            ) from None
        for use, share in zip(call.uses, shares, strict=True):
            if use.step is not None:
                use.contribution = self._tape.budget.snapshot(share)
                count = self._add(use.step, share)
                use.arrival, use.total = count - 1, self._kept(use.step) if count > 1 else None

    def _add(self, step: Any, g: Any) -> int:
        total, count = self._totals.get(step, (None, 0))
        self._totals[step] = (g if total is None else total + g), count + 1
        return count + 1

    def _kept(self, step: Any) -> Snapshot | None:
        return self._tape.budget.snapshot(self._totals[step][0]) if step in self._totals else None

    def _verify(
        self, arrays: list[Any], outputs: Sequence[TracedValue], starts: Sequence[Any], leaves: list[TracedValue]
    ) -> None:
        """The gradients of the inputs are those that JAX gives for the whole function."""
        places = [i for i, leaf in enumerate(leaves) if leaf.needs]
        pairs = [(i, start) for i, (value, start) in enumerate(zip(outputs, starts, strict=True)) if value.needs]
        if not places or not pairs:
            return

        def whole(*needing: Any) -> list[Any]:
            given = list(arrays)
            for place, array in zip(places, needing, strict=True):
                given[place] = array
            found = jax.tree_util.tree_leaves(self.inputs.call(*given))
            return [found[i] for i, _ in pairs]

        _, vjp = jax.vjp(whole, *[arrays[i] for i in places])
        for place, g in zip(places, vjp([start for _, start in pairs]), strict=True):
            step = leaves[place].step
            assert step is not None
            own = self._totals.get(step, (jnp.zeros_like(g), 0))[0]
            slack = _SLACK * float(jnp.finfo(g.dtype).eps)
            size = float(np.abs(np.nan_to_num(array_of(g), posinf=0.0, neginf=0.0)).max(initial=0.0))
            if not np.allclose(array_of(own), array_of(g), rtol=slack, atol=slack * size, equal_nan=True):
                raise UnsupportedError(
                    f"record: the gradient of {self._tape.drafts[step].name!r:.60} is not that of jax.vjp of the whole "
                    f"function (tested with JAX 0.10, this is {jax.__version__}); please report the function"
                )

    # ------------------------------------------------------------------ the result
    def _finish(self, outputs: Sequence[TracedValue], upstream: list[Snapshot | None]) -> Recording:
        tape, written = self._tape, self.inputs.written
        ends = [value.step for value in outputs if value.step is not None]
        old = {id(draft): draft.id for draft in tape.drafts}
        kept = pruned(tape.drafts, self._backward, ends)
        levels = {draft.id: tape.levels[old[id(draft)]] for draft in kept.drafts if old[id(draft)] in tape.levels}
        scopes = placed_scopes(kept.drafts, levels)
        ends = [kept.ids[i] for i in ends]
        describe_inner_steps(kept.drafts, scopes, ends)
        steps = tuple([draft.step() for draft in kept.drafts])
        self.numbers = tuple(kept.ids)
        source, file, line = source_of(written)
        lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
        return Recording(
            id=digest(self.inputs.name, steps),
            function=self.inputs.name,
            inputs=tuple(range(len(self.inputs.arrays))),
            outputs=tuple(ends),
            steps=steps,
            backward=kept.backward,
            source=source,
            file=file,
            first_line=line,
            upstream=tuple(upstream),
            reduced=tape.budget.reduced,
            notes=() if any(value.needs for value in outputs) else ("no_gradient",),
            scopes=scopes,
            departures=_departures(steps, [kept.ids[i] for i in tape.left if i in kept.ids]),
            unreached=unexecuted_lines(source, line, lines, None) if file and lines else (),
        )


def _traced(inputs: JaxInputs, arrays: list[Any]) -> Any:
    """The jaxpr of the function."""
    try:
        closed, shape = jax.make_jaxpr(inputs.call, return_shape=True)(*arrays)
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        raise UnsupportedError(
            f"{inputs.caller}: {inputs.name} needs the value of a traced array in Python (if, float() or NumPy); use "
            "jnp.where, jax.lax.cond and jax.numpy, as under jax.jit"
        ) from error
    if not closed.out_avals:
        raise TypeError(
            f"{inputs.caller}: {inputs.name} returned {a_kind(shape)}; expected arrays: is a return missing?"
        )
    return closed


def _cotangent(y: Any, g: Any) -> Any:
    if not is_float(y):
        return np.zeros(y.shape, jax.dtypes.float0)
    return jnp.zeros_like(y) if g is None else jnp.asarray(g, y.dtype)


def one_each(caller: str, outputs: Sequence[Any], upstream: Any) -> list[Any]:
    """The upstream gradients, one per output; None stands for ones."""
    given = upstream(outputs) if callable(upstream) else upstream
    if given is None or len(outputs) == 1:
        given = (given,) * len(outputs)
    if not isinstance(given, list | tuple) or len(given) != len(outputs):
        came = f"{len(given)} of them" if isinstance(given, list | tuple) else a_kind(given)
        raise ValueError(f"{caller}: option 'upstream' is {came}; expected a tuple of {len(outputs)}, one per output")
    starts = [jnp.ones_like(y) if g is None else jnp.asarray(g, y.dtype) for y, g in zip(outputs, given, strict=True)]
    for y, start in zip(outputs, starts, strict=True):
        if start.shape != y.shape:
            raise ValueError(f"{caller}: option 'upstream' has shape {start.shape}; expected {y.shape}, the output's")
    return starts


def _departures(steps: Sequence[Step], left: Sequence[int]) -> tuple[Departure, ...]:
    """Where ``stop_gradient`` takes values out."""
    found = []
    for i in left:
        step = steps[i]
        operands = [use.step for use in step.operands if use.step is not None]
        if step.line is not None and operands:
            exit = Exit(step.file or "", step.line, step.source or step.statement or "")
            found.append(departure(exit, tuple(operands), steps))
    return tuple(found)


class _ClosureNames:
    """What the function calls an array that it closes over, or a global one."""

    def __init__(self, fn: Any) -> None:
        try:
            names = inspect.getclosurevars(fn)
            self._known = {id(value): name for name, value in {**names.globals, **names.nonlocals}.items()}
        except TypeError:  # not written in Python
            self._known = {}

    def __call__(self, array: Any) -> str | None:
        return self._known.get(id(array))
