"""record(): one run of a torch function or module, and of its gradient, as plain data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal, cast

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...engine import a_kind, folded, hidden
from ...engine.observe import observe
from ...recording.drafts import Draft, Use
from ...recording.kept_memory import KeptArrays
from ...recording.model import LEAVES, Recording
from ...recording.raised import CarryUnfinished, Raised
from ..needed import UnsupportedError
from ..run import recorded
from . import refusals
from .edges import Edge, edge_of, nodes_between, saved_by
from .inputs import exchanged, needs_gradient, tensors_in
from .locate import Site, holder_of
from .modules import calls_as_scopes
from .refusals import refuse_call, refuse_change, refuse_modified, refuse_transformed
from .steps import TorchSteps

# TorchRecorder: intercepts the PyTorch calls that the user wrote, and turns them into steps.


@dataclass(eq=False)
class TorchRecorder(TorchSteps, TorchFunctionMode):
    """Collects the steps of one run, as a PyTorch function mode.

    A call is a step if one of its tensors is one, or needs a gradient: a value computed only from constants is a
    constant at its first use.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.check()
        if refusals.is_property(func):
            return func(*args, **kwargs)
        tensors = list(tensors_in([args, kwargs]))
        refuse_transformed(tensors)
        if refusals.gives_memory_away(func, args, kwargs):
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
        changed = refusals.changed_in_place(func, args, kwargs)
        if changed is not None:
            refuse_change(changed, func)
        written = {label: value for label, value in kwargs.items() if label == "out"}  # no operand
        kwargs = {label: value for label, value in kwargs.items() if label not in written}
        for tensor in tensors_in([args, kwargs]):
            self.step_of(tensor, site)
        uses, fill = self._uses(func, changed)
        given = [fill(label, value) for label, value in zip(refusals.labels(func, args), args, strict=True)]
        named = {label: fill(label, value) for label, value in kwargs.items()} | written
        before = None if changed is None else edge_of(changed)
        versions = [(t, t._version) for t in tensors_in([args, kwargs]) if t is not changed and t.requires_grad]
        start = perf_counter()
        result = self._result(func, given, named)
        draft = self.called(refusals.name_of(func), uses, site, perf_counter() - start)
        draft.attributes = refusals.attributes(func, refusals.arguments(func, args, kwargs))
        if refusals.is_reversed(func) and len(uses) == 2:
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
        how = refusals.leaves_graph(func, result)
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
            text = refusals.constant_text(func, value)
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
        if refusals.is_reversed(func):
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


