"""Where NaN and infinities come from: the first function and line that produced one, forward or backward, and what it
reached.

A run is treated as a network of arrays: values, gradients, and the shares that a step's backward sends to its operands.
A NaN originates in an array that has one although nothing that it was computed from does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..debug.provenance import Net, Place, State
from ..engine import Variable, show
from .model import LEAVES, Recording, Snapshot, Step
from .record import record

What = Literal["nan", "inf"]
How = Literal["given", "written", "computed", "added"]


@dataclass(frozen=True)
class NonfiniteOrigin:
    """A place where NaN or infinity originated.

    ``what`` is ``nan`` or ``inf``; ``phase`` is ``forward`` (in a value) or ``backward`` (in a gradient).
    ``step`` is the id of the responsible step: the one whose function computed it, or the leaf that contained it.
    ``how`` says how it arose: ``given`` (by an input, a leaf, a constant or the upstream gradient), ``written`` (as a
    number in the code), ``computed`` (by the function, from arrays without it) or ``added`` (by the sum of the shares
    of a gradient).
    ``operand`` is, for a share, the index of the operand that received it.
    ``function``, ``name``, ``source``, ``file``, ``line`` are those of the step; the line of a leaf is unknown.
    ``index`` is the index of the first such element; None if the recording kept a reduced copy.
    ``because`` is, for a NaN computed from infinities (``inf - inf``, ``0 * inf``), the origin of the nearest one.
    ``values`` and ``gradients`` are the ids of the steps whose value and whose gradient it reached, nearest first.
    ``order`` is the order of the graph in which it was found: 0 for the function's own, 1 for its derivative's ...

    Examples
    --------
    >>> from autolab import functions as F
    >>> from autolab.recording import find_nonfinite
    >>> origin = find_nonfinite(lambda x: F.log(x), x=0.0).first
    >>> origin.what, origin.phase, origin.how, origin.function
    ('inf', 'forward', 'computed', 'log')
    """

    what: What
    phase: Literal["forward", "backward"]
    step: int
    how: How
    operand: int | None
    function: str | None
    name: str | None
    source: str | None
    file: str | None
    line: int | None
    index: tuple[int, ...] | None
    because: NonfiniteOrigin | None
    values: tuple[int, ...]
    gradients: tuple[int, ...]
    order: int = 0

    def __str__(self) -> str:
        """What arose, where and from what, in one sentence."""
        return str(show(self, "text"))


@dataclass(frozen=True)
class Nonfinite:
    """All origins of NaN and infinity in a run, in the order in which they arose.

    Examples
    --------
    >>> from autolab import functions as F
    >>> from autolab.recording import find_nonfinite
    >>> find_nonfinite(lambda x: F.log(x), x=1.0).first is None
    True
    >>> find_nonfinite(lambda x: F.log(x), x=-1.0).first_nan.function
    'log'
    """

    origins: tuple[NonfiniteOrigin, ...]

    @property
    def first_nan(self) -> NonfiniteOrigin | None:
        """The origin of the first NaN; None if there is none."""
        return next((origin for origin in self.origins if origin.what == "nan"), None)

    @property
    def first(self) -> NonfiniteOrigin | None:
        """The origin of the first NaN or infinity; None if everything is finite."""
        return self.origins[0] if self.origins else None

    def __str__(self) -> str:
        """One sentence per origin, in the order in which they arose."""
        return str(show(self, "text"))

    def __repr__(self) -> str:
        return str(self)


def find_nonfinite(fn: Callable[..., Any] | Recording, /, *args: Any, **inputs: Any) -> Nonfinite:
    """Find the functions and lines that first produced NaN or infinity, in a run and in its gradient.

    Parameters
    ----------
    fn : Recording or callable
        A recording, or a function to record.
    *args, **inputs
        The arguments of a function, and ``options``, as in `autolab.record`.

    Returns
    -------
    Nonfinite
        All origins. An array computed from a NaN counts as reached by it, since a NaN that its own function might add
        cannot be distinguished. The graphs of derivatives, ``recording.higher``, are examined separately.

    Examples
    --------
    >>> from autolab import functions as F
    >>> from autolab.recording import find_nonfinite
    >>> def fn(x):
    ...     length = F.sqrt(x * x)
    ...     return 1.0 * length
    >>> nan = find_nonfinite(fn, x=0.0).first_nan
    >>> nan.phase, nan.function, nan.source
    ('backward', 'mul', 'x * x')
    >>> nan.because.function, nan.because.source, nan.because.what
    ('sqrt', 'F.sqrt(x * x)', 'inf')
    """
    if isinstance(fn, Variable):
        raise TypeError(
            "find_nonfinite: got a Variable, whose graph has not kept all values; expected the function that computes "
            "it: find_nonfinite(f, x). Without one, with autolab.detect_anomaly(): around its lines stops at the first "
            "NaN, and x.grad_status names what made a gradient NaN"
        )
    if isinstance(fn, Recording):
        recording = fn
    else:
        with np.errstate(all="ignore"):  # NumPy would warn about exactly what is searched for
            recording = record(fn, *args, **inputs)
    return Nonfinite(tuple(_origins(recording)))


class RecordedNet(Net):
    """The network of the arrays of a recording, as far as they are known.

    Parameters
    ----------
    recording : Recording
    counts : callable
        Takes the `State` of an array and returns whether it belongs to the network.
    """

    def __init__(self, recording: Recording, counts: Callable[[State], bool] = lambda state: True) -> None:
        super().__init__([Place("gradient", i) for i in recording.outputs])
        self._counts = counts
        self.steps = recording.by_id
        self.arrays: dict[Place, Snapshot] = {}
        self.names = {step.id: step.function for step in recording.steps if step.function is not None}
        self.is_made: set[Place] = set()  # computed from something, in the network or not
        for step in recording.steps:
            self._add(Place("value", step.id), step.value, self._values_for(step))
        if recording.order == 0:  # the graph of a derivative has no shares; its gradients are values of the next one
            self._add_gradients(recording)

    def _add(self, place: Place, array: Snapshot | None, sources: list[Place]) -> None:
        if array is None or not self._counts(state := _state(array)):
            return
        self.add(place, state, sources)
        self.arrays[place] = array
        if sources:
            self.is_made.add(place)

    def _values_for(self, step: Step) -> list[Place]:
        """The places that a value was computed from; for a part, the operands of its call; none for a replaced one."""
        if step.replaced:
            return []
        call = self.call_of(step)
        return [Place("value", operand.step) for operand in call.operands if operand.step is not None]

    def misses_values(self, place: Place) -> bool:
        """Whether a value was computed from unknown ones: a graph that existed before does not keep all values."""
        operands = [operand.step for operand in self.call_of(self.steps[place.step]).operands]
        return any([i is not None and self.steps[i].value is None for i in operands])

    def call_of(self, step: Step) -> Step:
        """The step itself, or the call of which it is a part."""
        above = step.operands[0].step if step.kind == "part" else None
        return step if above is None else self.steps.get(above, step)

    def _add_gradients(self, recording: Recording) -> None:
        """Add the gradients in the order of the backward pass; those of leaves come last, as more shares may arrive."""
        parts: dict[int, list[int]] = {}
        for step in recording.steps:
            if step.kind == "part":
                parts.setdefault(self.call_of(step).id, []).append(step.id)
        received: dict[int, list[Place]] = {}
        added: set[int] = set()
        for done in recording.backward:
            step, own = self.steps[done.of], parts.get(done.of, [done.of])
            for i in own:
                self._add(Place("gradient", i), self.steps[i].grad, received.get(i, []))
            sources = [Place(role, i) for i in own for role in ("gradient", "value")] + self._values_for(step)
            for k, operand in enumerate(step.operands):
                if operand.step is not None:
                    self._add(Place("share", step.id, k), operand.contribution, sources)
                    received.setdefault(operand.step, []).append(Place("share", step.id, k))
            added.update(own)
        for step in recording.steps:
            if step.id not in added:
                self._add(Place("gradient", step.id), step.grad, received.get(step.id, []))


def _state(array: Snapshot) -> State:
    nan, inf = bool(array.nan_count), bool(array.inf_count)
    return State(not (nan or inf or array.minimum or array.maximum), nan, inf)


def _origins(recording: Recording) -> Iterator[NonfiniteOrigin]:
    """The origins, in order. Those in values of lower order belong to the graph of that order."""
    net = RecordedNet(recording, lambda state: not state.finite)
    found: dict[tuple[Place, What], NonfiniteOrigin] = {}
    kinds: tuple[What, ...] = ("nan", "inf")
    for place in net.arrays:
        is_used = place.role == "value" and net.steps[place.step].order < recording.order
        if place.role == "value" and net.misses_values(place):
            continue  # a value that was not kept may have contained it
        for what in kinds:
            if not _has(net, what)(place) or any(map(_has(net, what), net.sources[place])):
                continue
            because = None if what == "inf" else _infinity(net, place, found)
            origin = found[place, what] = _origin(net, place, what, because, recording.order)
            if not is_used:
                yield origin


def _has(net: RecordedNet, what: What) -> Callable[[Place], bool]:
    return lambda place: getattr(net.states[place], what)


def _infinity(net: RecordedNet, place: Place, found: dict[Any, NonfiniteOrigin]) -> NonfiniteOrigin | None:
    """The nearest origin of an infinity among the arrays that one was computed from."""
    nearest = [found.get((origin, "inf")) for origin in net.origins(place, _has(net, "inf")) if origin != place]
    return nearest[0] if nearest else None


def _origin(net: RecordedNet, place: Place, what: What, because: NonfiniteOrigin | None, order: int) -> NonfiniteOrigin:
    owner, reached = net.steps[place.step], net.reached(place)
    step = net.call_of(owner) if place.role == "value" and not owner.replaced else owner
    return NonfiniteOrigin(
        what=what,
        phase="forward" if place.role == "value" else "backward",
        step=step.id,
        how=_how(step, place, place in net.is_made, what),
        operand=place.operand,
        function=step.function,
        name=owner.name,
        source=step.source,
        file=step.file,
        line=step.line,
        index=_first(net.arrays[place], what),
        because=because,
        values=tuple([p.step for p in reached if p.role == "value"]),
        gradients=tuple([p.step for p in reached if p.role == "gradient"]),
        order=order,
    )


def _how(step: Step, place: Place, is_made: bool, what: What) -> How:
    if place.role == "gradient":
        return "added" if is_made else "given"
    if step.kind in LEAVES or (step.replaced and place.role == "value"):
        return "given"
    written = [operand.constant or "" for operand in step.operands]
    return "written" if place.role == "value" and any([text.lstrip("-") == what for text in written]) else "computed"


def _first(array: Snapshot, what: What) -> tuple[int, ...] | None:
    if not array.is_whole:
        return None
    bad = np.isnan(array.values) if what == "nan" else np.isinf(array.values)
    return tuple([int(i) for i in np.argwhere(bad)[0]])
