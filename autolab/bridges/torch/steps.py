"""The steps of tensors, including values that are computed unobserved: by a user's ``torch.autograd.Function``, and by
``autograd.grad``.

What arrives in the backward pass: the gradient of every step, and the share of each use in it.

Every use of a tensor gets an alias of it, which nothing else uses: the gradient that autograd delivers there is the
share of that use, whatever the function does inside. No gradient is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from types import FrameType
from typing import Any

import torch
from torch import Tensor, UntypedStorage
from torch.nn import Parameter
from torch.utils.hooks import RemovableHandle

from ...recording.arrays import give_own_copy
from ...recording.drafts import Draft, Use
from ...recording.locate import Locator
from ...recording.model import Kind, Scope, Snapshot
from ..library import Library, LibraryBudget
from ..needed import UnsupportedError
from ..run import BridgeRun, GradientTotals, Pruned
from . import refusals
from .edges import Edge, KnownTensors, boundaries, edge_of, function_of, nodes_between, passed_on, used_inside
from .inputs import SAME_DTYPES, TorchInputs, needs_gradient, takes_context, tensors_in
from .locate import Site, TorchTracker, holder_of, name_in, names_of
from .modules import ModuleNames
from .refusals import refuse_call, refuse_hooked, refuse_kind, refuse_unseen

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


# Snapshots without copies: the numbers of values computed in the run stay in PyTorch's memory. This is safe as long
# as nobody can write to them. Before a PyTorch call changes a value in place or exposes its memory, its snapshots get
# copies; after the run, so do those whose memory is still referenced elsewhere.

_SMALL = 4096
"""Smaller values are copied at once: a tensor that shares memory has a cost, too."""

_HANDLE = 1  # this module's own reference to a storage


class TorchBudget(LibraryBudget):
    """A budget whose snapshots may share PyTorch's memory. A storage is identified by its start address."""

    def __init__(self, total: int, library: Library) -> None:
        super().__init__(total, library)
        self._lends = True
        self._others: set[int] = set()  # storages from outside the run, or exposed by it
        self._lent: dict[int, tuple[UntypedStorage, list[Snapshot]]] = {}

    def of_leaf(self, tensor: Tensor) -> Snapshot:
        """A snapshot of a value from outside the run, which may be changed later."""
        if tensor.layout == torch.strided:
            self._others.add(_begin(tensor))
        return self.snapshot(tensor)

    def snapshot(self, value: Tensor, cost: int | None = None) -> Snapshot:
        if not self._can_lend(value):
            return super().snapshot(value)
        storage = value.untyped_storage()
        kept = super().snapshot(value, 0 if storage.data_ptr() in self._lent else storage.nbytes())
        if kept.is_whole:
            self._lent.setdefault(storage.data_ptr(), (storage, []))[1].append(kept)
        return kept

    def _can_lend(self, value: Tensor) -> bool:
        """Whether its memory belongs to the run, and contains little else."""
        if not self._lends or value.layout != torch.strided or value.device.type != "cpu" or value.nbytes < _SMALL:
            return False
        begin = _begin(value)
        is_worth_it = begin in self._lent or value.untyped_storage().nbytes() <= value.nbytes
        return is_worth_it and begin not in self._others and value.dtype in SAME_DTYPES and not value.is_neg()

    def give_away(self, tensors: Iterable[Tensor]) -> None:
        """Copy the snapshots of tensors that will, or could, be written to."""
        for tensor in tensors:
            if self._lent and tensor.layout == torch.strided:
                self._copy(_begin(tensor))

    def stop(self) -> None:
        """Make every snapshot a copy from now on."""
        self._lends = False
        for begin in [*self._lent]:
            self._copy(begin)

    def settle(self) -> None:
        """Finish after the run, when its graph is gone: memory that is still referenced belongs to somebody else."""
        for begin, (storage, snapshots) in [*self._lent.items()]:
            if torch._C._storage_Use_Count(storage._cdata) > len(snapshots) + _HANDLE:  # each has a tensor behind it
                self._copy(begin)
        self._lent.clear()

    def _copy(self, begin: int) -> None:
        self._others.add(begin)
        if begin in self._lent:
            for snapshot in self._lent.pop(begin)[1]:
                give_own_copy(snapshot)


