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
from .recorder import record

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


@dataclass(frozen=True)
class Nonfinite:
    """All births of NaN and infinity in a run, in the order in which they came up."""

    births: tuple[Birth, ...]

    @property
    def first_nan(self) -> Birth | None:
        """Where the first NaN was born; None if there is none."""
        return next((birth for birth in self.births if birth.what == "nan"), None)

    @property
    def first(self) -> Birth | None:
        """Where the first NaN or infinity was born; None if all is finite."""
        return self.births[0] if self.births else None


def find_nonfinite(fn: Callable[..., Any] | Recording, /, *args: Any, **inputs: Any) -> Nonfinite:
    """Name the functions and lines that first produced NaN or infinity, in a run and in its gradient.

    Parameters
    ----------
    fn : Recording or callable
        What was recorded, or what to record now.
    *args, **inputs
        The arguments of a callable, as in `autolab.record`.

    Returns
    -------
    Nonfinite
        Every array in which one came up. Where an array already holds a NaN, what else its function might add to it
        cannot be told apart; it is one that the NaN has reached.

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
    return Nonfinite(tuple(_births(recording, _net(recording))))


# ---------------------------------------------------------------------- the net of arrays
class _Key(NamedTuple):
    """A value or a gradient of a step, or the share that its backward sends to one of its operands."""

    role: Literal["value", "gradient", "share"]
    step: int
    operand: int | None = None


@dataclass
class _Place:
    """An array, what it was computed from, and what was computed from it."""

    array: Snapshot
    sources: list[_Key]
    uses: list[_Key] = field(default_factory=list)

    def has(self, what: What) -> bool:
        return bool(self.array.nan_count if what == "nan" else self.array.inf_count)


_Net = dict[_Key, _Place]


def _net(recording: Recording) -> _Net:
    """Every array of the run, sources first."""
    net: _Net = {}

    def add(key: _Key, array: Snapshot | None, sources: list[_Key]) -> None:
        if array is not None:
            net[key] = _Place(array, [source for source in sources if source in net])
            for source in net[key].sources:
                net[source].uses.append(key)

    parts = _parts(recording)
    for step in recording.steps:
        add(_Key("value", step.id), step.value, _operand_values(recording, step))
    received: dict[int, list[_Key]] = {}
    for done in recording.backward:
        step, own = recording.steps[done.of], parts.get(done.of, [done.of])
        for i in own:
            add(_Key("gradient", i), recording.steps[i].grad, received.get(i, []))
        upstream = [_Key("gradient", i) for i in own]
        values = [*_operand_values(recording, step), *[_Key("value", i) for i in own]]
        for k, operand in enumerate(step.operands):
            if operand.step is not None:
                add(_Key("share", step.id, k), operand.contribution, [*upstream, *values])
                received.setdefault(operand.step, []).append(_Key("share", step.id, k))
    for step in recording.steps:
        if _Key("gradient", step.id) not in net:
            add(_Key("gradient", step.id), step.grad, received.get(step.id, []))
    return net


def _parts(recording: Recording) -> dict[int, list[int]]:
    """The results of each call that has several."""
    found: dict[int, list[int]] = {}
    for step in recording.steps:
        if step.kind == "part" and step.operands[0].step is not None:
            found.setdefault(step.operands[0].step, []).append(step.id)
    return found


def _operand_values(recording: Recording, step: Step) -> list[_Key]:
    """What a value was computed from; a part, from the operands of its call."""
    call = recording.steps[step.operands[0].step or 0] if step.kind == "part" else step
    return [_Key("value", operand.step) for operand in call.operands if operand.step is not None]


# ---------------------------------------------------------------------- births
def _births(recording: Recording, net: _Net) -> Iterator[Birth]:
    found: dict[tuple[_Key, What], Birth] = {}
    for key, place in net.items():
        for what in _born(net, place):
            because = _because(net, found, place) if what == "nan" else None
            birth = _birth(recording, net, key, what, because)
            found[key, what] = birth
            yield birth


def _born(net: _Net, place: _Place) -> list[What]:
    """What comes up here and in no source. An infinity made from NaN is not thought of."""
    sources = [net[source] for source in place.sources]
    kinds: tuple[What, ...] = ("nan", "inf")
    return [what for what in kinds if place.has(what) and not any([s.has(what) or s.has("nan") for s in sources])]


def _because(net: _Net, found: dict[tuple[_Key, What], Birth], place: _Place) -> Birth | None:
    """The birth of an infinity that this array was computed from."""
    open_, seen = deque(place.sources), set(place.sources)
    while open_:
        key = open_.popleft()
        if (key, "inf") in found:
            return found[key, "inf"]
        if net[key].has("inf"):
            open_ += [source for source in net[key].sources if source not in seen]
            seen.update(net[key].sources)
    return None


def _birth(recording: Recording, net: _Net, key: _Key, what: What, because: Birth | None) -> Birth:
    step, reached = recording.steps[key.step], _reached(net, key)
    if step.kind == "part" and key.role == "value":
        step = recording.steps[step.operands[0].step or 0]
    return Birth(
        what=what,
        phase="forward" if key.role == "value" else "backward",
        step=step.id,
        how=_how(net, step, key, what),
        operand=key.operand,
        function=step.function,
        name=recording.steps[key.step].name,
        source=step.source,
        file=step.file,
        line=step.line,
        index=_first(net[key].array, what),
        because=because,
        values=tuple([k.step for k in reached if k.role == "value"]),
        gradients=tuple([k.step for k in reached if k.role == "gradient"]),
    )


def _how(net: _Net, step: Step, key: _Key, what: What) -> How:
    if key.role == "gradient":
        return "added" if net[key].sources else "given"
    if step.kind in LEAVES:
        return "given"
    written = [operand.constant or "" for operand in step.operands]
    return "written" if key.role == "value" and any([text.lstrip("-") == what for text in written]) else "computed"


def _reached(net: _Net, birth: _Key) -> list[_Key]:
    """The arrays that it reached: those with NaN or infinity that were computed from one such."""
    reached = {birth: None}
    open_ = deque([birth])
    while open_:
        for key in net[open_.popleft()].uses:
            if key not in reached and (net[key].has("nan") or net[key].has("inf")):
                reached[key] = None
                open_.append(key)
    return list(reached)


def _first(array: Snapshot, what: What) -> tuple[int, ...] | None:
    if not array.is_whole:
        return None
    bad = np.isnan(array.values) if what == "nan" else np.isinf(array.values)
    return tuple([int(i) for i in np.argwhere(bad)[0]])
