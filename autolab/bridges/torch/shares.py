"""What arrives in the backward pass: the gradient of every step, and the share of each use in it.

Every use of a tensor gets an alias of it, which nothing else uses: the gradient that autograd delivers there is the
share of that use, whatever the function does inside. No gradient is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from ...recording.drafts import Use
from ...recording.model import Snapshot
from ..needed import UnsupportedError
from ..run import BridgeRun, GradientTotals
from .edges import Edge, edge_of, passed_on
from .inputs import needs_gradient

_SLACK = 64
"""Tolerance, in rounding errors, between the gradient of a value and the sum of its shares."""


@dataclass
class Shares:
    """Hooks on the tensors and nodes of a run. They are active only in `run`, as a function may differentiate by
    itself.

    ``inside`` are results that their own call uses; autograd adds the gradient from that use to the others.
    """

    recorder: BridgeRun
    aliases: dict[Edge, int] = field(default_factory=dict)
    inside: set[int] = field(default_factory=set)
    _sums: dict[int, Tensor] = field(default_factory=dict)  # by the id of the use
    _elsewhere: dict[Edge, Tensor] = field(default_factory=dict)
    _watched: set[tuple[Any, int]] = field(default_factory=set)
    _through: dict[tuple[Any, int], Tensor] = field(default_factory=dict)
    _gradients: dict[int, Tensor] = field(default_factory=dict)
    _order: dict[int, None] = field(default_factory=dict)
    _listens: bool = False
    _hooks: list[RemovableHandle] = field(default_factory=list)

    # ------------------------------------------------------------------ while the function runs
    def watch(self, step: int, tensor: Tensor) -> None:
        """Hook the gradient of a value that a function computed."""
        if tensor.requires_grad and not tensor.is_leaf:
            self._hooks.append(tensor.register_hook(partial(self._arrived, step)))

    def alias(self, tensor: Tensor, call: int, use: Use) -> Tensor:
        """The tensor that a call uses instead of the original."""
        alias = torch.ops.aten.alias.default(tensor)  # passes gradients on unchanged, even sparse ones
        edge = edge_of(alias)
        assert edge is not None and use.step is not None
        self.aliases[edge] = use.step
        self._hooks.append(alias.register_hook(partial(self._came_back, edge, call, use)))
        return alias

    def watch_node(self, call: int, node: Any, places: Mapping[int, tuple[Use, Edge]]) -> None:
        """Hook the shares that a node of autograd's graph passes to some of its inputs, by their indices."""

        def hook(inputs: Sequence[Tensor | None], outputs: Sequence[Tensor | None]) -> None:
            for place, (use, edge) in places.items():
                g = inputs[place] if place < len(inputs) and self._listens else None
                if g is None:
                    continue
                if edge in self.aliases:  # it is not part of the share of the use for which the alias was made
                    self._elsewhere[edge] = _sum(self._elsewhere.get(edge), g)
                other = self._through.pop((node, place), None)
                self._add(call, use, g if other is None else _without(g, other))

        self._watched |= {(node, place) for place in places}
        self._hooks.append(node.register_hook(hook))

    def watch_inner(self, call: int, node: Any, place: int, edge: Edge, ends: Mapping[Edge, Use]) -> None:
        """Hook the shares that a node passes to values through ``edge``, which is inside another call: a second
        derivative passes some through the transposed weight in ``linear``. They are no part of that call's own shares.
        """

        def hook(inputs: Sequence[Tensor | None], outputs: Sequence[Tensor | None]) -> None:
            g = inputs[place] if self._listens else None
            if g is None:
                return
            for inner, at, end, share in passed_on(edge, g, ends):
                if (inner, at) in self._watched:
                    self._through[inner, at] = _sum(self._through.get((inner, at)), share)
                elif end in self.aliases:
                    self._elsewhere[end] = _sum(self._elsewhere.get(end), share)
                self._add(call, ends[end], share)

        self._hooks.append(node.register_hook(hook))

    def _arrived(self, step: int, g: Tensor) -> None:
        if self._listens:
            self._gradients[step] = g
            if self.recorder.drafts[step].kind == "call":
                self._order.setdefault(step)

    def _came_back(self, edge: Edge, call: int, use: Use, g: Tensor | None) -> None:
        if self._listens and g is not None:  # second derivatives pass None for 0
            other = self._elsewhere.pop(edge, None)
            self._add(call, use, g if other is None else _without(g, other))

    def _add(self, call: int, use: Use, g: Tensor) -> None:
        """Add to the share of one use of a call; autograd may deliver it in several parts."""
        self._order.setdefault(call)  # a call with several results has no gradient of its own
        self._sums[id(use)] = _sum(self._sums.get(id(use)), g)

    def close(self) -> None:
        """Remove all hooks, through which autograd's graph would reference itself, and all its tensors, for ever."""
        for hook in self._hooks:
            hook.remove()

    # ------------------------------------------------------------------ the gradients
    def run(
        self, outputs: Sequence[tuple[int, Tensor]], starts: Sequence[Tensor], leaves: Sequence[tuple[int, Tensor]]
    ) -> list[Snapshot | None]:
        """Differentiate, and return the upstream gradient of every output. No ``.grad`` attribute is changed."""
        reached = [(step, y, g) for (step, y), g in zip(outputs, starts, strict=True) if needs_gradient(y)]
        if reached and leaves:
            ys, gs = [y for _, y, _ in reached], [g for _, _, g in reached]
            self._listens = True
            tensors = [tensor for _, tensor in leaves]
            given = [None if _is_one(y, g) else g for y, g in zip(ys, gs, strict=True)]
            found = torch.autograd.grad(ys, tensors, given, allow_unused=True, retain_graph=True)
            self._listens = False
            self._gradients |= {step: g for (step, _), g in zip(leaves, found, strict=True) if g is not None}
        totals = GradientTotals()
        for step, _, g in reached:
            totals.add(step, _plain(g))
        upstream = [
            self.recorder.kept.snapshot(totals.sums[step]) if needs_gradient(y) else None for step, y in outputs
        ]
        self._tell(totals)
        return upstream

    def _tell(self, totals: GradientTotals) -> None:
        """Write the gradients into the drafts, call by call in the order of the backward pass."""
        for step in self._order:
            draft = self.recorder.drafts[step]
            self._settle(step, totals)
            self.recorder.went_back(draft)
            for use in draft.uses:
                if use.step is not None and id(use) in self._sums:
                    totals.deliver(use, self._sums.pop(id(use)), self.recorder.kept, _plain)
        for step in [*self._gradients]:
            self._settle(step, totals)

    def _settle(self, step: int, totals: GradientTotals) -> None:
        """Check a complete sum of shares against autograd's gradient, and store it."""
        draft, g = self.recorder.drafts[step], self._gradients.pop(step, None)
        g = totals.sums.get(step) if step in self.inside else g
        if g is None or draft.grad is not None:
            return
        if step not in totals.sums or not _agree(totals.sums[step], totals.parts[step], g):
            raise UnsupportedError(
                f"record: the gradient of {draft.name or draft.function!r:.60} is not the sum of the shares of its "
                "uses: something that a recording does not see uses it, such as a value from before the recording, or "
                "changes gradients"
            )
        kept = totals.kept.get(step) if totals.sums[step] is g else None  # the share of its only use
        draft.grad, draft.reached = kept or self.recorder.kept.snapshot(g), True
        del totals.sums[step], totals.parts[step]


