"""record(): one run of a torch function or module, and of its gradient, as plain data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from torch import Tensor

from ...engine import a_kind, folded, hidden
from ...engine.observe import observe
from ...recording.kept_memory import KeptArrays
from ...recording.model import LEAVES, Recording
from ...recording.raised import CarryUnfinished, Raised
from ..needed import UnsupportedError
from ..run import recorded
from .edges import nodes_between, saved_by
from .inputs import needs_gradient, tensors_in
from .locate import holder_of
from .modules import calls_as_scopes
from .recorder import TorchRecorder
from .refusals import refuse_modified


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
