"""``chainer.training.extensions``"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ....engine import no_grad, test_mode
from ....links import Link
from ....shared.files import write
from ....training import extensions as _extensions
from ...table import fill, signed
from ..computational_graph import build_computational_graph
from ..dataset import concat_examples  # noqa: F401  # a default in table.txt
from ..reporter import DictSummary, Reporter, report, report_scope
from ..serializers import save_npz  # noqa: F401  # for table.txt
from ._shifts import *  # noqa: F403
from .extension import PRIORITY_SNAPSHOT, Extension
from .updaters import spread


class Evaluator(Extension):
    """Evaluates a model on a dataset in test mode after each epoch; reports the means as ``validation/...``.

    Parameters
    ----------
    iterator : iterator, or dict of them
    target : Link, or dict of them
    converter : callable
    device : int or str, optional
    eval_hook : callable, optional
        Called with the evaluator before each evaluation.
    eval_func : callable, optional
        Called with the arrays of a batch; by default, the main target.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> data = chainer.datasets.TupleDataset(np.eye(4, dtype=np.float32), np.arange(4))
    >>> batches = chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False)
    >>> model = chainer.links.Classifier(chainer.links.Linear(4))
    >>> sorted(chainer.training.extensions.Evaluator(batches, model)())
    ['main/accuracy', 'main/loss']
    """

    trigger = (1, "epoch")
    priority = Extension.WRITER
    default_name = "validation"

    @signed
    def __init__(self, iterator, target, converter, device, eval_hook, eval_func):
        self._iterators = iterator if isinstance(iterator, Mapping) else {"main": iterator}
        self._targets: Mapping[str, Link] = target if isinstance(target, Mapping) else {"main": target}
        self.converter, self.device, self.eval_hook, self.eval_func = converter, device, eval_hook, eval_func

    def get_iterator(self, name: str) -> Any:
        """The iterator with this name."""
        return self._iterators[name]

    def get_all_iterators(self) -> dict[str, Any]:
        """All iterators by name."""
        return dict(self._iterators)

    def get_target(self, name: str) -> Any:
        """The link with this name."""
        return self._targets[name]

    def get_all_targets(self) -> dict[str, Any]:
        """All links by name."""
        return dict(self._targets)

    def __call__(self, trainer: Any = None) -> Any:
        """Evaluate the model and report the means."""
        name = self.name or (None if trainer is None else self.default_name)
        reporter, prefix = Reporter(), "" if name is None else f"{name}/"
        for name, target in self._targets.items():
            reporter.add_observer(prefix + name, target)
        with reporter, test_mode():
            found = self.evaluate()
        if trainer is not None:
            report(found)
        return found

    def evaluate(self) -> dict[str, Any]:
        """The means, over all batches, of the values reported to the current reporter."""
        if self.eval_hook is not None:
            self.eval_hook(self)
        iterator = self._iterators["main"]
        if hasattr(iterator, "reset"):
            iterator.reset()
        batches = iterator if hasattr(iterator, "reset") else copy.copy(iterator)
        if getattr(batches, "repeat", False):
            raise ValueError("Evaluator: the iterator repeats without an end; make it with repeat=False")
        summary, function = DictSummary(), self.eval_func or self._targets["main"]
        for batch in batches:
            heard: dict[str, Any] = {}
            with no_grad(), report_scope(heard):
                spread(function, self.converter(batch, self.device))
            summary.add(heard)
        return summary.compute_mean()


class _Snapshot(Extension):
    priority = PRIORITY_SNAPSHOT
    trigger = (1, "epoch")

    def __init__(self, save: Callable[[str, Any], Any], target: Any, filename: Any, name: str) -> None:
        self._save, self._target, self._filename, self.name = save, target, filename, name

    def __call__(self, trainer: Any) -> None:
        target = trainer if self._target is None else self._target
        name = self._filename(trainer) if callable(self._filename) else self._filename.format(trainer)
        trainer.out.mkdir(parents=True, exist_ok=True)
        self._save(str(trainer.out / name), target)


class DumpGraph(Extension):
    """Writes the graph of the model's loss once, in Graphviz's DOT language."""

    default_name = "dump_graph"

    def __init__(self, root_name: str, filename: str | None = None, **options: Any) -> None:
        self._root, self._filename = root_name, filename or options.get("out_name", "cg.dot")

    def initialize(self, trainer: Any) -> None:
        """Does nothing: the graph is taken from the model's loss."""

    def __call__(self, trainer: Any) -> None:
        """Write the file, unless it has been written."""
        prefix, _, name = self._root.rpartition("/")
        optimizer, path = trainer.updater.get_all_optimizers().get(prefix), trainer.out / self._filename
        loss = None if optimizer is None else getattr(optimizer.target, name, None)  # observations are numbers
        if loss is not None and not path.exists():
            trainer.out.mkdir(parents=True, exist_ok=True)
            write(path, build_computational_graph([loss]).dump())


