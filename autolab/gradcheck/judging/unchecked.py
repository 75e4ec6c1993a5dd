"""Of values that a function learns and that are not among its inputs it is said that they were not checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...engine.parameter import Parameter
from ...engine.variable import Variable
from ...shared.binding import Bound
from ..messages import say, shown
from .finding import Finding
from .lasting_arrays import inside, reached

_SAID = 3  # names


class Unchecked:
    """What a function uses that has a gradient and is not among its inputs."""

    def __init__(self, bound: Bound) -> None:
        self._bound, self._found = bound, dict[int, tuple[str, Variable]]()
        self._names = {id(value): name for held in reached(bound.fn) for name, value in inside(*held)}

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
        evidence = {"names": [name for name, _ in found]}
        return [Finding.said(key, None, evidence, names=words, function=shown(self._bound.name), link=link)]
