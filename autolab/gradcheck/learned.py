"""Values that a function learns: the parameters of a link are checked as its inputs are, and of others it is said that
they were not checked. A link of which only the gradient of the input is right does not learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..binding import Bound
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..engine.parameter import Parameter
from ..engine.variable import Variable
from ..links import Link
from ..links.functional import with_parameters
from .lasting_arrays import reached
from .messages import say, shown
from .report import Finding


class LinkFunction:
    """A link, or a method of one, as a function of its arguments and of its parameters, these by ``labels``.

    Each call works on a copy of the link, so that what it keeps from one call to the next does not matter.
    """

    def __init__(self, fn: Any, labels: dict[str, str]) -> None:
        self.__wrapped__, self.labels = fn, labels

    def __call__(self, *args: Any, **named: Any) -> Any:
        parameters = {path: named.pop(label) for label, path in self.labels.items()}
        link = _link_of(self.__wrapped__)
        assert link is not None
        twin = with_parameters(link, parameters)
        fn = twin if self.__wrapped__ is link else getattr(twin, self.__wrapped__.__name__)
        return fn(*args, **named)


def of_its_parameters(bound: Bound) -> Bound:
    """``bound``, if it is of a link or its method, with the parameters as inputs of their own, called ``l1.W``."""
    link = _link_of(bound.fn)
    if link is None:
        return bound
    if not all([p.is_initialized for p in link.params()]):
        bound.call()  # their sizes follow the inputs
    found = {path.lstrip("/").replace("/", "."): (path, p) for path, p in link.namedparams() if p.is_initialized}
    found = {f"self.{label}" if label in bound.variables else label: pair for label, pair in found.items()}
    fresh = {label: type(p)(p.array, name=label, requires_grad=p.requires_grad) for label, (_, p) in found.items()}
    if not fresh:
        return bound
    return bound.extended(LinkFunction(bound.fn, {label: path for label, (path, _) in found.items()}), fresh)


def _link_of(fn: Any) -> Link | None:
    owner = getattr(fn, "__self__", fn)
    return owner if isinstance(owner, Link) else None


_SAID = 3  # names
_MOST_ITEMS = 100


class Unchecked:
    """What a function uses that has a gradient and is not among its inputs."""

    def __init__(self, bound: Bound) -> None:
        self._bound, self._found = bound, dict[int, tuple[str, Variable]]()
        self._names = {id(value): name for held in reached(bound.fn) for name, value in _inside(*held)}

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Inside, the function runs."""
        with observe(self._hear):
            yield

    def _hear(self, event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, ForwardEvent) and any([y.requires_grad for y in event.outputs]):
            for x in event.inputs:
                if isinstance(x, Variable) and x.creator is None and x.requires_grad and id(x) not in self._found:
                    name = self._names.get(id(x)) or (x.name if isinstance(x, Parameter) else None)
                    if name is not None:
                        self._found[id(x)] = name, x

    def findings(self) -> list[Finding]:
        """One that names them, if there are any."""
        own = set(self._bound.variables)
        found = [(name, x) for name, x in self._found.values() if x.name not in own or id(x) in self._names]
        if not found:
            return []
        names = list(dict.fromkeys([shown(name) for name, _ in found]))
        names[_SAID:] = [f"{len(names) - _SAID} more"] if len(names) > _SAID else []
        words = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        link = say("not_checked.link") if any([isinstance(x, Parameter) for _, x in found]) else ""
        key = "not_checked.several" if len(found) > 1 else "not_checked"
        text = say(key, names=words, function=shown(self._bound.name), link=link)
        return [Finding("not_checked", None, text, {"names": [name for name, _ in found]})]


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value, and those in it if it is a list, a tuple or a dict."""
    yield name, value
    if isinstance(value, list | tuple | dict) and len(value) <= _MOST_ITEMS:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield f"{name}[{key}]", item
