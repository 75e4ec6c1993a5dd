"""record(): one run of a JAX function, and of its gradient, as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine.errors import a_kind
from ...engine.leaving import Exit
from ...engine.tracebacks import folded, hidden
from ...recording.departures import Departure, departure
from ...recording.kept_memory import KeptArrays
from ...recording.model import BackwardStep, Recording, Scope, Snapshot, Step
from ..library import LibraryBudget
from ..needed import UnsupportedError
from ..run import BridgeRun, GradientTotals, Pruned, recorded
from .inputs import JAX, JaxInputs, array_of, is_float
from .levels import JaxprLevel, placed_scopes
from .tape import EvaluatedEquation, JaxTape, TracedValue, vjp_of

_SLACK = 256
"""By so many rounding errors the gradient of an input may differ from that of `jax.vjp` of the whole function."""


@dataclass
class JaxRun(BridgeRun):
    """A run of a JAX function."""

    def record(self) -> Recording:
        """Trace, run forward and backward."""
        given = {**self.inputs.values, **(self.values or {})}
        arrays = list(given.values())
        closed = _traced(self.inputs, arrays)
        written = self.inputs.written
        budget = LibraryBudget(self.budget, JAX)
        names = _ClosureNames(written)
        tape = JaxTape(budget, getattr(written, "__code__", None), names, self.check, self.replaced)
        self._tape, self._backward = tape, list[BackwardStep]()
        leaves = [TracedValue(a, tape.add_leaf(a, "input", name), is_float(a)) for name, a in given.items()]
        outputs = tape.run(closed.jaxpr, closed.consts, leaves, JaxprLevel(None))
        for value in outputs:
            if value.step is None:
                value.step = tape.add_leaf(value.array, "constant", None)
        starts = self.starts([value.array for value in outputs])
        self._differentiate(outputs, starts)
        self._tell_kept([value.array for value in leaves] + list(closed.consts))
        if not self.replaced:
            self._verify(arrays, outputs, starts, leaves)
        ends = [value.step for value in outputs if value.step is not None]
        has_gradient = any(value.needs for value in outputs)
        return self.recording(tape.drafts, self._backward, ends, budget, has_gradient, self._scopes, self._departures)

    # ------------------------------------------------------------------ backward
    def _tell_kept(self, given: Sequence[Any]) -> None:
        """What the vjp of each equation keeps: the arrays in it. JAX drops that at which no gradient arrives, as of the
        maximum in ``softmax``."""
        kept = KeptArrays(_buffer_of, [array for array in given if isinstance(array, jax.Array)])
        for call in [call for call in self._tape.calls if self._tape.drafts[call.step].reached]:
            held = [array for array in jax.tree_util.tree_leaves(call.vjp) if isinstance(array, jax.Array)]
            self._tape.drafts[call.step].keeps = kept.told([array for array in held if array.ndim])

    def _differentiate(self, outputs: Sequence[TracedValue], starts: Sequence[Any]) -> None:
        """The vjp of every equation, the last first."""
        self._totals = totals = GradientTotals()
        for value, start in zip(outputs, starts, strict=True):
            if value.needs:
                totals.add(value.step, start)
        self.upstream_kept = [self._kept(value.step) if value.needs else None for value in outputs]
        for call, shares in self._tape.back(totals):
            self._back(call, shares)
        for draft in self._tape.drafts:
            if draft.id in totals.sums and draft.grad is None:
                draft.grad, draft.reached = self._kept(draft.id), True

    def _back(self, call: EvaluatedEquation, shares: Sequence[Any]) -> None:
        draft = self._tape.drafts[call.step]
        draft.reached = True
        draft.grad = None if draft.value is None else self._kept(call.step)
        self._backward.append(BackwardStep(len(self._backward), call.step, draft.grad, 0.0))
        for use, share in zip(call.uses, shares, strict=True):
            if use.step is not None:
                self._totals.deliver(use, share, self._tape.budget)

    def _kept(self, step: Any) -> Snapshot | None:
        sums, kept = self._totals.sums, self._totals.kept.get(step)
        return self._tape.budget.snapshot(sums[step]) if kept is None and step in sums else kept

    def _verify(
        self, arrays: list[Any], outputs: Sequence[TracedValue], starts: Sequence[Any], leaves: list[TracedValue]
    ) -> None:
        """The gradients of the inputs are those that JAX gives for the whole function."""
        places = [i for i, leaf in enumerate(leaves) if leaf.needs]
        pairs = [(i, start) for i, (value, start) in enumerate(zip(outputs, starts, strict=True)) if value.needs]
        if not places or not pairs:
            return

        def whole(*given: Any) -> list[Any]:
            found = jax.tree_util.tree_leaves(self.inputs.on(*given))
            return [found[i] for i, _ in pairs]

        _, vjp = vjp_of(whole, arrays, places)
        for place, g in zip(places, vjp([start for _, start in pairs]), strict=True):
            step = leaves[place].step
            assert step is not None
            own = self._totals.sums.get(step, jnp.zeros_like(g))
            slack = _SLACK * float(jnp.finfo(g.dtype).eps)
            size = float(np.abs(np.nan_to_num(array_of(g), posinf=0.0, neginf=0.0)).max(initial=0.0))
            if not np.allclose(array_of(own), array_of(g), rtol=slack, atol=slack * size, equal_nan=True):
                raise UnsupportedError(
                    f"record: the gradient of {self._tape.drafts[step].name!r:.60} is not that of jax.vjp of the whole "
                    f"function (tested with JAX 0.10, this is {jax.__version__}); please report the function"
                )

    # ------------------------------------------------------------------ the result
    def _scopes(self, kept: Pruned) -> tuple[Scope, ...]:
        levels = {kept.ids[old]: level for old, level in self._tape.levels.items() if old in kept.ids}
        return placed_scopes(kept.drafts, levels)

    def _departures(self, steps: Sequence[Step], ids: Mapping[int, int]) -> tuple[Departure, ...]:
        """Where the user's ``stop_gradient`` takes values out: that inside of JAX's softmax is none of his."""
        found = []
        for step in [steps[ids[i]] for i in self._tape.left if i in ids and not self._tape.drafts[i].is_inner]:
            operands = [use.step for use in step.operands if use.step is not None]
            if step.line is not None and operands:
                exit = Exit(step.file or "", step.line, step.source or step.statement or "")
                found.append(departure(exit, tuple(operands), steps))
        return tuple(found)


def _traced(inputs: JaxInputs, arrays: list[Any]) -> Any:
    """The jaxpr of the function."""
    try:
        closed, shape = jax.make_jaxpr(inputs.on, return_shape=True)(*arrays)
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


def _buffer_of(array: jax.Array) -> tuple[int, int]:
    is_one = len(array.devices()) == 1
    return (array.unsafe_buffer_pointer() if is_one else id(array)), array.nbytes


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


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run a JAX function on its inputs, then its gradient, and return every step of both as plain data.

    The function is traced (`jax.make_jaxpr`), and its equations are evaluated one by one, each with its own `jax.vjp`.
    Functions of the user's under ``jit``, the rounds of ``scan`` and the branch of ``cond`` that was taken are scopes;
    JAX's own functions and those with a rule of their own (``custom_vjp``) are one step. At the end the gradients of
    the inputs are compared with those of `jax.vjp` of the whole function.

    Parameters
    ----------
    fn : callable
        A function that JAX can trace, of arrays and pytrees of arrays.
    *args, **inputs
        Its arguments, bound by its signature. Arrays and floats, also inside pytrees, are the inputs. Anything else,
        such as an int, is passed on as it is.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (by default ones of its shape); a tuple for several outputs.
        ``budget``: how many bytes of arrays the recording may keep (by default 64 MiB); larger ones are block-reduced.
        ``tokens``: the labels of a sequence's positions, as for `autolab.record`.

    Returns
    -------
    Recording
        As that of `autolab.record`; every view shows it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns nothing.
    UnsupportedError
        If the function cannot be traced, or JAX has no gradient for it. The message names the reason.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from autolab.bridges.jax import record
    >>> def loss(x, w):
    ...     h = x @ w
    ...     return (h * h).sum()
    >>> recording = record(loss, jnp.array([1.0, 2.0]), jnp.array([3.0, -1.0]))
    >>> [step.name or step.function for step in recording.steps], recording["h"].grad.values.item()
    (['x', 'w', 'h', 'mul', 'sum'], 2.0)
    """
    __tracebackhide__ = hidden()
    with folded():
        return recorded(JaxRun, JaxInputs, fn, args, inputs, options)
