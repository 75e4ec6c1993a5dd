"""``chainer.reporter``"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ...engine import to_cpu
from ...links import reporter as _reporter
from .variable import as_array

report = _reporter.report


class Reporter(_reporter.Reporter):
    """Collects reported values.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> reporter, model = chainer.Reporter(), object()
    >>> reporter.add_observer("main", model)
    >>> with reporter:
    ...     chainer.report({"loss": 0.5}, model)
    >>> reporter.observation
    {'main/loss': 0.5}
    """

    def __init__(self) -> None:
        super().__init__()
        self.observation: dict[str, Any] = {}
        self._open: list[AbstractContextManager[Any]] = []

    def add_observers(self, prefix: str, observers: Iterable[tuple[str, Any]]) -> None:
        """Register observers, each under ``prefix`` followed by its name."""
        for name, observer in observers:
            self.add_observer(prefix + name, observer)

    @contextmanager
    def scope(self, observation: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Inside a ``with`` block, collect reported values in ``observation``, in place of the reporter's own."""
        before, self.observation = self.observation, observation
        try:
            with super().scope(observation):
                yield observation
        finally:
            self.observation = before

    def hear(self, values: Mapping[str, Any], observer: Any, observation: dict[str, Any]) -> None:
        """Add values to ``observation`` under the observer's name.

        Raises
        ------
        KeyError
            If the observer is not registered.
        """
        if observer is not None and id(observer) not in self._names:
            raise KeyError(f"Reporter: {type(observer).__name__} is no observer; add_observer gives it a name")
        super().hear(values, observer, observation)

    def report(self, values: Mapping[str, Any], observer: Any = None) -> None:
        """Add values to ``observation``."""
        self.hear(values, observer, self.observation)

    def __enter__(self) -> Reporter:
        self._open.append(self.scope(self.observation))
        self._open[-1].__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)


def report_scope(observation: dict[str, Any]) -> AbstractContextManager[Any]:
    """Inside a ``with`` block, collect reported values in another dictionary.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> with chainer.Reporter(), chainer.reporter.report_scope({}) as heard:
    ...     chainer.report({"loss": 0.5})
    >>> heard
    {'loss': 0.5}
    """
    scope: AbstractContextManager[Any] = get_current_reporter().scope(observation)
    return scope


def get_current_reporter() -> Any:
    """The innermost active reporter.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> with chainer.Reporter() as reporter:
    ...     chainer.reporter.get_current_reporter() is reporter
    True
    """
    stack = _reporter._listening.get()
    if not stack:
        raise RuntimeError("get_current_reporter: nobody listens; expected to be inside `with reporter:`")
    return stack[-1][0]


class Summary:
    """The weighted mean of numbers.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> summary = chainer.reporter.Summary()
    >>> summary.add(1.0)
    >>> summary.add(3.0)
    >>> float(summary.compute_mean())
    2.0
    """

    def __init__(self) -> None:
        self._count, self._sum = 0.0, 0.0

    def add(self, value: Any, weight: float = 1) -> None:
        """Add a number with a weight."""
        self._count += weight
        self._sum = self._sum + weight * to_cpu(as_array(value))

    def compute_mean(self) -> Any:
        """The mean so far."""
        return self._sum / self._count


class DictSummary:
    """A `Summary` for each name in dictionaries of numbers.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> summary = chainer.reporter.DictSummary()
    >>> summary.add({"loss": 1.0})
    >>> summary.add({"loss": 2.0})
    >>> float(summary.compute_mean()["loss"])
    1.5
    """

    def __init__(self) -> None:
        self._summaries: dict[str, Summary] = {}

    def add(self, d: Mapping[str, Any]) -> None:
        """Add the numbers of a dictionary; a pair is a number and its weight."""
        for name, value in d.items():
            value, weight = value if isinstance(value, tuple) else (value, 1)
            if getattr(as_array(value), "ndim", 1) == 0:
                self._summaries.setdefault(name, Summary()).add(value, weight)

    def compute_mean(self) -> dict[str, Any]:
        """The means so far, by name."""
        return {name: summary.compute_mean() for name, summary in self._summaries.items()}
