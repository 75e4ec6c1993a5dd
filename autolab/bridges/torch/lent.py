"""Snapshots without copies: the numbers of values computed in the run stay in PyTorch's memory.

This is safe as long as nobody can write to them. Before a PyTorch call changes a value in place or exposes its memory,
its snapshots get copies; after the run, so do those whose memory is still referenced elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, UntypedStorage

from ...recording.arrays import give_own_copy
from ...recording.model import Snapshot
from ..library import Library, LibraryBudget
from .inputs import SAME_DTYPES

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
