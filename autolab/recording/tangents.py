"""Forward mode in a recording: one input moves, and every step records how fast its result moves with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np

from ..engine import Array, ForwardEvent, Variable, as_array, get_array_module
from ..engine.modes import backprop_enabled, unset_modes
from ..engine.multi_output import Bundle, OutputNode
from ..transforms.forward_mode import through
from .arrays import Budget
from .drafts import Draft, Use
from .model import Recording

MEASURED = 1024
"""If the backward of a function cannot be differentiated, its tangent is measured element by element, up to this many.
"""


ROUNDINGS = 1e4
"""Two computations of the same number may differ by this many times the precision."""


def direction(tool: str, variables: Mapping[str, Variable], given: Any) -> tuple[Variable, Array] | None:
    """The option ``forward``: the input that moves and its direction; a name alone means a direction of ones.

    Raises
    ------
    TypeError, ValueError
        If there is no such input, or the direction does not fit it.
    """
    if given is None:
        return None
    name, array = next(iter(given.items())) if isinstance(given, Mapping) and len(given) == 1 else (given, None)
    able = [name for name, variable in variables.items() if variable.requires_grad and backprop_enabled()]
    if not isinstance(name, str) or name not in able:
        which = f"one of {', '.join(able) or 'no input'}, or a dict from it to a direction"
        raise ValueError(f"{tool}: option 'forward' is {given!r:.60}; expected {which}"[:300])
    x = variables[name]
    xp = get_array_module(x._data)
    if array is None:
        return x, xp.ones_like(x._data)
    found = as_array(array, what := f"{tool}: option 'forward': the direction of {name}")
    if found.shape != x.shape or found.dtype.kind not in "biuf":
        raise ValueError(f"{what} is {found.dtype} {found.shape}; expected real numbers of shape {x.shape}")
    return x, xp.asarray(found, dtype=x.dtype)


def duality(recording: Recording) -> tuple[float, float, bool] | None:
    """The tangents of the outputs times their upstream gradients, and the gradient of the moving input times its
    direction.

    Both are how fast the differentiated sum moves; the third value is whether they are equal up to rounding. None if
    there is no gradient, or not all numbers were kept.
    """
    steps = recording.by_id
    ends = dict(zip(recording.outputs, recording.upstream, strict=False))
    if recording.moved is None or all([upstream is None for upstream in ends.values()]):
        return None
    x = steps[recording.moved]
    pairs = [*[(steps[y].tangent, upstream) for y, upstream in ends.items()], (x.tangent, x.grad)]
    if not all([kept is None or kept.is_whole for pair in pairs for kept in pair]):
        return None
    products = [np.zeros(1) if a is None or b is None else a.values.astype(float) * b.values for a, b in pairs]
    left, right = sum([float(np.sum(product)) for product in products[:-1]]), float(np.sum(products[-1]))
    size = max([float(np.sum(np.abs(product))) for product in products])
    kinds = {step.value.dtype for step in steps.values() if step.value and step.value.dtype.startswith("float")}
    return left, right, abs(left - right) <= ROUNDINGS * max([float(np.finfo(kind).eps) for kind in kinds]) * size


class Tangents:
    """Propagates tangents through the steps of a run while it is recorded.

    Parameters
    ----------
    moved : Variable
        The input that moves.
    array : array
        Its direction.
    budget, spare : Budget
        The budgets of the tangents of steps, and of the shares that explain them.
    """

    def __init__(self, moved: Variable, array: Array, budget: Budget, spare: Budget) -> None:
        self._moved, self._array, self._budget, self._spare = moved, array, budget, spare
        self._found: dict[int, Array] = {}
        self.start: int | None = None  # the step of the moving input, once it is known
        self._quiet = copy_context()
        self._quiet.run(np.seterr, all="ignore")
        self._quiet.run(unset_modes)  # no observers there

    def meet(self, variable: Variable, draft: Draft) -> None:
        """Note a leaf: the one that moves gets the direction as its tangent."""
        if variable is self._moved:
            self.start = draft.id
            self._keep(draft, self._array)

    def _keep(self, draft: Draft, tangent: Array) -> None:
        self._found[draft.id], draft.tangent = tangent, self._budget.snapshot(tangent)

    def push(self, event: ForwardEvent, uses: Sequence[Use], results: Sequence[Draft]) -> None:
        """Propagate tangents through a step, from its operands to its ``results``, input by input."""
        moving = [(i, self._found[use.step]) for i, use in enumerate(uses) if use.step in self._found]
        if moving and not all([draft.replaced for draft in results]):
            self._quiet.run(self._push, event, uses, results, moving)

    def _push(self, event: ForwardEvent, uses: Sequence[Use], results: Sequence[Draft], moving: Any) -> None:
        totals: dict[int, Array] = {}
        for i, tangent in moving:
            for k, share in enumerate(_shares(event, i, tangent)):
                if share is None or results[k].replaced:
                    continue
                total = totals[k] + share if k in totals else share
                if len(results) == 1:
                    uses[i].tangent = self._spare.snapshot(share)
                    uses[i].tangent_total = self._spare.snapshot(total) if k in totals else None
                totals[k] = total
        for k, total in totals.items():
            self._keep(results[k], total)
            if len(results) > 1:
                results[k].uses[0].tangent = results[k].tangent


def _shares(event: ForwardEvent, place: int, tangent: Array) -> list[Array | None]:
    """The share of one input in the tangents of a step's results."""
    try:
        return through(event, {place: tangent})
    except Exception:  # a backward that only handles arrays cannot be differentiated, but it is linear
        if sum([y.size for y in event.outputs]) > MEASURED:
            raise
        return [None if y.node is None else _measured(event, k, place, tangent) for k, y in enumerate(event.outputs)]


def _measured(event: ForwardEvent, k: int, place: int, tangent: Array) -> Array:
    """The share measured element by element: an upstream gradient of 1 at one element gives that element's derivatives,
    whose product with the tangent is summed."""
    y = event.outputs[k]
    xp, found = get_array_module(y._data), []
    node = y.node.parent if isinstance(y.node, OutputNode) else y.node
    at = [edge.place for edge in node.edges].index(place)
    for unit in xp.eye(y.size, dtype=y.dtype).reshape((y.size, *y.shape)):
        upstream = unit if len(event.outputs) == 1 else Bundle({k: unit})
        slope = node.function.pull(node, upstream, False)[at][1]
        found.append(xp.zeros((), y.dtype) if slope is None else xp.sum(slope * tangent))
    return xp.stack(found).astype(y.dtype).reshape(y.shape) if found else xp.zeros_like(y._data)
