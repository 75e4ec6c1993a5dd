"""Iterators: batches of a dataset, in order or shuffled, with a state from which training can resume."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Self

import numpy as np

from ..engine import a_kind, check_rng, check_whole, config, publish
from ..shared.state_layout import COUNT, TEXT, TRUTH, Slot, generator_state, generator_store
from .dataset import TupleDataset, batch_of, by_place


class SerialIterator:
    """Iterates over the batches of a dataset, endlessly or for one epoch.

    Parameters
    ----------
    dataset
        With ``len``, and examples by index.
    batch_size : int
        Number of examples in a batch.
    repeat : bool
        With True epochs follow each other without end, and every batch is full: a batch may span the end of an epoch
        and the beginning of the next. With False, `next` raises StopIteration after one epoch, whose last batch may be
        smaller.
    shuffle : bool
        Draw a new order for each epoch. With False, batches of arrays are slices, which are views and not copies.
    rng : numpy.random.Generator, optional
        Draws the orders; by default ``config.rng``.

    Attributes
    ----------
    epoch : int
        Number of completed epochs.
    is_new_epoch : bool
        Whether the last batch completed an epoch.
    epoch_detail : float
        ``epoch`` plus the completed fraction of the current one.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import SerialIterator, TupleDataset
    >>> batches = SerialIterator(TupleDataset(np.arange(5)), batch_size=2, repeat=False, shuffle=False)
    >>> [batch[0].tolist() for batch in batches]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool = True,
        rng: np.random.Generator | None = None,
    ) -> None:
        _check(type(self).__name__, dataset, batch_size, rng)
        self.dataset, self.batch_size, self.repeat, self.shuffle = by_place(dataset), int(batch_size), repeat, shuffle
        self.rng = rng
        self.reset()

    def reset(self) -> None:
        """Start over, with a new order if shuffled."""
        self.epoch, self.position, self.is_new_epoch = 0, 0, False
        self.order = self._drawn()

    def _drawn(self) -> np.ndarray:
        n = len(self.dataset)
        return (config.rng if self.rng is None else self.rng).permutation(n) if self.shuffle else np.arange(n)

    @property
    def epoch_detail(self) -> float:
        """Number of completed epochs, plus the completed fraction of the current one."""
        return self.epoch + self.position / len(self.order)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, ...]:
        """The next batch: a tuple with one array for each part of an example."""
        n, start = len(self.order), self.position
        if not self.repeat and self.epoch > 0:
            raise StopIteration
        end = start + self.batch_size
        if end < n or (end == n or not self.repeat):
            batch, complete = self._batch(start, min(end, n)), end >= n
            order, position = (self._drawn(), 0) if complete and self.repeat else (self.order, min(end, n) % n)
        else:
            batch, order, position = self._over_the_end(start, end)
            complete = True
        epoch = self.epoch + complete * max(1, end // n if self.repeat else 1)
        values = {"order": order, "position": position, "epoch": epoch, "is_new_epoch": complete}
        publish([(self, name, value) for name, value in values.items()])
        return batch

    next = __next__

    def _batch(self, start: int, end: int) -> tuple[Any, ...]:
        if isinstance(self.dataset, TupleDataset) and not self.shuffle:
            return self.dataset[start:end]
        return batch_of(self.dataset, self.order[start:end])

    def _over_the_end(self, start: int, end: int) -> tuple[tuple[Any, ...], np.ndarray, int]:
        """A batch that spans the ends of one or more epochs, and the new order and position."""
        n, numbers, order = len(self.order), [self.order[start:]], self.order
        missing = end - n
        while missing > 0:
            order = self._drawn()
            numbers.append(order[:missing])
            missing -= n
        position = missing + n
        if position == n:
            order, position = self._drawn(), 0
        return batch_of(self.dataset, np.concatenate(numbers)), order, position

    # ------------------------------------------------------------------ state
    def state(self) -> dict[str, Any]:
        """The position and the order, and the state of the iterator's own generator if it has one, by name."""
        found = {name: getattr(self, name) for name in ("epoch", "position", "is_new_epoch", "order")}
        return found if self.rng is None else {**found, "rng": generator_state(self.rng)}

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name."""
        order = Slot((len(self.dataset),), np.dtype(np.int64))
        found = {"epoch": COUNT, "position": COUNT, "is_new_epoch": TRUTH, "order": order}
        return found if self.rng is None else {**found, "rng": TEXT}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load the state of another iterator over the same dataset; on an error nothing changes."""
        publish(self.planned(state))

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that `load_state` would make; raises the same errors."""
        who = f"{type(self).__name__}.load_state"
        expected = set(self.state())
        if set(state) != expected:
            raise ValueError(f"{who}: got {sorted(state)!s:.100}; expected {sorted(expected)}; nothing was loaded")
        order, position = np.array(state["order"], np.int64), int(state["position"])
        if sorted(order.tolist()) != list(range(len(self.dataset))) or not 0 <= position < len(order):
            raise ValueError(
                f"{who}: the order is not a permutation of {len(self.dataset)} examples; nothing was loaded"
            )
        values = {"order": order, "position": position, "epoch": int(state["epoch"])}
        stores: list[tuple[Any, str, Any]] = [(self, name, value) for name, value in values.items()]
        stores.append((self, "is_new_epoch", bool(state["is_new_epoch"])))
        return stores if self.rng is None else [*stores, generator_store(self.rng, state["rng"])]


def _check(who: str, dataset: Any, batch_size: Any, rng: Any) -> None:
    """Raise an error that names ``who`` if these arguments cannot give batches."""
    check_whole(who, "batch_size", batch_size, 1)
    if isinstance(dataset, tuple) and all([isinstance(part, np.ndarray) for part in dataset]):
        raise TypeError(f"{who}: dataset is a tuple of arrays; expected examples: TupleDataset(*arrays)")
    if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
        raise TypeError(f"{who}: dataset is {a_kind(dataset)}; expected examples by index, such as TupleDataset(x, t)")
    if len(dataset) == 0:
        raise ValueError(f"{who}: the dataset is empty")
    check_rng(who, rng)


class DataLoader:
    """The batches of a dataset, as in PyTorch: each loop over it is one epoch. Unlike there, it shuffles by default.

    Loops are independent of each other, even if nested, and of ``next(loader)``. As in `SerialIterator`, unshuffled
    batches of a `TupleDataset` are slices of its arrays: copy them before changing them in place.

    Parameters
    ----------
    dataset
        With ``len``, and examples by index.
    batch_size : int
        Number of examples in a batch; the last one of an epoch may be smaller.
    shuffle : bool
        Draw a new order for each epoch; False keeps the order of the dataset.
    rng : numpy.random.Generator, optional
        Draws the orders; by default ``config.rng``.
    drop_last : bool
        Drop a smaller last batch.
    collate_fn : callable, optional
        Turns a list of examples into a batch; by default as `concat_examples`.
    **settings
        PyTorch's ``num_workers``, ``pin_memory`` and ``persistent_workers`` are accepted, and have no effect.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import DataLoader, TupleDataset
    >>> loader = DataLoader(TupleDataset(np.arange(5), np.arange(5) % 2), batch_size=2, shuffle=False)
    >>> len(loader), [t.tolist() for x, t in loader]
    (3, [[0, 1], [0, 1], [0]])
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = True,
        rng: np.random.Generator | None = None,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        **settings: Any,
    ) -> None:
        if unknown := sorted(settings.keys() - {"num_workers", "pin_memory", "persistent_workers"}):
            raise TypeError(
                f"DataLoader: got {', '.join(unknown):.80}; expected dataset, batch_size, shuffle, drop_last"
            )
        self.drop_last, self.collate_fn = drop_last, collate_fn
        _check(type(self).__name__, dataset, batch_size, rng)
        self.dataset, self.batch_size, self.shuffle, self.rng = by_place(dataset), int(batch_size), shuffle, rng
        self._under_way: Iterator[tuple[Any, ...]] | None = None

    def __len__(self) -> int:
        return len(self.dataset) // self.batch_size if self.drop_last else -(-len(self.dataset) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over one epoch."""
        collate, dataset = self.collate_fn, self.dataset
        drawn = dataset if collate is None else range(len(dataset))
        batches = SerialIterator(drawn, self.batch_size, repeat=False, shuffle=self.shuffle, rng=self.rng)
        some = islice(batches, len(self)) if self.drop_last else batches
        return some if collate is None else (collate([dataset[int(i)] for i in numbers]) for (numbers,) in some)

    def __next__(self) -> tuple[Any, ...]:
        if self._under_way is None:
            self._under_way = iter(self)
        try:
            return next(self._under_way)
        except StopIteration:
            self.reset()
            raise

    def next(self) -> tuple[Any, ...]:
        """The next batch; raises StopIteration at the end of an epoch."""
        return self.__next__()

    def reset(self) -> None:
        """Let `next` start a new epoch."""
        self._under_way = None
