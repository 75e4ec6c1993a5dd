"""Evaluator: how well the model does on data that it is not trained on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ...data.iterators import SerialIterator
from ...engine import a_kind, no_grad, test_mode
from ...links import Link
from ...links.reporter import Reporter, report
from ..trainer import Trainer
from ..triggers import Extension


class Evaluator(Extension):
    """At the end of each epoch, run the model over a dataset in test mode and report the means as ``validation/...``.

    Dropout and batch normalization are in test mode automatically, and no graph is recorded.

    Parameters
    ----------
    iterator : SerialIterator
        With ``repeat=False``. Each evaluation starts at the beginning of its dataset.
    target : Link
        The model.
    eval_func : callable, optional
        Called with the parts of each batch; reports what to average. By default ``target``.
    prefix : str
        Prefix of the names of the means.

    Examples
    --------
    >>> from autolab import links as L
    >>> from autolab.data import SerialIterator, get_iris
    >>> from autolab.training.extensions import Evaluator
    >>> train, test = get_iris()
    >>> evaluator = Evaluator(SerialIterator(test, 10, repeat=False, shuffle=False), L.Classifier(L.MLP((3,))))
    >>> sorted(evaluator.evaluate())
    ['main/accuracy', 'main/loss']
    """

    trigger = (1, "epoch")
    priority = Extension.WRITER

    def __init__(
        self,
        iterator: SerialIterator,
        target: Link,
        eval_func: Callable[..., Any] | None = None,
        prefix: str = "validation",
    ) -> None:
        if not hasattr(iterator, "repeat"):
            raise TypeError(
                f"Evaluator: iterator is {a_kind(iterator)}; expected an iterator, such as "
                "SerialIterator(dataset, batch_size, repeat=False)"
            )
        if iterator.repeat:
            raise ValueError("Evaluator: the iterator repeats without an end; make it with repeat=False")
        if not isinstance(target, Link):
            raise TypeError(f"Evaluator: target is {a_kind(target)}; expected a Link")
        self.iterator, self.target, self.prefix = iterator, target, prefix
        self.eval_func = eval_func or target

    def evaluate(self) -> dict[str, float]:
        """The mean of each reported value, over the examples of the batches that report it."""
        batches = copy.copy(self.iterator)
        batches.reset()
        reporter = Reporter()
        reporter.add_observer("main", self.target)
        sums: dict[str, tuple[float, int]] = {}
        with no_grad(), test_mode():
            for batch in batches:
                heard: dict[str, Any] = {}
                with reporter.scope(heard):
                    self.eval_func(*batch)
                size = len(batch[0])
                for name, value in heard.items():
                    total, count = sums.get(name, (0.0, 0))
                    sums[name] = total + size * float(value), count + size
        return {name: total / count for name, (total, count) in sums.items()}

    def __call__(self, trainer: Trainer) -> None:
        report({f"{self.prefix}/{name}": value for name, value in self.evaluate().items()})
