"""report(): how a model reports what it observed, such as its loss."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from ..engine.devices import to_cpu
from ..engine.errors import a_kind


class Reporter:
    """Listens to `report` inside ``with reporter.scope(observation):`` and gathers what it hears by full names.

    Objects get their names from `add_observer`; the values of others go under their own names.

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
        self._held: list[object] = []  # an identity must not pass to another object

    def add_observer(self, name: str, observer: Any) -> None:
        """Call ``observer`` by this name, and the links in it by their paths below it."""
        self._held.append(observer)
        self._names[id(observer)] = name
        for path, link in observer.namedlinks(skipself=True) if hasattr(observer, "namedlinks") else ():
            self._names[id(link)] = name + path

    def scope(self, observation: dict[str, Any]) -> AbstractContextManager[dict[str, Any]]:
        """Gather what this thread, or task, reports inside the block in ``observation``."""
        return _ObservationScope(self, observation)

    def hear(self, values: Mapping[str, Any], observer: Any, observation: dict[str, Any]) -> None:
        """Put values into ``observation`` under the observer's name."""
        prefix = "" if observer is None else self._names.get(id(observer), type(observer).__name__) + "/"
        for name, value in values.items():
            observation[prefix + name] = _as_python(value)


class _ObservationScope:
    """A class of its own: a generator would take longer than what a small step reports."""

    def __init__(self, reporter: Reporter, observation: dict[str, Any]) -> None:
        self.heard_by = reporter, observation

    def __enter__(self) -> dict[str, Any]:
        stack = _listening.get()
        self.depth = len(stack)
        _listening.set((*stack, self.heard_by))
        return self.heard_by[1]

    def __exit__(self, *_: object) -> None:
        _listening.set(_listening.get()[: self.depth])  # without what an interrupt left open inside


_listening: ContextVar[tuple[tuple[Reporter, dict[str, Any]], ...]] = ContextVar("autolab_reporters", default=())


def report(values: Mapping[str, Any], observer: Any = None) -> None:
    """Tell the innermost reporter of this thread, or task, what was observed; nothing happens where nobody listens.

    Parameters
    ----------
    values : dict
        Numbers, 0-d arrays or Variables by name. A Variable's graph is not kept.
    observer : Link, optional
        Who observed it; its name comes before those of the values: ``main/loss``.

    Raises
    ------
    TypeError
        If ``values`` is no dictionary.

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
    """A number as a Python one, without graph; what has more than one element as an array."""
    data = getattr(value, "array", value)
    if getattr(data, "size", 0) != 1:
        return data
    return to_cpu(data).item() if hasattr(data, "shape") else data
