"""Fused functions opened: the composite runs as well, its steps replace the fused step, and the results are compared.

The value and the gradients of the program remain those of the fused function; the steps inside are the composite's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import Array, Primitive, Variable, array_of, grad, to_cpu
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from .locate import CodePosition
from .model import Opening
from .step_text import expression_of

if TYPE_CHECKING:
    from .recorder import Recorder

_ROUNDINGS = 1000.0  # two computations of the same number may differ by this many times the precision


def fused_names(tool: str, names: Any) -> tuple[str, ...]:
    """The option ``open`` as names; a single name may be given as a string."""
    found = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, list | tuple | set) else None
    if found is None or not all([isinstance(name, str) for name in found]):
        raise TypeError(f"{tool}: option 'open' is {names!r:.60}; expected names of fused functions")
    return found


def can_be_opened(function: Any) -> bool:
    """Whether a function has a composite."""
    return isinstance(function, Primitive) and function.composite is not None


@dataclass
class Opener:
    """Opens the applications of the functions called ``names``, for the recorder that holds it."""

    names: Collection[str]
    found: list[str] = field(default_factory=list)  # the functions of the run that can be opened
    openings: dict[int, Opening] = field(default_factory=dict)
    _runs: dict[int, tuple[Variable, list[Any], int]] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)  # keeps their ids from being reused

    def opens(self, event: ForwardEvent) -> bool:
        """Whether this application is to be opened."""
        if not can_be_opened(event.function):
            return False
        if event.function.name not in self.found:
            self.found.append(event.function.name)
        return event.function.name in self.names

    def forward(
        self, recorder: Recorder, event: ForwardEvent, place: CodePosition | None, outer_line: int | None, scope: int
    ) -> None:
        """Run the composite; its last step replaces the fused one."""
        inputs = [_input(recorder, value) for value in event.inputs]
        first = len(recorder.drafts)

        def hear(inner: ForwardEvent | BackwardEvent) -> None:
            if isinstance(inner, ForwardEvent):
                draft = recorder.drafts[recorder.add_call(inner, None, outer_line, scope)]
                source = expression_of(draft, recorder.drafts)
                draft.place = replace(
                    place or CodePosition("", 0), source=source, statement=None, names=(), operands=()
                )

        with observe(hear):
            y = event.function.composite(*inputs, **event.attributes)
        result = recorder.find(y)
        if result < first:
            raise RuntimeError(f"{event.function.name}: its composite does nothing")
        names = place.names if place is not None else ()
        recorder.drafts[result].name = names[0] if len(names) == 1 else recorder.drafts[result].name
        recorder.same(event.outputs[0], result)
        self._kept += [event, y, *inputs]
        apart = _apart(event.outputs[0].array, y.array)
        self.openings[result] = Opening(result, event.function.name, scope, *apart)
        if event.outputs[0].node is not None:
            self._runs[event.outputs[0].node.order] = y, inputs, result

    def backward(self, event: BackwardEvent, hook: Callable[[Any], None]) -> bool:
        """If the fused function is opened, differentiate its composite and compare; False if it is not."""
        if event.node.order not in self._runs:
            return False
        y, inputs, result = self._runs[event.node.order]
        edges = [edge.place for edge in event.node.edges]
        with observe(hook):
            found = grad([y], [inputs[i] for i in edges], [event.upstream])
        opening, gradients = self.openings[result], []
        for i, fused, own in zip(edges, event.gradients, found, strict=True):
            label = event.node.function.schema.label(i)
            gradients.append((label, *_apart(array_of(fused), None if own is None else own.array)))
        self.openings[result] = replace(opening, gradients=tuple(gradients))
        return True


def _input(recorder: Recorder, value: Any) -> Any:
    """A new leaf for an input, which represents the same step."""
    if not isinstance(value, Variable):
        return value
    leaf = Variable(value.array, requires_grad=value.requires_grad)
    recorder.same(leaf, recorder.find(value))
    return leaf


def _apart(a: Array, b: Array | None) -> tuple[float, float]:
    """The largest difference between two arrays, infinite if one is missing or only one is finite, and the difference
    that rounding explains."""
    if b is None or a.shape != b.shape:
        return np.inf, 0.0
    x, y = np.asarray(to_cpu(a), float), np.asarray(to_cpu(b), float)
    both = np.isfinite(x) & np.isfinite(y)
    same = np.array_equal(x[~both], y[~both], equal_nan=True)
    size = float(np.abs(x[both]).max(initial=0.0))
    precision = float(np.finfo(a.dtype).eps) if a.dtype.kind == "f" else 0.0
    greatest = float(np.abs(x[both] - y[both]).max(initial=0.0)) if same else np.inf
    return greatest, _ROUNDINGS * precision * max(size, 1.0)