@dataclass(eq=False)
class TorchRun(TorchRecorder):
    """A run. ``outputs`` are the tensors that the function returned, until the run ends."""

    frees_early = True
    outputs: tuple[Tensor, ...] = ()

    def record(self) -> Recording:
        """Run forward and backward."""
        if torch.is_inference_mode_enabled():
            raise UnsupportedError(f"{self.inputs.caller}: there are no gradients under torch.inference_mode()")
        self.begin(sys._getframe())
        try:
            self.follow()
            with self._carried("backward"):
                recording = self._finish()
        finally:
            self.shares.close()
        self.outputs = ()
        self.forget()
        self.kept.settle()
        return recording

    def follow(self) -> None:
        """Run the function and its backward pass."""
        leaves = self.inputs.leaves(self.values)
        for name, tensor in leaves.items():
            self.add_leaf(tensor, "input", name)
        with self._carried("forward"):
            self.outputs = self._outputs(self._forward(leaves))
        with self._carried("backward"):
            self._backward()

    def _carried(self, phase: Literal["forward", "backward"]) -> CarryUnfinished:
        return CarryUnfinished(cast(Any, self), phase)

    def _forward(self, leaves: dict[str, Tensor]) -> Any:
        root = self.inputs.module if self.inputs.fn is self.inputs.module else None
        try:
            with (
                torch.enable_grad(),
                observe(lambda event: None),  # enables `autolab.named_scope`
                calls_as_scopes(self.names, root, holder_of),
                self,
            ):
                return self.inputs.call(leaves)
        finally:
            self.tracker.close()

    def _outputs(self, returned: Any) -> tuple[Tensor, ...]:
        found = tuple(tensors_in(returned))
        if not found:
            hint = ": is a return missing?" if returned is None else ""
            raise TypeError(
                f"{self.inputs.caller}: {self.inputs.name} returned {a_kind(returned)}; expected a tensor, or a tuple, "
                f"list or dict of tensors{hint}"
            )
        return found

    def _backward(self) -> None:
        outputs = [(self.step_of(y), y) for y in self.outputs]
        starts = self.starts(self.outputs)
        self._tell_kept()
        try:
            self.upstream_kept = self.shares.run(outputs, starts, self.leaves)
        except RuntimeError as error:
            refuse_modified(error)
            raise

    def _tell_kept(self) -> None:
        """Note in the drafts what their nodes keep; must precede the backward pass, which frees it."""
        tensors, known = self.known.tensors(), self.edges
        kept = KeptArrays(_storage, [tensor for step, tensor in tensors if self.drafts[step].kind in LEAVES])
        for (result, _), step in self.known.edges.items():  # also of values that were changed in place since
            if self.drafts[step].kind not in LEAVES:
                nodes = nodes_between([result], known)
                self.drafts[step].keeps = kept.told([saved for node in nodes for saved in saved_by(node)])

    # ------------------------------------------------------------------ the result; also of a run that was ended
    def step_at(self, node: Any) -> None:
        """The nodes of autograd's graph have no known steps."""

    def unfinished(self, raised: Raised) -> Recording:
        """The recording of a run that was ended early."""
        self.raised = raised
        self.kept.stop()  # the traceback references the run's tensors
        return self._finish()

    def _finish(self) -> Recording:
        """The recording, which bridges/run.py makes from the drafts."""
        is_ended = self.raised is not None and self.raised.phase == "forward"
        outputs = [] if is_ended else [self.step_of(y) for y in self.outputs]
        return self.recording(outputs, is_ended or any(needs_gradient(y) for y in self.outputs))


def _storage(tensor: Tensor) -> tuple[Any, int]:
    parts = [tensor] if tensor.layout == torch.strided else _parts_of(tensor)
    storages = [part.untyped_storage() for part in parts]
    return (str(tensor.device), storages[0].data_ptr()), sum([storage.nbytes() for storage in storages])


def _parts_of(sparse: Tensor) -> list[Tensor]:
    """The values of a sparse tensor, and the tensors that say where they are."""
    if sparse.layout == torch.sparse_coo:
        return [sparse._values(), sparse._indices()]
    by_row = sparse.layout in (torch.sparse_csr, torch.sparse_bsr)
    at = [sparse.crow_indices(), sparse.col_indices()] if by_row else [sparse.ccol_indices(), sparse.row_indices()]
    return [sparse.values(), *at]


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run a torch function or module on its inputs, then its gradient, and return every step of both as plain data.

    Steps are the PyTorch calls of the function: ``x @ w``, ``F.relu(h)``, ``h.sum()``. Every number is PyTorch's own:
    values, the gradient of every value, and each use's share of it. Parameters have their names, and modules are
    scopes. No ``.grad`` attribute is changed.

    Parameters
    ----------
    fn : callable or torch.nn.Module
        Takes tensors, and returns a tensor or a tuple, list or dict of tensors.
    *args, **inputs
        Its arguments, bound by its signature. Tensors and NumPy arrays, including those in tuples, lists and dicts, are
        the inputs; floating-point inputs get a gradient, whether or not they require one. They are copied. Anything
        else is passed on unchanged.
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
        If the inputs do not fit the signature, or ``fn`` returns no tensor.
    UnsupportedError
        If a number could differ from PyTorch's: a view that is written to, a value changed in place that a gradient
        needs, compiled code, ``vmap``, hooks that may change gradients. The message gives the reason.

    Examples
    --------
    >>> import torch
    >>> from autolab.bridges.torch import record
    >>> def loss(x, w):
    ...     h = x @ w
    ...     return (h * h).sum()
    >>> recording = record(loss, torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0]))
    >>> [step.name or step.function for step in recording.steps], recording["h"].grad.values.item()
    (['x', 'w', 'h', 'mul', 'sum'], 2.0)
    """
    __tracebackhide__ = hidden()
    with folded():
        return recorded(TorchRun, fn, args, inputs, options)
