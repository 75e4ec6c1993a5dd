"""report(): how a model reports values such as its loss."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from ..engine import a_kind, to_cpu


class Reporter:
    """Collects the values given to `report` inside ``with reporter.scope(observation):`` under their full names.

    `add_observer` names objects; values from any other object are prefixed with the name of its class.

    Examples
    --------
    >>> from autolab.links.reporter import Reporter, report
    >>> reporter, model = Reporter(), object()
    >>> reporter.add_observer("main", model)
    >>> heard = {}
    >>> with reporter.scope(heard):
    ...     report({"loss": 0.5}, model)
    >>> heard
    {'main/loss': 0.5}
    """

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._held: list[object] = []  # keeps them alive, so that no other object gets the same identity

    def add_observer(self, name: str, observer: Any) -> None:
        """Give ``observer`` this name, and the links inside their paths below it."""
        self._held.append(observer)
        self._names[id(observer)] = name
        for path, link in observer.namedlinks(skipself=True) if hasattr(observer, "namedlinks") else ():
            self._names[id(link)] = name + path

    def scope(self, observation: dict[str, Any]) -> AbstractContextManager[dict[str, Any]]:
        """Collect in ``observation`` what this thread, or asyncio task, reports inside the block."""
        return _ObservationScope(self, observation)

    def hear(self, values: Mapping[str, Any], observer: Any, observation: dict[str, Any]) -> None:
        """Store values in ``observation`` under the observer's name."""
        prefix = "" if observer is None else self._names.get(id(observer), type(observer).__name__) + "/"
        for name, value in values.items():
            observation[prefix + name] = _as_python(value)


class _ObservationScope:
    """A class, since a generator-based context manager would take longer than a small training step's report."""

    def __init__(self, reporter: Reporter, observation: dict[str, Any]) -> None:
        self.heard_by = reporter, observation

    def __enter__(self) -> dict[str, Any]:
        stack = _listening.get()
        self.depth = len(stack)
        _listening.set((*stack, self.heard_by))
        return self.heard_by[1]

    def __exit__(self, *_: object) -> None:
        _listening.set(_listening.get()[: self.depth])  # also drops scopes that an interrupt left open inside


_listening: ContextVar[tuple[tuple[Reporter, dict[str, Any]], ...]] = ContextVar("autolab_reporters", default=())


def report(values: Mapping[str, Any], observer: Any = None) -> None:
    """Report values to the innermost active `Reporter` of this thread, or asyncio task; without one, do nothing.

    Parameters
    ----------
    values : dict
        Numbers, 0-d arrays or Variables by name. A Variable's graph is not kept.
    observer : Link, optional
        The object that reports; its name prefixes those of the values: ``main/loss``.

    Raises
    ------
    TypeError
        If ``values`` is not a dictionary.

    Examples
    --------
    >>> from autolab.training import Reporter, report
    >>> heard = {}
    >>> with Reporter().scope(heard):
    ...     report({"loss": 0.5})
    >>> heard
    {'loss': 0.5}
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"report: values is {a_kind(values)}; expected a dictionary, such as {{'loss': loss}}")
    arrays: list[Any] = [getattr(value, "_data", value) for value in values.values()]
    recorded = [array for array in arrays if hasattr(array, "at_every_run")]
    if recorded:  # the step is being compiled
        return recorded[0].at_every_run(report, values, observer)
    stack = _listening.get()
    if stack:
        reporter, observation = stack[-1]
        reporter.hear(values, observer, observation)


def _as_python(value: Any) -> Any:
    """A single number as a Python number, anything else as an array; neither keeps the graph."""
    data = getattr(value, "array", value)
    if getattr(data, "size", 0) != 1:
        return data
    return to_cpu(data).item() if hasattr(data, "shape") else data
