"""record(): one run of a JAX function, and of its gradient, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine import folded, hidden
from ...recording.kept_memory import KeptArrays
from ...recording.model import Recording, Scope, Snapshot
from ..needed import UnsupportedError
from ..run import GradientTotals, Pruned, recorded
from .equations import vjp_of
from .inputs import array_of
from .jaxpr_tape import JaxTape, TracedValue
from .levels import placed_scopes

_SLACK = 256
"""Tolerance, in rounding errors, between the gradient of an input and that of `jax.vjp` of the whole function."""


@dataclass(eq=False)
class JaxRun(JaxTape):
    """A run of a JAX function."""

    def record(self) -> Recording:
        """Trace, run forward and backward."""
        given, leaves, outputs, starts = self.follow()
        self._tell_kept(given)
        if not self.replaced:
            self._verify(given[: len(leaves)], outputs, starts, leaves)
        ends = [value.step for value in outputs if value.step is not None]
        return self.recording(ends, any(value.needs for value in outputs))

    def follow(self) -> tuple[list[Any], list[TracedValue], list[TracedValue], list[Any]]:
        """Run forward and backward. Returns the leaf arrays, the inputs, the outputs, and their upstream gradients."""
        arrays = list({**self.inputs.values, **(self.values or {})}.values())
        leaves, outputs, consts = self.forward(arrays)
        for value in outputs:
            if value.step is None:
                value.step = self.add_leaf(value.array, "constant", None)
        starts = self.starts([value.array for value in outputs])
        self._differentiate(outputs, starts)
        return [*arrays, *consts], leaves, outputs, starts

    # ------------------------------------------------------------------ backward
    def _tell_kept(self, given: Sequence[Any]) -> None:
        """Note the arrays that the vjp of each equation keeps. JAX drops the vjp if no gradient arrives, as for the
        maximum in ``softmax``.
        """
        kept = KeptArrays(_buffer_of, [array for array in given if isinstance(array, jax.Array)])
        for call in [call for call in self.calls if self.drafts[call.step].reached]:
            held = [array for array in jax.tree_util.tree_leaves(call.vjp) if isinstance(array, jax.Array)]
            self.drafts[call.step].keeps = kept.told([array for array in held if array.ndim])

    def _differentiate(self, outputs: Sequence[TracedValue], starts: Sequence[Any]) -> None:
        """Call the vjp of every equation, from the last to the first."""
        self._totals = totals = GradientTotals()
        for value, start in zip(outputs, starts, strict=True):
            if value.needs:
                totals.add(value.step, start)
        self.upstream_kept = [self._arrived(value.step) if value.needs else None for value in outputs]
        for call, shares in self.back(totals):
            draft = self.drafts[call.step]
            draft.grad = None if draft.value is None else self._arrived(call.step)
            self.went_back(draft)
            for use, share in shares:
                totals.deliver(use, share, self.kept)
        for draft in self.drafts:
            if draft.id in totals.sums and draft.grad is None:
                draft.grad, draft.reached = self._arrived(draft.id), True

    def _arrived(self, step: Any) -> Snapshot | None:
        sums, kept = self._totals.sums, self._totals.kept.get(step)
        return self.kept.snapshot(sums[step]) if kept is None and step in sums else kept

    def _verify(
        self, arrays: list[Any], outputs: Sequence[TracedValue], starts: Sequence[Any], leaves: list[TracedValue]
    ) -> None:
        """Verify that the gradients of the inputs are those of JAX for the whole function."""
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
                    f"record: the gradient of {self.drafts[step].name!r:.60} is not that of jax.vjp of the whole "
                    f"function (tested with JAX 0.10, this is {jax.__version__}); please report the function"
                )

    # ------------------------------------------------------------------ the result
    def scopes(self, kept: Pruned) -> tuple[Scope, ...]:
        """The scopes; this also sets the positions of steps and departures. A ``stop_gradient`` inside JAX's own
        softmax is not a departure.
        """
        found = placed_scopes(kept.drafts, {kept.ids[old]: site for old, site in self.sites.items() if old in kept.ids})
        for call, operands in self.left.items():
            draft = self.drafts[call]
            if call in kept.ids and draft.place is not None and not draft.is_inner:
                self.departures.leave(draft.place, "left", operands)
        return found


def _buffer_of(array: jax.Array) -> tuple[int, int]:
    is_one = len(array.devices()) == 1
    return (array.unsafe_buffer_pointer() if is_one else id(array)), array.nbytes


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run a JAX function on its inputs, then its gradient, and return every step of both as plain data.

    The function is traced (`jax.make_jaxpr`), and its equations are evaluated one by one, each with its own `jax.vjp`.
    User functions under ``jit``, the passes of ``scan`` and the branch taken by ``cond`` are scopes; JAX's own
    functions and those with a custom rule (``custom_vjp``) are one step each. Finally, the gradients of the inputs are
    compared with those of `jax.vjp` of the whole function.

    Parameters
    ----------
    fn : callable
        A function that JAX can trace, of arrays and pytrees of arrays.
    *args, **inputs
        Its arguments, bound by its signature. Arrays and floats, including those in pytrees, are the inputs. Anything
        else, such as an int, is passed on unchanged, and so is a float that is an attribute of an object.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (by default ones of its shape); a tuple for several outputs.
        ``budget``: maximum number of bytes of arrays that the recording keeps (by default 64 MiB); larger arrays are
        block-reduced. ``tokens``: the labels of a sequence's positions, as for `autolab.record`.

    Returns
    -------
    Recording
        Like that of `autolab.record`; every view can show it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns nothing.
    UnsupportedError
        If the function cannot be traced, or JAX has no gradient for it. The message gives the reason.

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
        return recorded(JaxRun, fn, args, inputs, options)