dump_graph = DumpGraph


class FailOnNonNumber(Extension):
    """Raises a RuntimeError if a parameter has become NaN or infinite."""

    trigger = (1, "iteration")

    def __call__(self, trainer: Any) -> None:
        """Check all parameters."""
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            for path, parameter in optimizer.target.namedparams(include_uninit=False):
                if not parameter.xp.isfinite(parameter.data).all():
                    raise RuntimeError(f"FailOnNonNumber: {name}{path} holds NaN or infinite numbers")


class _Observed(Extension):
    priority, trigger = Extension.WRITER, (1, "epoch")

    def __init__(self, key: str, function: Callable[[Any], Any]) -> None:
        self._key, self._function = key, function

    def __call__(self, trainer: Any) -> None:
        report({self._key: self._function(trainer)})


# ---------------------------------------------------------------------- showing reports
class LogReport(_extensions.LogReport):
    """Collects observations and writes their means to a JSON file.

    Parameters
    ----------
    keys : sequence of str, optional
    trigger : pair or callable
        When to write an entry of the log.
    postprocess : callable, optional
        Called with each entry, which it may change.
    filename : str
        A file in the trainer's folder; also accepted as ``log_name``.
    """

    default_name = "LogReport"

    @signed
    def __init__(self, keys, trigger, postprocess, filename, log_name):
        super().__init__(keys, trigger, filename or log_name)
        self._postprocess, self._processed = postprocess, 0

    def __call__(self, trainer: Any) -> None:
        """Collect the observation; write an entry if the trigger fires."""
        super().__call__(trainer)
        if self._postprocess is not None:
            for line in self.log[self._processed :]:
                self._postprocess(line)
            self._processed = len(self.log)


class PrintReport(_extensions.PrintReport):
    """Prints selected entries of a `LogReport` as columns."""

    default_name = "PrintReport"

    def __init__(self, entries: Any, log_report: Any = "LogReport", out: Any = None) -> None:
        super().__init__(entries, log_report, out)


class ProgressBar(_extensions.ProgressBar):
    """Shows a progress bar with the iterations done and the time left."""

    @signed
    def __init__(self, update_interval, out):
        super().__init__(update_interval, file=sys.stdout if out is None else out)


class PlotReport(_extensions.PlotReport):
    """Plots entries of the log as curves, into an SVG file whatever the extension of its name.

    It uses the trainer's `LogReport`, and thus its ``trigger``; the curves are drawn as AutoLab draws them.
    """

    @signed
    def __init__(self, y_keys, x_key, filename, file_name):
        entries = [y_keys] if isinstance(y_keys, str) else y_keys
        super().__init__(entries, x_key, filename=(filename or file_name).rpartition(".")[0] + ".svg")

    @staticmethod
    def available() -> bool:
        """Whether plots can be drawn: always, since no library is needed."""
        return True


__getattr__ = fill(__name__)
