"""TorchRecorder: intercepts the PyTorch calls that the user wrote, and turns them into steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...recording.drafts import Draft, Use
from ..needed import UnsupportedError
from . import calls
from .edges import Edge, edge_of
from .inputs import exchanged, needs_gradient, tensors_in
from .locate import Site
from .refusals import refuse_call, refuse_change, refuse_transformed
from .steps import TorchSteps


@dataclass(eq=False)
class TorchRecorder(TorchSteps, TorchFunctionMode):
    """Collects the steps of one run, as a PyTorch function mode.

    A call is a step if one of its tensors is one, or needs a gradient: a value computed only from constants is a
    constant at its first use.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.check()
        if calls.is_property(func):
            return func(*args, **kwargs)
        tensors = list(tensors_in([args, kwargs]))
        refuse_transformed(tensors)
        if calls.gives_memory_away(func, args, kwargs):
            self.kept.give_away(tensors)
        if not any(t in self.known or needs_gradient(t) for t in tensors):
            return func(*args, **kwargs)
        refuse_call(func, args, kwargs)
        site = self.tracker.site()
        if site.applying is not None:
            self.note(site)
            self.kept.stop()  # its backward is the user's, which may write to any tensor there
            return func(*args, **kwargs)
        if func is torch.autograd.grad:
            return self.differentiated(args, kwargs, site)
        if func is Tensor.__iter__:
            return iter(self._called(torch.unbind, args, kwargs, site))
        return self._called(func, args, kwargs, site)

    # ------------------------------------------------------------------ a call
    def _called(self, func: Any, args: Any, kwargs: dict[str, Any], site: Site) -> Any:
        """Call the function on aliases of its tensors, and make a step of the result."""
        changed = calls.changed_in_place(func, args, kwargs)
        if changed is not None:
            refuse_change(changed, func)
        written = {label: value for label, value in kwargs.items() if label == "out"}  # no operand
        kwargs = {label: value for label, value in kwargs.items() if label not in written}
        for tensor in tensors_in([args, kwargs]):
            self.step_of(tensor, site)
        uses, fill = self._uses(func, changed)
        given = [fill(label, value) for label, value in zip(calls.labels(func, args), args, strict=True)]
        named = {label: fill(label, value) for label, value in kwargs.items()} | written
        before = None if changed is None else edge_of(changed)
        versions = [(t, t._version) for t in tensors_in([args, kwargs]) if t is not changed and t.requires_grad]
        start = perf_counter()
        result = self._result(func, given, named)
        draft = self.called(calls.name_of(func), uses, site, perf_counter() - start)
        draft.attributes = calls.attributes(func, calls.arguments(func, args, kwargs))
        if calls.is_reversed(func) and len(uses) == 2:
            uses.reverse()
        if any(t._version != version for t, version in versions):
            raise UnsupportedError(f"record: {draft.function} changes an argument in place; use a clone() of it")
        if func is Tensor.requires_grad_ and edge_of(args[0]) == before:
            return result  # as it required one before, nothing has happened
        if changed is not None:
            self._add_change(draft, changed, before, site)
        else:
            result = self._replaced(draft, result)
            self.add_results(draft, result)
        how = calls.leaves_graph(func, result)
        if how is not None and site.place is not None:
            left = [use.step for use in draft.uses if use.step is not None]
            self.departures.leave(site.place, how, [step for step in left if self.drafts[step].requires_grad])
        return result

    def _uses(self, func: Any, changed: Tensor | None) -> tuple[list[Use], Callable[[str, Any], Any]]:
        """The uses of the next call, and a function that fills them and returns an argument with aliases in it.

        A Python function may compare its arguments by identity, as attention does: for it, a tensor that occurs twice
        stays a single one.
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
            if torch.is_grad_enabled() and tensor is not changed and needs_gradient(tensor):
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

    def _add_change(self, draft: Draft, tensor: Tensor, before: Edge | None, site: Site) -> None:
        """Add a step for a tensor changed in place: its old value is an operand, and keeps its own gradient."""
        names = site.place.names if site.place is not None else ()
        old = draft.uses[0]
        assert old.step is not None
        draft.function, draft.value = f"{draft.function}_", self.kept.snapshot(tensor)
        draft.name = names[0] if len(names) == 1 and names[0].isidentifier() else self.drafts[old.step].name
        if before is not None and tensor.grad_fn is not None:
            places = [i for i, edge in enumerate(tensor.grad_fn.next_functions) if edge == before]
            if len(places) != 1:
                raise UnsupportedError(f"record: {draft.function} in place is a step whose shares cannot be told apart")
            self.shares.watch_node(draft.id, tensor.grad_fn, {places[0]: (old, before)})
        self.add(draft, tensor)

    def _result(self, func: Any, given: list[Any], named: dict[str, Any]) -> Any:
        """The result of the call, or what another function computes from the call and its operands."""
        change = self.replaced.get(len(self.drafts))
        if not callable(change):
            return func(*given, **named)
        if calls.is_reversed(func):
            return change(lambda a, b: func(b, a), *reversed(given))
        return change(partial(func, **named), *given)

    def _replaced(self, draft: Draft, result: Any) -> Any:
        """The result, or the value that replaces it, where gradients end."""
        value = self.replaced.get(draft.id)
        if value is None or callable(value) or not isinstance(result, Tensor):
            return result
        draft.replaced = True
        given = torch.as_tensor(value, dtype=result.dtype, device=result.device).expand(result.shape).clone()
        return given.requires_grad_(given.is_floating_point() and torch.is_grad_enabled())