def _begin(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


@dataclass
class _Applied:
    """A call of a user's ``Function.apply``: the steps of its tensors, and its position."""

    function: type
    operands: list[tuple[str, int]]
    site: Site


@dataclass(eq=False)
class TorchSteps(BridgeRun):
    """The part of a run that deals with values."""

    kind, budgets = TorchInputs, TorchBudget

    def __post_init__(self) -> None:
        super().__post_init__()
        self.locator, self.names = Locator(self.inputs.written), ModuleNames(self.inputs.module, self.inputs.modules)
        self.forget()

    def begin(self, base: FrameType) -> None:
        """Begin a run: the frame ``base`` is going to call the function."""
        self.tracker = TorchTracker(base, self.locator)

    def forget(self) -> None:
        """Release all tensors, and with them autograd's graph."""
        self.known, self.shares = KnownTensors(), Shares(self)
        self._brought: list[tuple[int, Tensor]] = []
        self._applications: dict[Any, _Applied] = {}
        self._several: dict[Any, Draft] = {}  # calls of users' Functions with several results, by node

    def scopes(self, kept: Pruned) -> tuple[Scope, ...]:
        return self.tracker.scopes(kept.drafts)

    # ------------------------------------------------------------------ values
    @property
    def leaves(self) -> list[tuple[int, Tensor]]:
        """The steps at which gradients end, with their tensors: values from outside, and those that became leaves."""
        made = [(step, tensor) for step, tensor in self.known.tensors() if tensor.is_leaf and needs_gradient(tensor)]
        return list(dict([*made, *self._brought]).items())

    @property
    def edges(self) -> dict[Edge, int]:
        """All edges at which gradients arrive, including those of single uses, with their steps."""
        return {**self.known.edges, **self.shares.aliases}

    def step_of(self, tensor: Tensor, site: Site | None = None) -> int:
        """The step of a value; a new one for a value from outside, or one that was computed unobserved."""
        step = self.known.step_of(tensor)
        if step is not None:
            return step
        if tensor.grad_fn is not None and self._was_made_here(tensor):
            return self._add_unseen(tensor, site)
        frame = site.frame if site else None
        name = self.names.of_tensor(tensor) or name_in(frame, tensor)
        if name is None and frame is not None and isinstance(tensor, Parameter):
            holder = holder_of(tensor, frame)
            if holder is not None:
                self.names.add(*holder)
                name = self.names.of_tensor(tensor)
        return self.add_leaf(tensor, "leaf" if needs_gradient(tensor) else "constant", name)

    def add_leaf(self, tensor: Tensor, kind: Kind, name: str | None) -> int:
        """Add a step for a value that no call computed."""
        refuse_kind(tensor, name)
        refuse_hooked(tensor, name)
        draft = Draft(len(self.drafts), kind, None, name, [], self.kept.of_leaf(tensor))
        if needs_gradient(tensor):
            self._brought.append((draft.id, tensor))
        return self.add(draft, tensor)

    def add(self, draft: Draft, tensor: Tensor) -> int:
        refuse_kind(tensor, draft.name)
        draft.requires_grad, draft.is_float = needs_gradient(tensor), tensor.is_floating_point()
        self.drafts.append(draft)
        self.known.add(draft.id, tensor)
        self.shares.watch(draft.id, tensor)
        return draft.id

    def called(self, function: str, uses: list[Use], site: Site, seconds: float) -> Draft:
        """The draft of a call, with its position."""
        draft = Draft(len(self.drafts), "call", function, None, uses, None, seconds=seconds)
        draft.place, draft.outer_line = site.place, site.outer_line
        draft.is_inner, draft.scope = site.is_inner, site.scope
        return draft

    def add_results(self, draft: Draft, result: Any) -> None:
        """Add a step for a result, or one for the call and one for each of several results; none without a tensor."""
        items = list(result) if isinstance(result, list | tuple) else [result]
        found = [(place, item) for place, item in enumerate(items) if isinstance(item, Tensor)]
        if len(found) > 1:
            self.drafts.append(draft)
            nodes = {self.add_part(draft, item, place): item.grad_fn for place, item in found}
            self.shares.inside |= used_inside(nodes, self.shares.aliases)
        elif found:
            place, tensor = found[0]
            names = names_of(draft)
            draft.name = names[place] if len(names) == len(items) else None
            draft.value = self.kept.snapshot(tensor)
            self.add(draft, tensor)

    def add_part(self, call: Draft, tensor: Tensor, place: int) -> int:
        """Add a step for one of several results."""
        part, names = self.part(call, tensor), names_of(call)
        part.name = names[place] if len(names) > max(1, place) else None
        call.requires_grad = call.requires_grad or needs_gradient(tensor)
        return self.add(part, tensor)

    # ------------------------------------------------------------------ values found only in autograd's graph
    def note(self, site: Site) -> None:
        """Note the arguments of a user's Function that is being applied, while they are still as they were given."""
        frame: Any = site.applying
        if frame in self._applications:
            return
        cls, args = frame.f_locals["cls"], frame.f_locals["args"]
        refuse_call(cls, args, {})
        labelled = zip(refusals.labels(cls.forward, args, skip=takes_context(cls)), args, strict=True)
        operands = [(label, self.step_of(value, site)) for label, value in labelled if isinstance(value, Tensor)]
        self._applications[frame] = _Applied(cls, operands, site)

    def _was_made_here(self, tensor: Tensor) -> bool:
        """Whether the tensor was computed from known values; else it was computed before the recording began."""
        is_users = any(applied.function is function_of(tensor.grad_fn) for applied in self._applications.values())
        known = self.edges
        return is_users or any(edge in known for *_, edge in boundaries([tensor.grad_fn], known))

    def _add_unseen(self, tensor: Tensor, site: Site | None) -> int:
        """Add a step for a value that a user's Function computed, and one for the call if it has several results."""
        node: Any = tensor.grad_fn
        refuse_unseen(node)
        if node in self._several:
            return self.add_part(self._several[node], tensor, tensor.output_nr)
        function: Any = function_of(node)
        frame = next((frame for frame, a in self._applications.items() if a.function is function), None)
        applied = self._applications.pop(frame, None)
        site = applied.site if applied is not None else site or Site()
        draft = self.called(function.__name__, self._region([node], applied, site), site, 0.0)
        if len(node._input_metadata) > 1:
            draft.requires_grad = True
            self.drafts.append(draft)
            self._several[node] = draft
            return self.add_part(draft, tensor, tensor.output_nr)
        self.add_results(draft, tensor)
        return draft.id

    def _region(self, start: Sequence[Any], applied: _Applied | None, site: Site) -> list[Use]:
        """The uses of the values from which nodes of the graph were computed, each with hooks for its share."""
        known, uses = self.edges, dict[int, Use]()
        for label, step in () if applied is None else applied.operands:
            uses.setdefault(step, Use(label, step, None))
        call, inner = (
            len(self.drafts),
            set() if applied is not None else self._inner_edges(known) - {(n, 0) for n in start},
        )

        def use_of(edge: Edge) -> Use:
            step = known[edge] if edge in known else self.step_of(edge[0].variable, site)
            return uses.setdefault(step, Use(f"inputs[{len(uses)}]", step, None))

        places: dict[Any, dict[int, tuple[Use, Edge]]] = {}
        for node, place, edge in list(boundaries(start, known.keys() | inner)):
            if edge in inner:  # a value inside another step
                ends = {end: use_of(end) for _, _, end in list(boundaries([edge[0]], known))}
                self.shares.watch_inner(call, node, place, edge, ends)
            else:
                places.setdefault(node, {})[place] = use_of(edge), edge
        for node, shares in places.items():
            self.shares.watch_node(call, node, shares)
        return list(uses.values())

    def _inner_edges(self, known: dict[Edge, int]) -> set[Edge]:
        """The edges inside steps, at which no step's gradient arrives."""
        results = [tensor.grad_fn for _, tensor in self.known.tensors() if tensor.grad_fn is not None]
        nodes = {node for result in results for node in nodes_between([result], known)[1:]}
        return {(node, i) for node in nodes if not hasattr(node, "variable") for i in range(len(node._input_metadata))}

    def differentiated(self, args: Any, kwargs: dict[str, Any], site: Site) -> Any:
        """Record a call of ``torch.autograd.grad`` in the function itself: its gradients are values like any others."""
        for tensor in tensors_in([args, kwargs]):
            self.step_of(tensor, site)
        start = perf_counter()
        result = torch.autograd.grad(*args, **kwargs)
        seconds = perf_counter() - start
        found = [g for g in result if isinstance(g, Tensor)]
        nodes = list(dict.fromkeys([g.grad_fn for g in found if g.grad_fn is not None]))
        if any(g.requires_grad and edge_of(g) in self.edges for g in found):
            raise UnsupportedError("record: autograd.grad gave a value of the function itself back; clone() it")
        if nodes:
            uses = self._region(nodes, None, site)
        else:
            uses = [Use(f"inputs[{i}]", self.step_of(t), None) for i, t in enumerate(tensors_in([*args]))]
        self.add_results(self.called("grad", uses, site, seconds), result if len(found) > 1 else found[0])
        return result