def _sum(before: Tensor | None, g: Tensor) -> Tensor:
    return g if before is None else before + g


def _without(g: Tensor, other: Tensor) -> Tensor:
    """The difference of two gradients, exactly 0 where it is only rounding."""
    rest = g - other
    noise = 8 * torch.finfo(g.dtype).eps * torch.maximum(g.abs(), other.abs())
    return torch.where(rest.abs() <= noise, torch.zeros_like(rest), rest)


def _is_one(y: Tensor, g: Tensor) -> bool:
    """Whether this is autograd's default upstream gradient for a loss. If one is given, PyTorch loads a computer
    algebra system to compare the shapes, which takes a second.
    """
    return y.dim() == 0 and y.dtype == g.dtype and bool(g == 1)


def _plain(g: Tensor) -> Tensor:
    """A gradient in a form that can be added and compared: dense, and of a dtype that has arithmetic."""
    g = g if g.layout == torch.strided else g.to_dense()
    return g if g.dtype.itemsize > 1 else g.float()


def _size(g: Tensor) -> float:
    sizes = torch.nan_to_num(_plain(g).detach().abs(), nan=0.0, posinf=0.0)
    return float(sizes.max()) if sizes.numel() else 0.0


def _agree(own: Tensor, parts: Sequence[Tensor], g: Tensor) -> bool:
    plain = _plain(g)
    if torch.equal(own, plain):
        return True
    slack = _SLACK * torch.finfo(g.dtype).eps
    size = sum([_size(part) for part in parts])
    return bool(torch.isclose(own, plain, slack, slack * size, equal_nan=True).all())
