"""Where NaN and infinities come from: the first function and line that made one, forward or backward, and whom it
reached.

A run is looked at as a net of arrays: values, gradients, and the shares that a step's backward sends to its operands.
A NaN is *born* in an array that has one while nothing that it was computed from has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from .model import LEAVES, Recording, Snapshot, Step
from .run import record

What = Literal["nan", "inf"]
How = Literal["given", "written", "computed", "added"]


@dataclass(frozen=True)
class Birth:
    """One place where NaN or infinity came up.

    ``what`` is ``nan`` or ``inf``; ``phase`` is ``forward`` (in a value) or ``backward`` (in a gradient).
    ``step`` is the id of the step to blame: the one whose function computed it, or the leaf that brought it along.
    ``how`` says how it came up: ``given`` (by an input, a leaf, a constant or the upstream gradient), ``written`` (as a
    number in the code), ``computed`` (by the function, from arrays without it) or ``added`` (by the sum of the shares
    of a gradient).
    ``operand`` is, for a share, the index of the operand that it went to.
    ``function``, ``name``, ``source``, ``file``, ``line`` are the step's own; the line of a leaf is unknown.
    ``index`` is the first such element; None where the recording kept a reduced copy.
    ``because`` is, for a NaN made of infinities (``inf - inf``, ``0 * inf``), the birth of the nearest.
    ``values`` and ``gradients`` are the ids of the steps whose value and whose gradient it reached, nearest
    first.
    ``order`` is that of the graph that it was seen in: 0 for the function's own, 1 for that of its derivative ...

    Examples
    --------
    >>> from autolab import functions as F
    >>> from autolab.recording import find_nonfinite
    >>> birth = find_nonfinite(lambda x: F.log(x), x=0.0).first
    >>> birth.what, birth.phase, birth.how, birth.function
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
    because: Birth | None
    values: tuple[int, ...]
    gradients: tuple[int, ...]
    order: int = 0

    def __str__(self) -> str:
        """What came up, where and from what, in a sentence."""
        from ..views.graph.health import told

        return told(self)


@dataclass(frozen=True)
class Nonfinite:
    """All births of NaN and infinity in a run, in the order in which they came up.

    Examples
    --------
    >>> from autolab import functions as F
    >>> from autolab.recording import find_nonfinite
    >>> find_nonfinite(lambda x: F.log(x), x=1.0).first is None
    True
    >>> find_nonfinite(lambda x: F.log(x), x=-1.0).first_nan.function
    'log'
    """

    births: tuple[Birth, ...]

    @property
    def first_nan(self) -> Birth | None:
        """Where the first NaN was born; None if there is none."""
        return next((birth for birth in self.births if birth.what == "nan"), None)

    @property
    def first(self) -> Birth | None:
        """Where the first NaN or infinity was born; None if all is finite."""
        return self.births[0] if self.births else None

    def __str__(self) -> str:
        """A sentence for each birth, in the order in which they came up."""
        from ..views.draw.messages import say
        from ..views.graph.health import told

        return "\n".join([told(birth) for birth in self.births]) or say("birth_none")

    def __repr__(self) -> str:
        return str(self)


