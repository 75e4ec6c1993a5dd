"""What autograd keeps for the backward pass: the tensors that the nodes of its graph have saved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from torch import Tensor

from ...recording.kept_memory import KeptArrays
from ...recording.model import LEAVES
from .edges import nodes_between
from .tensors import tensors_in

if TYPE_CHECKING:
    from .recorder import TorchRecorder


def tell_kept(recorder: TorchRecorder) -> None:
    """Let the drafts of a recorder know what their nodes keep; before the backward pass, which lets go of it."""
    tensors, known = recorder.known.tensors(), {**recorder.known.edges, **recorder.shares.aliases}
    kept = KeptArrays(_storage, [tensor for step, tensor in tensors if recorder.drafts[step].kind in LEAVES])
    for step, tensor in tensors:
        if tensor.grad_fn is not None and recorder.drafts[step].kind not in LEAVES:
            nodes = nodes_between(tensor.grad_fn, known)
            recorder.drafts[step].keeps = kept.told([saved for node in nodes for saved in saved_by(node)])


def _storage(tensor: Tensor) -> tuple[Any, int]:
    storage = tensor.untyped_storage()
    return (str(tensor.device), storage.data_ptr()), storage.nbytes()


def saved_by(node: Any) -> Iterator[Tensor]:
    """The tensors that a node keeps for its gradient, as long as they are there."""
    kind: Any = type(node)
    for name in _names(kind):
        try:
            yield from tensors_in([getattr(node, name)])
        except RuntimeError:  # changed in place, as backward says, or freed by it
            continue


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple([name for name in dir(kind) if name.startswith("_saved_") or name == "saved_tensors"])
