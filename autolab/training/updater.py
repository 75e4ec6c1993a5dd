"""StandardUpdater: performs one update, completely or not at all; `Trainer` calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..data.iterators import SerialIterator
from ..engine import a_kind, config, publish, takes_other_words
from ..links import Link
from ..optimizers import Optimizer
from ..shared.state_layout import NUMBER, TEXT, Slot, generator_state, generator_store, is_handed_over, layout_of, under
from ..transforms.compiling import compile as compiled


class StandardUpdater:
    """One step of training: takes the next batch, computes its loss and the gradients, and updates the parameters.

    An update that fails or is interrupted is undone: parameters, the optimizer's state, buffers such as running means,
    the position in the dataset and the random generators are restored. The generators are ``config.rng``, and those
    that the iterator, the links and the optimizer's hooks have as ``rng``. Repeating the call then gives the result
    that it would have given.

    Parameters
    ----------
    iterator : SerialIterator
    optimizer : Optimizer
        After its `setup`.
    loss_func : callable, optional
        Maps the parts of a batch to a loss; by default the optimizer's target.
    compile : bool
        Let `autolab.compile` trace an update once and then run it without the overhead of Python; the results are the
        same, bit for bit.

    Attributes
    ----------
    iteration : int
        Number of updates that the optimizer has made.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers, training
    >>> from autolab.data import SerialIterator, get_digits
    >>> train, _ = get_digits()
    >>> batches = SerialIterator(train, batch_size=100, rng=np.random.default_rng(0))
    >>> optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((10,))))
    >>> updater = training.StandardUpdater(batches, optimizer)
    >>> updater.update()
    >>> updater.iteration
    1
    """

    @takes_other_words
    def __init__(
        self,
        iterator: SerialIterator,
        optimizer: Optimizer,
        loss_func: Callable[..., Any] | None = None,
        compile: bool = False,
    ) -> None:
        if type(compile) is not bool:
            raise TypeError(f"StandardUpdater: compile is {compile!r:.60}; expected True or False")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"StandardUpdater: optimizer is {a_kind(optimizer)}; expected an Optimizer")
        if optimizer.target is None:
            raise RuntimeError("StandardUpdater: the optimizer has no model; call optimizer.setup(model) first")
        if not hasattr(iterator, "epoch_detail"):
            raise TypeError(
                f"StandardUpdater: iterator is {a_kind(iterator)}; expected an iterator, such as "
                "SerialIterator(dataset, batch_size)"
            )
        self.iterator, self.optimizer = iterator, optimizer
        self.loss_func = loss_func or optimizer.target
        self._compiled = compiled(partial(optimizer.update, self.loss_func)) if compile else None
        self.previous_epoch_detail = iterator.epoch_detail

    @property
    def target(self) -> Link:
        """The model."""
        target = self.optimizer.target
        assert target is not None  # the constructor has checked it
        return target

    @property
    def iteration(self) -> int:
        """Number of updates that the optimizer has made."""
        return self.optimizer.t

    @property
    def epoch(self) -> int:
        """Number of completed passes through the data."""
        return self.iterator.epoch

    @property
    def epoch_detail(self) -> float:
        """The same, including the fraction of the current pass."""
        return self.iterator.epoch_detail

    @property
    def is_new_epoch(self) -> bool:
        """Whether the last update completed a pass."""
        return self.iterator.is_new_epoch

    def update(self) -> None:
        """Perform one update."""
        t, undo = self.iteration, self._undo()
        try:
            self.previous_epoch_detail = self.iterator.epoch_detail
            batch = self._batch()
            if self._compiled is None:
                self.optimizer.update(self.loss_func, *batch)
            else:
                self._compiled(*batch)
        except BaseException:
            if self.iteration == t:
                undo()
            raise

    def _batch(self) -> tuple[Any, ...]:
        try:
            return next(self.iterator)
        except StopIteration:
            who = "StandardUpdater.update"
            raise RuntimeError(f"{who}: the iterator has no batches left; create it with repeat=True") from None

    def _undo(self) -> Callable[[], None]:
        """A function that restores everything that an update changes before the parameters."""
        iterator = self.iterator
        stores: list[tuple[Any, str, Any]] = [(iterator, name, value) for name, value in vars(iterator).items()]
        stores.append((self, "previous_epoch_detail", self.previous_epoch_detail))
        links = list(self.target.links())
        stores += [(rng.bit_generator, "state", rng.bit_generator.state) for rng in self._generators(links)]
        stores += [(p, "_data", p._data) for p in self.target.params() if not p.is_initialized]  # it is drawn meanwhile
        for link in links:  # buffers may be changed in place
            stores += [(link, name, value.copy()) for name, value in link._own("buffer")]
        return partial(publish, stores)

    def _generators(self, links: Iterable[Link]) -> list[np.random.Generator]:
        """The generators that an update may draw from: ``config.rng`` first, then the others, each once."""
        holders = [self.iterator, *links, *self.optimizer._hooks.values()]
        own = [getattr(holder, "__dict__", {}).get("rng") for holder in holders]  # a link answers to unknown names, too
        return list({id(rng): rng for rng in [config.rng, *own] if isinstance(rng, np.random.Generator)}.values())

    # ------------------------------------------------------------------ state
    def _parts(self) -> dict[str, Any]:
        """The objects that have a state of their own, by name."""
        return {"model": self.target, "optimizer": self.optimizer, "iterator": self.iterator}

    def _named_generators(self) -> dict[str, np.random.Generator]:
        """The generators whose states are not part of the iterator's, by name."""
        first, *others = self._generators(self.target.links())
        own = getattr(self.iterator, "rng", None)
        return {"rng": first} | {f"rng_{i}": rng for i, rng in enumerate(others) if rng is not own}

    def state(self) -> dict[str, Any]:
        """The state of model, optimizer, iterator and generators, by name."""
        found: dict[str, Any] = {name: generator_state(rng) for name, rng in self._named_generators().items()}
        found["previous_epoch_detail"] = self.previous_epoch_detail
        for name, part in self._parts().items():
            found |= with_prefix(name, part.state())
        return found

    def state_layout(self) -> dict[str, Slot]:
        """The shape and dtype that `load_state` expects for each name."""
        found = {**dict.fromkeys(self._named_generators(), TEXT), "previous_epoch_detail": NUMBER}
        for name, part in self._parts().items():
            found |= under(name, layout_of(part))
        return found

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Load the state of another updater, created by the same code; on an error nothing changes."""
        publish(self.planned(state))

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that `load_state` would make; raises the same errors."""
        generators = self._named_generators()
        for name in (*generators, "previous_epoch_detail"):
            if name not in state:
                raise ValueError(f"StandardUpdater.load_state: {name!r} is missing; nothing was loaded")
        stores = [store for name, part in self._parts().items() for store in part.planned(SubState(name, state))]
        stores += [generator_store(rng, state[name]) for name, rng in generators.items()]
        return [*stores, (self, "previous_epoch_detail", float(state["previous_epoch_detail"]))]


class SubState(Mapping[str, Any]):
    """The entries of ``state`` under ``part/``, without that prefix; values are read only on access."""

    def __init__(self, part: str, state: Mapping[str, Any]) -> None:
        self._prefix, self._state = f"{part}/", state
        self.handed_over = is_handed_over(state)
        self._names = {name.removeprefix(self._prefix): name for name in state if name.startswith(self._prefix)}

    def __getitem__(self, name: str) -> Any:
        return self._state[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def with_prefix(part: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """``state`` with ``part/`` prepended to its names."""
    return {f"{part}/{name}": value for name, value in state.items()}