def find_nonfinite(fn: Callable[..., Any] | Recording, /, *args: Any, **inputs: Any) -> Nonfinite:
    """Name the functions and lines that first produced NaN or infinity, in a run and in its gradient.

    Parameters
    ----------
    fn : Recording or callable
        What was recorded, or what to record now.
    *args, **inputs
        The arguments of a callable, and ``options``, as in `autolab.record`.

    Returns
    -------
    Nonfinite
        Every array in which one came up. Where an array already holds a NaN, what else its function might add to it
        cannot be told apart; it is one that the NaN has reached. The graphs of derivatives, ``recording.higher``,
        are asked one by one.

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
    if isinstance(fn, Recording):
        recording = fn
    else:
        with np.errstate(all="ignore"):  # what NumPy would warn of is what is looked for
            recording = record(fn, *args, **inputs)
    return Nonfinite(tuple(_Net(recording).births()))


class _Key(NamedTuple):
    """A value or a gradient of a step, or the share that its backward sends to one of its operands."""

    role: Literal["value", "gradient", "share"]
    step: int
    operand: int | None = None


@dataclass
class _Place:
    """An array with NaN or infinities, those like it that it was computed from, and those that were from it.

    ``is_made`` tells whether it was computed from anything, like it or not.
    """

    array: Snapshot
    sources: list[_Key]
    is_made: bool
    uses: list[_Key] = field(default_factory=list)

    def has(self, what: What) -> bool:
        return bool(self.array.nan_count if what == "nan" else self.array.inf_count)


class _Net:
    """The arrays of a run that hold NaN or infinities, sources first; the others count for nothing."""

    def __init__(self, recording: Recording) -> None:
        self.order = recording.order
        self.steps = {step.id: step for step in recording.steps}
        self.places: dict[_Key, _Place] = {}
        self.found: dict[tuple[_Key, What], Birth] = {}
        for step in recording.steps:
            self._add(_Key("value", step.id), step.value, self._values_for(step))
        if recording.order == 0:  # the graph of a derivative keeps no shares; its gradients are the next one's values
            self._add_gradients(recording)

    def _add(self, key: _Key, array: Snapshot | None, sources: list[_Key]) -> None:
        if array is None or not (array.nan_count or array.inf_count):
            return
        self.places[key] = _Place(array, [source for source in sources if source in self.places], bool(sources))
        for source in self.places[key].sources:
            self.places[source].uses.append(key)

    def _values_for(self, step: Step) -> list[_Key]:
        """What a value was computed from; a part, from the operands of its call. A replaced one was given."""
        if step.replaced:
            return []
        call = self._call(step)
        return [_Key("value", operand.step) for operand in call.operands if operand.step is not None]

    def _call(self, step: Step) -> Step:
        """The step itself, or the call that it is a part of."""
        above = step.operands[0].step if step.kind == "part" else None
        return step if above is None else self.steps.get(above, step)

    def _add_gradients(self, recording: Recording) -> None:
        """In the order of the backward pass; those of leaves come last, as their shares go on coming."""
        parts: dict[int, list[int]] = {}
        for step in recording.steps:
            if step.kind == "part":
                parts.setdefault(self._call(step).id, []).append(step.id)
        received: dict[int, list[_Key]] = {}
        added: set[int] = set()
        for done in recording.backward:
            step, own = self.steps[done.of], parts.get(done.of, [done.of])
            for i in own:
                self._add(_Key("gradient", i), self.steps[i].grad, received.get(i, []))
            sources = [_Key(role, i) for i in own for role in ("gradient", "value")] + self._values_for(step)
            for k, operand in enumerate(step.operands):
                if operand.step is not None:
                    self._add(_Key("share", step.id, k), operand.contribution, sources)
                    received.setdefault(operand.step, []).append(_Key("share", step.id, k))
            added.update(own)
        for step in recording.steps:
            if step.id not in added:
                self._add(_Key("gradient", step.id), step.grad, received.get(step.id, []))

    def births(self) -> Iterator[Birth]:
        """In order. What a graph of higher order uses of the lower ones was born there."""
        for key, place in self.places.items():
            is_used = key.role == "value" and self.steps[key.step].order < self.order
            for what in self._born(place):
                birth = self._birth(key, place, what)
                self.found[key, what] = birth
                if not is_used:
                    yield birth

    def _born(self, place: _Place) -> list[What]:
        """What comes up here and in no source."""
        sources = [self.places[source] for source in place.sources]
        kinds: tuple[What, ...] = ("nan", "inf")
        return [what for what in kinds if place.has(what) and not any([s.has(what) for s in sources])]

    def _birth(self, key: _Key, place: _Place, what: What) -> Birth:
        owner, reached = self.steps[key.step], self._reached(key)
        step = self._call(owner) if key.role == "value" and not owner.replaced else owner
        return Birth(
            what=what,
            phase="forward" if key.role == "value" else "backward",
            step=step.id,
            how=_how(step, key, place, what),
            operand=key.operand,
            function=step.function,
            name=owner.name,
            source=step.source,
            file=step.file,
            line=step.line,
            index=_first(place.array, what),
            because=self._because(place) if what == "nan" else None,
            values=tuple([k.step for k in reached if k.role == "value"]),
            gradients=tuple([k.step for k in reached if k.role == "gradient"]),
            order=self.order,
        )

    def _because(self, place: _Place) -> Birth | None:
        """The nearest birth of an infinity that this array was computed from."""
        open_, seen = deque(place.sources), set(place.sources)
        while open_:
            key = open_.popleft()
            if (key, "inf") in self.found:
                return self.found[key, "inf"]
            if self.places[key].has("inf"):
                open_ += [source for source in self.places[key].sources if source not in seen]
                seen.update(self.places[key].sources)
        return None

    def _reached(self, birth: _Key) -> list[_Key]:
        """The arrays that it reached, itself first."""
        reached, open_ = {birth: None}, deque([birth])
        while open_:
            for key in self.places[open_.popleft()].uses:
                if key not in reached:
                    reached[key] = None
                    open_.append(key)
        return list(reached)


def _how(step: Step, key: _Key, place: _Place, what: What) -> How:
    if key.role == "gradient":
        return "added" if place.is_made else "given"
    if step.kind in LEAVES or (step.replaced and key.role == "value"):
        return "given"
    written = [operand.constant or "" for operand in step.operands]
    return "written" if key.role == "value" and any([text.lstrip("-") == what for text in written]) else "computed"


def _first(array: Snapshot, what: What) -> tuple[int, ...] | None:
    if not array.is_whole:
        return None
    bad = np.isnan(array.values) if what == "nan" else np.isinf(array.values)
    return tuple([int(i) for i in np.argwhere(bad)[0]])
