"""Where an operand's gradient comes from and where it goes: the rule with its local derivatives, and the sums."""

from __future__ import annotations

from contextvars import copy_context
from functools import cache
from typing import Any

import numpy as np

from ..engine import Array, BackwardEvent, Primitive, array_of, get_array_module
from ..engine.arrays import thread_time
from ..engine.modes import unset_modes
from ..engine.multi_output import Bundle
from .arrays import WHOLE_BYTES, Budget
from .drafts import Use
from .model import Snapshot
from .rule_text import rule_code, rule_text, single_number

OUTPUTS, ENTRIES, CALLS = 64, 4096, 2000
"""Limits for Jacobians: elements of the output, entries, and calls of rules per recording."""

SECONDS = 0.25
"""A Jacobian that takes longer, because a user's rule is slow, is left out."""


class LocalDerivatives:
    """Fills in how an operand of a declared function passes on a gradient: the rule and its local derivatives."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._calls = CALLS
        self._ones: dict[Any, tuple[Array, Snapshot]] = {}
        self._quiet = copy_context()  # for every gradient, since np.errstate would take longer than the rule
        self._quiet.run(np.seterr, all="ignore")
        self._quiet.run(unset_modes)  # no observers there

    def fill_in(self, use: Use, event: BackwardEvent, edge: Any, share: Any, g: Snapshot | None) -> None:
        """Fill in the rule as text and with its numbers, and the local derivatives.

        ``g`` is the snapshot of the upstream gradient.
        """
        function, upstream = event.node.function, event.upstream
        if not isinstance(function, Primitive):
            return
        use.rule, use.code, names, count, places = _rule(function, edge.place)
        if share is None or isinstance(upstream, Bundle):
            return
        if names and getattr(share, "size", None) == 1 and (edge.saved is not None or not count):
            saved = (edge.saved,) if count == 1 else edge.saved
            use._filling = names, g, tuple([single_number(saved[i]) for i in places]) if places else ()
        if function.elementwise:
            self.fill_in_local(use, edge, upstream, share)
        else:
            self._quiet.run(self._jacobian, use, edge, array_of(upstream), array_of(share))

    def fill_in_local(self, use: Use, edge: Any, upstream: Any, share: Any) -> None:
        """Fill in the local derivatives of an elementwise function."""
        self._quiet.run(self._local, use, edge, upstream, share)

    def _local(self, use: Use, edge: Any, upstream: Any, share: Any) -> None:
        """The local derivatives: a rule is linear in the upstream gradient, so it returns them for ones."""
        ones, kept = self._ones_like(upstream)
        local = _applied(edge, ones)
        use.local = None if local is None else kept if local is ones else self._budget.snapshot(local)
        if share.shape != upstream.shape:
            product = _applied(edge, array_of(upstream))
            use.product = None if product is None else self._budget.snapshot(product)

    def _ones_like(self, upstream: Any) -> tuple[Array, Snapshot]:
        """Ones and their snapshot: the local derivatives of every sum."""
        key = upstream.shape, upstream.dtype, type(upstream)
        if (known := self._ones.get(key)) is not None:
            return known
        ones = get_array_module(upstream).ones_like(upstream)
        found = ones, self._budget.snapshot(ones)
        if ones.nbytes <= WHOLE_BYTES:
            self._ones[key] = found
        return found

    def _jacobian(self, use: Use, edge: Any, upstream: Array, share: Array) -> None:
        """The Jacobian: for each unit vector, the rule returns one row."""
        m, entries = upstream.size, upstream.size * share.size
        if not 0 < entries <= ENTRIES or m > OUTPUTS or m > self._calls:
            return
        self._calls -= m
        xp = get_array_module(upstream)
        units = xp.eye(m, dtype=upstream.dtype).reshape((m, *upstream.shape))
        rows, start = [], thread_time()
        for unit in units:
            row = _applied(edge, unit)
            if row is None or row.shape != share.shape or thread_time() - start > SECONDS:
                return
            rows.append(row)
        use.jacobian = self._budget.snapshot(xp.stack(rows).reshape(upstream.shape + share.shape))


class Sums:
    """The sums of gradients during a backward pass, step by step."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._sums: dict[int, tuple[int, Any]] = {}
        self._first: dict[int, tuple[Any, Snapshot]] = {}  # the only share so far, and its snapshot

    def start(self, step: int, upstream: Any) -> None:
        """Start with the upstream gradient of an output."""
        arrived, before = self._sums.get(step, (0, None))
        self._sums[step] = (arrived + 1, upstream if before is None else before + upstream)

    def add(self, use: Use, share: Any) -> None:
        """Add a share that arrives at the operand of ``use``."""
        if share is None or use.step is None or isinstance(share, Bundle):
            return
        arrived, before = self._sums.get(use.step, (0, None))
        total = share if before is None else array_of(before) + array_of(share)
        self._sums[use.step] = (arrived + 1, total)
        use.arrival, use.total = arrived, None if before is None else self._budget.snapshot(total)
        if before is None and use.contribution is not None:
            self._first[use.step] = share, use.contribution

    def total(self, step: int) -> Any:
        """The sum of what has arrived at ``step`` so far; None for nothing."""
        return self._sums[step][1] if step in self._sums else None

    def done(self, step: int, upstream: Any) -> Snapshot | None:
        """Finish ``step``, at which nothing more can arrive; the snapshot of its gradient if only one share arrived."""
        self._sums.pop(step, None)
        share, kept = self._first.pop(step, (None, None))
        return kept if share is upstream else None


def _applied(edge: Any, upstream: Array) -> Array | None:
    """The result of the edge's rule for another upstream gradient; None if it accepts only that of the pass."""
    try:
        return array_of(edge.rule(upstream, edge.saved))
    except Exception:
        return None


@cache
def _rule(function: Primitive, place: int) -> tuple[str | None, str | None, tuple[str, ...], int, tuple[int, ...]]:
    """The rule of an input as text and as code; the names in the text, empty if there is no text; how many values the
    rule keeps, and which of them have these names."""
    name = function.input_at(place)
    text, retained = rule_text(function, name), function.retained[name]
    shown = [i for i, k in enumerate(retained) if (k in function.inputs or k == "y") and k in (text or "")]
    names = () if text is None else ("g", *[retained[i] for i in shown])
    return text, rule_code(function, name), names, len(retained), tuple(shown)
