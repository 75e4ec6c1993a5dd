"""``chainer.training.updaters``"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from .... import training as _training
from ....shared.state_layout import COUNT
from ... import missing
from ...table import signed
from ..dataset import concat_examples  # noqa: F401  # a default in table.txt
from ..serializers.npz import Serialized


class Updater:
    """Base class of updaters: a subclass defines `update`, and the iteration and epoch it has reached."""

    def connect_trainer(self, trainer: Any) -> None:
        """Called by the trainer that uses the updater."""

    def finalize(self) -> None:
        """Called when a run ends."""

    def get_optimizer(self, name: str) -> Any:
        """The optimizer with this name."""
        raise NotImplementedError(f"{type(self).__name__}: write get_optimizer(self, name)")

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        raise NotImplementedError(f"{type(self).__name__}: write get_all_optimizers(self)")

    @property
    def target(self) -> Any:
        """The model of the main optimizer; without one, the updater itself."""
        found = self.get_all_optimizers()
        return found.get("main", next(iter(found.values()))).target if found else self

    def update(self) -> None:
        """Perform one update."""
        raise NotImplementedError(f"{type(self).__name__}: write update(self)")


class StandardUpdater(_training.StandardUpdater, Updater):
    """The standard update: take the next batch, compute the loss and its gradients, update the parameters.

    An update that fails or is interrupted has no effect, unless `update_core` is overridden.

    Parameters
    ----------
    iterator : iterator, or dict of them
        Epochs are counted by ``main``.
    optimizer : optimizer, or dict of them
    converter : callable
        Converts a list of examples to arrays on a device.
    device : int or str, optional
    loss_func : callable, optional
        Computes the loss from the arrays; by default, the target of the main optimizer.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> data = chainer.datasets.TupleDataset(np.eye(4, dtype=np.float32), np.arange(4))
    >>> model = chainer.links.Classifier(chainer.links.Linear(4))
    >>> optimizer = chainer.optimizers.SGD().setup(model)
    >>> batches = chainer.iterators.SerialIterator(data, 2)
    >>> updater = chainer.training.StandardUpdater(batches, optimizer)
    >>> updater.update()
    >>> updater.iteration
    1
    """

    @signed
    def __init__(self, iterator, optimizer, converter, device, loss_func, auto_new_epoch, *, input_device):
        self._iterators = iterator if isinstance(iterator, Mapping) else {"main": iterator}
        self._optimizers = optimizer if isinstance(optimizer, Mapping) else {"main": optimizer}
        self.converter, self.device = converter, device if input_device is None else input_device
        self.auto_new_epoch, self._made = auto_new_epoch, 0
        main = self._optimizers.get("main") or next(iter(self._optimizers.values()))
        super().__init__(self._iterators["main"], main, loss_func)
        self.loss_func = partial(spread, self.loss_func)
        if device is not None:
            for each in self._optimizers.values():
                each.target.to_device(device)

    @property
    def iteration(self) -> int:
        """The number of updates so far."""
        return self._made if self._is_own else self.optimizer.t

    @property
    def _is_own(self) -> bool:
        return type(self).update_core is not StandardUpdater.update_core

    def update(self) -> None:
        """Perform one update."""
        if self._is_own:
            self.previous_epoch_detail = self.epoch_detail
            self.update_core()
            self._made += 1
        else:
            super().update()
        if self.auto_new_epoch and self.is_new_epoch:
            for optimizer in self._optimizers.values():
                optimizer.new_epoch(auto=True)

    def update_core(self) -> None:
        """The update itself; subclasses may override it, using `get_iterator` and `get_optimizer`."""
        self.optimizer.update(self.loss_func, *self._batch())

    def _batch(self) -> tuple[Any, ...]:
        return (self.converter(super()._batch(), self.device),)

    def get_optimizer(self, name: str) -> Any:
        """The optimizer with this name."""
        return self._optimizers[name]

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        return dict(self._optimizers)

    def _parts(self) -> dict[str, Any]:
        """By Chainer's names, such as ``model:main``: ``load_npz(snapshot, model, path="updater/model:main/")``."""
        links = {f"model:{name}": optimizer.target for name, optimizer in self._optimizers.items()}
        rules = {f"optimizer:{name}": optimizer for name, optimizer in self._optimizers.items()}
        iterators = {
            name: each if hasattr(each, "state") else Serialized(each) for name, each in self._iterators.items()
        }
        return {**links, **rules, **{f"iterator:{name}": each for name, each in iterators.items()}}

    def state(self) -> dict[str, Any]:
        """The state of all parts, and the number of updates."""
        return {**super().state(), "iteration": self.iteration}

    def state_layout(self) -> dict[str, Any]:
        """The shapes and dtypes that `load_state` expects, by name."""
        return {**super().state_layout(), "iteration": COUNT}

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that `load_state` performs."""
        return [*super().planned(state), (self, "_made", int(state["iteration"]))]

    def get_iterator(self, name: str) -> Any:
        """The iterator with this name."""
        return self._iterators[name]

    def finalize(self) -> None:
        """Called when a run ends."""
        for iterator in self._iterators.values():
            iterator.finalize()


def spread(function: Callable[..., Any], batch: Any) -> Any:
    """Call ``function`` with the arrays of a batch: those of a tuple by position, those of a dictionary by name."""
    if isinstance(batch, tuple):
        return function(*batch)
    return function(**batch) if isinstance(batch, dict) else function(batch)


__getattr__ = missing(__name__)
