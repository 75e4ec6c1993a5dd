"""TorchRecorder: sees the calls of PyTorch that the user wrote, and makes steps of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...recording.drafts import Draft, Use
from ...recording.model import Kind
from ...recording.scopes import ScopeTracker
from ..needed import UnsupportedError
from . import calls
from .known import Edge, KnownTensors, edge_of
from .leaving import Departed
from .modules import ModuleNames
from .refusals import refuse_call, refuse_change, refuse_hooked, refuse_transformed, refuse_unseen
from .regions import Boundary, boundaries, function_of, nodes_between, takes_context
from .shares import Shares
from .site import Site, TorchLocator, name_in
from .tensors import TensorBudget, exchanged, tensors_in


@dataclass
class _Applied:
    """A call of ``Function.apply`` of the user's: the steps of its tensors, and where it stands."""

    function: type
    operands: list[tuple[str, int | None, Tensor]]
    site: Site
    scope: int | None


class TorchRecorder(TorchFunctionMode):
    """Collects the steps of one run, as a mode of PyTorch's.

    A call is a step if one of its tensors is, or needs a gradient: what is computed from constants alone is a constant
    at its first use.
    """

    def __init__(
        self,
        locator: TorchLocator,
        tracker: ScopeTracker,
        budget: TensorBudget,
        names: ModuleNames,
        base: Any,
        check: Callable[[], None],
    ) -> None:
        super().__init__()
        self.locator, self.tracker, self.budget, self.names = locator, tracker, budget, names
        self._base, self._check = base, check
        self.drafts: list[Draft] = []
        self.known, self.departed = KnownTensors(), Departed()
        self.shares = Shares(self.drafts, budget)
        self._applications: dict[Any, _Applied] = {}
        self.replaced: Mapping[int, Any] = {}
        self._brought: list[tuple[int, Tensor]] = []
        self._several: dict[Any, Draft] = {}  # the calls of users' Functions with several results, by their nodes

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self._check()
        if calls.is_property(func):
            return func(*args, **kwargs)
        tensors = list(tensors_in([args, kwargs]))
        refuse_transformed(tensors)
        if not any(self._concerns(t) for t in tensors):
            return func(*args, **kwargs)
        refuse_call(func, args, kwargs)
        site = self.locator.site(self._base)
        if site.applying is not None:
            self._applied(site)
            return func(*args, **kwargs)
        if func is torch.autograd.grad:
            return self._differentiated(args, kwargs, site)
        if func is Tensor.__iter__:
            return iter(self._called(torch.unbind, args, kwargs, site))
        return self._called(func, args, kwargs, site)

    def _concerns(self, tensor: Tensor) -> bool:
        return tensor in self.known or tensor.requires_grad

    # ------------------------------------------------------------------ values
    def add_leaf(self, tensor: Tensor, kind: Kind, name: str | None) -> int:
        """A step for a value that no call made."""
        refuse_hooked(tensor, name)
        draft = Draft(len(self.drafts), kind, None, name, [], self.budget.snapshot(tensor))
        if tensor.requires_grad:
            self._brought.append((draft.id, tensor))
        return self._add(draft, tensor)

    @property
    def leaves(self) -> list[tuple[int, Tensor]]:
        """The steps at which gradients end, with their tensors: what was brought along, and what became a leaf."""
        made = [(step, tensor) for step, tensor in self.known.tensors() if tensor.requires_grad and tensor.is_leaf]
        return list(dict([*made, *self._brought]).items())

    def step_of(self, tensor: Tensor, site: Site | None = None) -> int:
        """The step of a value; a new one for what the function brought along, or what was made out of sight."""
        step = self.known.step_of(tensor)
        if step is not None:
            return step
        if tensor.grad_fn is not None and self._was_made_here(tensor):
            return self._add_unseen(tensor, site)
        name = self.names.of_tensor(tensor) or name_in(site.frame if site else None, tensor)
        return self.add_leaf(tensor, "leaf" if tensor.requires_grad else "constant", name)

    def _add(self, draft: Draft, tensor: Tensor) -> int:
        draft.requires_grad, draft.is_float = tensor.requires_grad, tensor.is_floating_point()
        self.drafts.append(draft)
        self.known.add(draft.id, tensor)
        self.shares.watch(draft.id, tensor)
        return draft.id

    # ------------------------------------------------------------------ a call
    def _called(self, func: Any, args: Any, kwargs: dict[str, Any], site: Site) -> Any:
        """Call the function on aliases of its tensors, and make a step of the result."""
        changed = calls.changed_in_place(func, args, kwargs)
        if changed is not None:
            refuse_change(changed, func)
        for tensor in tensors_in([args, kwargs]):
            self.step_of(tensor, site)
        uses, fill = self._uses(func, changed)
        given = [fill(label, value) for label, value in zip(calls.labels(func, args), args, strict=True)]
        named = {label: fill(label, value) for label, value in kwargs.items()}
        before = None if changed is None else edge_of(changed)
        versions = [(t, t._version) for t in tensors_in([args, kwargs]) if t is not changed and t.requires_grad]
        scope, start = self.tracker.now(), perf_counter()
        result = func(*given, **named)
        draft = self._draft(calls.name_of(func), uses, site, scope, perf_counter() - start)
        draft.attributes = calls.attributes(func, calls.arguments(func, args, kwargs))
        if calls.is_reversed(func) and len(uses) == 2:
            uses.reverse()
        if any(t._version != version for t, version in versions):
            raise UnsupportedError(f"record: {draft.function} changes an argument in place; use a clone() of it")
        if changed is not None:
            self._add_change(draft, changed, before, site)
        else:
            result = self._replaced(draft, result)
            self._add_results(draft, result)
        self.departed.look(func, draft, site, result)
        return result

    def _uses(self, func: Any, changed: Tensor | None) -> tuple[list[Use], Callable[[str, Any], Any]]:
        """The uses of the call to come, and a function that fills them: it gives an argument with aliases in it.

        A function that is written in Python may compare its arguments, as attention does: for it, one tensor stays one.
        """
        uses: list[Use] = []
        same: dict[int, tuple[Use, Tensor]] = {}
        call, is_python = len(self.drafts), hasattr(func, "__code__")

        def swap(label: str, tensor: Tensor) -> Tensor:
            if id(tensor) in same:
                same[id(tensor)][0].parameter += f", {label}"
                return same[id(tensor)][1]
            use, given = Use(label, self.known.step_of(tensor), None), tensor
            uses.append(use)
            if tensor.requires_grad and tensor is not changed and torch.is_grad_enabled():
                given = self.shares.alias(tensor, call, use)
            if is_python:
                same[id(tensor)] = use, given
            return given

        def fill(label: str, value: Any) -> Any:
            text = calls.constant_text(func, value)
            if text is not None:
                uses.append(Use(label, None, text))
            return exchanged(value, swap, label)

        return uses, fill

    def _draft(self, function: str, uses: list[Use], site: Site, scope: int | None, seconds: float) -> Draft:
        draft = Draft(len(self.drafts), "call", function, None, uses, None, site.place, site.outer_line)
        draft.is_inner, draft.seconds, draft.scope = site.is_inner, seconds, scope
        return draft

    def _add_results(self, draft: Draft, result: Any) -> None:
        """A step for a result, or one for the call and one for each of several; none where there is no tensor."""
        items = list(result) if isinstance(result, list | tuple) else [result]
        found = [(place, item) for place, item in enumerate(items) if isinstance(item, Tensor)]
        if len(found) > 1:
            self.drafts.append(draft)
            for place, item in found:
                self._add_part(draft, item, place)
        elif found:
            place, tensor = found[0]
            names = _names(draft)
            draft.name = names[place] if len(names) == len(items) else None
            draft.value = self.budget.snapshot(tensor)
            self._add(draft, tensor)

    def _add_change(self, draft: Draft, tensor: Tensor, before: Edge | None, site: Site) -> None:
        """A step for a tensor that was changed in place: its old value is an operand, and keeps its own gradient."""
        names = site.place.names if site.place is not None else ()
        old = draft.uses[0]
        assert old.step is not None
        draft.function, draft.value = f"{draft.function}_", self.budget.snapshot(tensor)
        draft.name = names[0] if len(names) == 1 and names[0].isidentifier() else self.drafts[old.step].name
        if before is not None and tensor.grad_fn is not None:
            places = [i for i, edge in enumerate(tensor.grad_fn.next_functions) if edge == before]
            if len(places) != 1:
                raise UnsupportedError(f"record: {draft.function} in place is a step whose shares cannot be told apart")
            self.shares.watch_node(draft.id, tensor.grad_fn, {places[0]: (old, before)})
        self._add(draft, tensor)

    def _replaced(self, draft: Draft, result: Any) -> Any:
        """The result, or what it is to be instead: gradients end there."""
        value = self.replaced.get(draft.id)
        if value is None or not isinstance(result, Tensor):
            return result
        draft.replaced = True
        given = torch.as_tensor(value, dtype=result.dtype, device=result.device).expand(result.shape).clone()
        return given.requires_grad_(given.is_floating_point() and torch.is_grad_enabled())

    # ------------------------------------------------------------------ what nobody saw
    def _applied(self, site: Site) -> None:
        """A Function of the user's is being applied: note to what, while its arguments are as they were given."""
        frame: Any = site.applying
        if frame in self._applications:
            return
        cls, args = frame.f_locals["cls"], frame.f_locals["args"]
        refuse_call(cls, args, {})
        labels = calls.labels(cls.forward, args, skip=takes_context(cls))
        operands = [
            (label, self.step_of(value, site) if isinstance(value, Tensor) else None, value)
            for label, value in zip(labels, args, strict=True)
            if isinstance(value, Tensor)
        ]
        self._applications[frame] = _Applied(cls, operands, site, self.tracker.now())

    def _was_made_here(self, tensor: Tensor) -> bool:
        """Whether something that is known stands before the tensor; else it was made before the recording began."""
        known = {*self.known.edges, *self.shares.aliases}
        is_users = any(applied.function is function_of(tensor.grad_fn) for applied in self._applications.values())
        return is_users or any(b.edge in known for b in boundaries([tensor.grad_fn], known))

    def _add_unseen(self, tensor: Tensor, site: Site | None) -> int:
        """A step for a value that a user's Function made; one more for the call where it has several results."""
        node = tensor.grad_fn
        refuse_unseen(node)
        if node in self._several:
            return self._add_part(self._several[node], tensor, tensor.output_nr)
        applied = next((a for a in self._applications.values() if a.function is function_of(node)), None)
        if applied is not None:
            self._applications = {k: a for k, a in self._applications.items() if a is not applied}
            site = applied.site
        site = site or Site(None, None, True, None, None)
        scope = self.tracker.now() if applied is None else applied.scope
        uses = self._region([node], applied, site)
        draft = self._draft(str(function_of(node).__name__), uses, site, scope, 0.0)  # type: ignore[union-attr]
        if len(node._input_metadata) > 1:
            draft.requires_grad = True
            self.drafts.append(draft)
            self._several[node] = draft
            return self._add_part(draft, tensor, tensor.output_nr)
        names = _names(draft)
        draft.name, draft.value = names[0] if len(names) == 1 else None, self.budget.snapshot(tensor)
        return self._add(draft, tensor)

    def _add_part(self, call: Draft, tensor: Tensor, place: int) -> int:
        """A step for one of several results."""
        names = _names(call)
        name = names[place] if len(names) > max(1, place) else None
        part = Draft(len(self.drafts), "part", call.function, name, [Use("part", call.id, None)], None)
        part.value, part.place, part.outer_line = self.budget.snapshot(tensor), call.place, call.outer_line
        part.scope, part.is_inner = call.scope, call.is_inner
        call.requires_grad = call.requires_grad or tensor.requires_grad
        return self._add(part, tensor)

    def _region(self, start: Sequence[Any], applied: _Applied | None, site: Site) -> list[Use]:
        """The uses of what lies behind nodes of the graph, each with hooks for its share."""
        known = {**self.known.edges, **self.shares.aliases}
        inner = {} if applied is not None else self._inner_nodes(known)
        found = boundaries(start, known, {node: name for node, name in inner.items() if node not in start})
        uses: dict[int, Use] = {}
        if applied is not None:
            uses = {step: Use(label, step, None) for label, step, _ in reversed(applied.operands) if step is not None}
            uses = dict(reversed(uses.items()))
        places: dict[Any, dict[int, tuple[Use, Edge]]] = {}
        for boundary in found:
            step = self._at(boundary, known, site)
            use = uses.setdefault(step, Use(f"inputs[{len(uses)}]", step, None))
            places.setdefault(boundary.node, {})[boundary.place] = use, boundary.edge
        for node, shares in places.items():
            self.shares.watch_node(len(self.drafts), node, shares)
        return list(uses.values())

    def _at(self, boundary: Boundary, known: dict[Edge, int], site: Site) -> int:
        if boundary.edge in known:
            return known[boundary.edge]
        assert boundary.leaf is not None
        return self.step_of(boundary.leaf, site)

    def _inner_nodes(self, known: dict[Edge, int]) -> dict[Any, str]:
        """The nodes that stand inside of steps, with the names of these."""
        found: dict[Any, str] = {}
        for step, tensor in self.known.tensors():
            if tensor.grad_fn is not None and not tensor.is_leaf:
                between = nodes_between(tensor.grad_fn, known) - {tensor.grad_fn}
                found |= dict.fromkeys(between, str(self.drafts[step].function))
        return found

    def _differentiated(self, args: Any, kwargs: dict[str, Any], site: Site) -> Any:
        """A call of ``torch.autograd.grad`` in the function itself: its gradients are values like others."""
        for tensor in tensors_in([args, kwargs]):
            self.step_of(tensor, site)
        scope, start = self.tracker.now(), perf_counter()
        result = torch.autograd.grad(*args, **kwargs)
        seconds = perf_counter() - start
        found = [g for g in result if isinstance(g, Tensor)]
        nodes = list(dict.fromkeys([g.grad_fn for g in found if g.grad_fn is not None]))
        if any(edge_of(g) in self.known.edges or edge_of(g) in self.shares.aliases for g in found if g.requires_grad):
            raise UnsupportedError("record: autograd.grad gave a value of the function itself back; clone() it")
        if nodes:
            uses = self._region(nodes, None, site)
        else:
            uses = [Use(f"inputs[{i}]", self.step_of(t), None) for i, t in enumerate(tensors_in([*args]))]
        draft = self._draft("grad", uses, site, scope, seconds)
        self._add_results(draft, result if len(found) > 1 else found[0])
        return result


def _names(draft: Draft) -> tuple[str, ...]:
    """What the user's statement calls the results of a call, if he wrote it himself."""
    return draft.place.names if draft.place is not None and not draft.is_inner else ()
