"""TorchRecorder: sees the calls of PyTorch that the user wrote, and makes steps of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from .edges import Edge, KnownTensors, edge_of, used_inside
from .leaving import Departed
from .lent import TorchBudget
from .locate import Site, TorchLocator, name_in, names_of
from .modules import ModuleNames
from .refusals import refuse_call, refuse_change, refuse_hooked, refuse_transformed
from .shares import Shares
from .tensors import exchanged, tensors_in
from .unseen import Unseen


class TorchRecorder(TorchFunctionMode):
    """Collects the steps of one run, as a mode of PyTorch's.

    A call is a step if one of its tensors is, or needs a gradient: what is computed from constants alone is a constant
    at its first use.
    """

    def __init__(
        self,
        locator: TorchLocator,
        tracker: ScopeTracker,
        budget: TorchBudget,
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
        self._unseen = Unseen(self)
        self.replaced: Mapping[int, Any] = {}
        self._brought: list[tuple[int, Tensor]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self._check()
        if calls.is_property(func):
            return func(*args, **kwargs)
        tensors = list(tensors_in([args, kwargs]))
        refuse_transformed(tensors)
        if calls.gives_memory_away(func, args, kwargs):
            self.budget.give_away(tensors)
        if not any(self._concerns(t) for t in tensors):
            return func(*args, **kwargs)
        refuse_call(func, args, kwargs)
        site = self.locator.site(self._base)
        if site.applying is not None:
            self._unseen.note(site)
            self.budget.stop()  # its backward is the user's, who may write to anything there
            return func(*args, **kwargs)
        if func is torch.autograd.grad:
            return self._unseen.differentiated(args, kwargs, site)
        if func is Tensor.__iter__:
            return iter(self._called(torch.unbind, args, kwargs, site))
        return self._called(func, args, kwargs, site)

    def _concerns(self, tensor: Tensor) -> bool:
        return tensor in self.known or tensor.requires_grad

    # ------------------------------------------------------------------ values
    def add_leaf(self, tensor: Tensor, kind: Kind, name: str | None) -> int:
        """A step for a value that no call made."""
        refuse_hooked(tensor, name)
        draft = Draft(len(self.drafts), kind, None, name, [], self.budget.of_leaf(tensor))
        if tensor.requires_grad:
            self._brought.append((draft.id, tensor))
        return self.add(draft, tensor)

    def forget(self) -> None:
        """Let go of all tensors, and so of autograd's graph."""
        self.known, self.shares = KnownTensors(), Shares(self.drafts, self.budget)
        self._unseen = Unseen(self)
        self._brought.clear()

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
        if tensor.grad_fn is not None and self._unseen.was_made_here(tensor):
            return self._unseen.add_step(tensor, site)
        name = self.names.of_tensor(tensor) or name_in(site.frame if site else None, tensor)
        return self.add_leaf(tensor, "leaf" if tensor.requires_grad else "constant", name)

    def add(self, draft: Draft, tensor: Tensor) -> int:
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
        result = self._result(func, given, named)
        draft = self.draft(calls.name_of(func), uses, site, scope, perf_counter() - start)
        draft.attributes = calls.attributes(func, calls.arguments(func, args, kwargs))
        if calls.is_reversed(func) and len(uses) == 2:
            uses.reverse()
        if any(t._version != version for t, version in versions):
            raise UnsupportedError(f"record: {draft.function} changes an argument in place; use a clone() of it")
        if changed is not None:
            self._add_change(draft, changed, before, site)
        else:
            result = self._replaced(draft, result)
            self.add_results(draft, result)
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

    def draft(self, function: str, uses: list[Use], site: Site, scope: int | None, seconds: float) -> Draft:
        draft = Draft(len(self.drafts), "call", function, None, uses, None, site.place, site.outer_line)
        draft.is_inner, draft.seconds, draft.scope = site.is_inner, seconds, scope
        return draft

    def add_results(self, draft: Draft, result: Any) -> None:
        """A step for a result, or one for the call and one for each of several; none where there is no tensor."""
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
            draft.value = self.budget.snapshot(tensor)
            self.add(draft, tensor)

    def add_part(self, call: Draft, tensor: Tensor, place: int) -> int:
        """A step for one of several results."""
        names = names_of(call)
        name = names[place] if len(names) > max(1, place) else None
        part = Draft(len(self.drafts), "part", call.function, name, [Use("part", call.id, None)], None)
        part.value, part.place, part.outer_line = self.budget.snapshot(tensor), call.place, call.outer_line
        part.scope, part.is_inner = call.scope, call.is_inner
        call.requires_grad = call.requires_grad or tensor.requires_grad
        return self.add(part, tensor)

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
        self.add(draft, tensor)

    def _result(self, func: Any, given: list[Any], named: dict[str, Any]) -> Any:
        """What the call gives, or what another function makes of the call and its operands."""
        change = self.replaced.get(len(self.drafts))
        if not callable(change):
            return func(*given, **named)
        if calls.is_reversed(func):
            return change(lambda a, b: func(b, a), *reversed(given))
        return change(partial(func, **named), *given)

    def _replaced(self, draft: Draft, result: Any) -> Any:
        """The result, or what it is to be instead: gradients end there."""
        value = self.replaced.get(draft.id)
        if value is None or callable(value) or not isinstance(result, Tensor):
            return result
        draft.replaced = True
        given = torch.as_tensor(value, dtype=result.dtype, device=result.device).expand(result.shape).clone()
        return given.requires_grad_(given.is_floating_point() and torch.is_grad_enabled())
