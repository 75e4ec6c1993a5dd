"""What makes values out of a recorder's sight: a user's ``torch.autograd.Function``, and ``autograd.grad``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...recording.drafts import Draft, Use
from ..needed import UnsupportedError
from . import calls
from .edges import Boundary, Edge, boundaries, edge_of, function_of, nodes_between, takes_context
from .locate import Site, names_of
from .refusals import refuse_call, refuse_unseen
from .tensors import tensors_in

if TYPE_CHECKING:
    from .recorder import TorchRecorder


@dataclass
class _Applied:
    """A call of ``Function.apply`` of the user's: the steps of its tensors, and where it stands."""

    function: type
    operands: list[tuple[str, int | None, Tensor]]
    site: Site
    scope: int | None


class Unseen:
    """Steps for what is found in autograd's graph alone."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self._recorder = recorder
        self._applications: dict[Any, _Applied] = {}
        self._several: dict[Any, Draft] = {}  # the calls of users' Functions with several results, by their nodes

    def note(self, site: Site) -> None:
        """A Function of the user's is being applied: note to what, while its arguments are as they were given."""
        frame: Any = site.applying
        if frame in self._applications:
            return
        cls, args = frame.f_locals["cls"], frame.f_locals["args"]
        refuse_call(cls, args, {})
        labels = calls.labels(cls.forward, args, skip=takes_context(cls))
        operands = [
            (label, self._recorder.step_of(value, site) if isinstance(value, Tensor) else None, value)
            for label, value in zip(labels, args, strict=True)
            if isinstance(value, Tensor)
        ]
        self._applications[frame] = _Applied(cls, operands, site, self._recorder.tracker.now())

    def was_made_here(self, tensor: Tensor) -> bool:
        """Whether something that is known stands before the tensor; else it was made before the recording began."""
        known = {*self._recorder.known.edges, *self._recorder.shares.aliases}
        is_users = any(applied.function is function_of(tensor.grad_fn) for applied in self._applications.values())
        return is_users or any(b.edge in known for b in boundaries([tensor.grad_fn], known))

    def add_step(self, tensor: Tensor, site: Site | None) -> int:
        """A step for a value that a user's Function made; one more for the call where it has several results."""
        node = tensor.grad_fn
        refuse_unseen(node)
        if node in self._several:
            return self._recorder.add_part(self._several[node], tensor, tensor.output_nr)
        applied = next((a for a in self._applications.values() if a.function is function_of(node)), None)
        if applied is not None:
            self._applications = {k: a for k, a in self._applications.items() if a is not applied}
            site = applied.site
        site = site or Site(None, None, True, None, None)
        scope = self._recorder.tracker.now() if applied is None else applied.scope
        uses = self._region([node], applied, site)
        draft = self._recorder.draft(str(function_of(node).__name__), uses, site, scope, 0.0)  # type: ignore[union-attr]
        if len(node._input_metadata) > 1:
            draft.requires_grad = True
            self._recorder.drafts.append(draft)
            self._several[node] = draft
            return self._recorder.add_part(draft, tensor, tensor.output_nr)
        names = names_of(draft)
        draft.name, draft.value = names[0] if len(names) == 1 else None, self._recorder.budget.snapshot(tensor)
        return self._recorder.add(draft, tensor)

    def _region(self, start: Sequence[Any], applied: _Applied | None, site: Site) -> list[Use]:
        """The uses of what lies behind nodes of the graph, each with hooks for its share."""
        known = {**self._recorder.known.edges, **self._recorder.shares.aliases}
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
            self._recorder.shares.watch_node(len(self._recorder.drafts), node, shares)
        return list(uses.values())

    def _at(self, boundary: Boundary, known: dict[Edge, int], site: Site) -> int:
        if boundary.edge in known:
            return known[boundary.edge]
        assert boundary.leaf is not None
        return self._recorder.step_of(boundary.leaf, site)

    def _inner_nodes(self, known: dict[Edge, int]) -> dict[Any, str]:
        """The nodes that stand inside of steps, with the names of these."""
        found: dict[Any, str] = {}
        for step, tensor in self._recorder.known.tensors():
            if tensor.grad_fn is not None and not tensor.is_leaf:
                between = nodes_between(tensor.grad_fn, known) - {tensor.grad_fn}
                found |= dict.fromkeys(between, str(self._recorder.drafts[step].function))
        return found

    def differentiated(self, args: Any, kwargs: dict[str, Any], site: Site) -> Any:
        """A call of ``torch.autograd.grad`` in the function itself: its gradients are values like others."""
        for tensor in tensors_in([args, kwargs]):
            self._recorder.step_of(tensor, site)
        scope, start = self._recorder.tracker.now(), perf_counter()
        result = torch.autograd.grad(*args, **kwargs)
        seconds = perf_counter() - start
        found = [g for g in result if isinstance(g, Tensor)]
        nodes = list(dict.fromkeys([g.grad_fn for g in found if g.grad_fn is not None]))
        if any(
            edge_of(g) in self._recorder.known.edges or edge_of(g) in self._recorder.shares.aliases
            for g in found
            if g.requires_grad
        ):
            raise UnsupportedError("record: autograd.grad gave a value of the function itself back; clone() it")
        if nodes:
            uses = self._region(nodes, None, site)
        else:
            uses = [Use(f"inputs[{i}]", self._recorder.step_of(t), None) for i, t in enumerate(tensors_in([*args]))]
        draft = self._recorder.draft("grad", uses, site, scope, seconds)
        self._recorder.add_results(draft, result if len(found) > 1 else found[0])
        return result
