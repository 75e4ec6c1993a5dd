"""How much of the gradient reaches each layer: the norms of values, gradients and weights in order of depth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Literal

from ..engine import Savable, show
from .model import LEAVES, Operand, Recording, Scope, Step
from .observations import EXPLODED, VANISHED, cancelled, reference_step, vanished
from .step import REARRANGED, enclosing
from .step_text import in_short

FlowSign = Literal["vanishes", "explodes", "zero", "none", ""]


@dataclass(frozen=True)
class LayerFlow:
    """One layer: a step that uses weights, or a step of a function without weights.

    ``step`` is the id of the step; ``value`` and ``gradient`` are the norms of its value and of the gradient that
    arrives there, ``weight`` and ``weight_gradient`` those of the weights used there. ``sign`` says what is wrong with
    the gradient: it ``vanishes`` (less than a thousandth of that of the last layer), ``explodes`` (more than a thousand
    times that), is exactly ``zero``, or there is ``none``.
    """

    layer: str
    step: int
    value: float
    gradient: float
    weight: float | None
    weight_gradient: float | None
    sign: FlowSign

    @property
    def ratio(self) -> float | None:
        """The norm of the weights' gradient divided by that of the weights; None if there are no weights."""
        return self.weight_gradient / self.weight if self.weight and self.weight_gradient is not None else None


@dataclass(frozen=True, repr=False)
class GradientFlow(Savable):
    """The layers of a run in order of depth, created by `Recording.flow`. It displays itself as a plot and prints as a
    table.

    Examples
    --------
    >>> import autolab
    >>> net = autolab.links.MLP((8, 8, 1))
    >>> flow = autolab.record(lambda x: net(x).sum(), [[1.0, 2.0, 3.0, 4.0]]).flow()
    >>> [row.layer for row in flow.rows], flow.marked
    (['net.l0', 'net.l1', 'net.l2'], ())
    """

    rows: tuple[LayerFlow, ...]
    function: str
    recording: Recording = field(compare=False)

    @property
    def marked(self) -> tuple[LayerFlow, ...]:
        """The layers whose gradient is wrong."""
        return tuple([row for row in self.rows if row.sign])

    def explore(self, layer: str | None = None) -> Any:
        """Open the live graph at a layer, by default the first one whose gradient is wrong.

        Raises
        ------
        KeyError
            If no layer has that name.
        """
        named = self.marked if layer is None else [row for row in self.rows if row.layer == layer]
        if layer is not None and not named:
            raise KeyError(f"flow: no layer is called {layer!r:.60}; see .rows")
        return show(self, "live", named[0].step if named else None)

    def __repr__(self) -> str:
        return str(show(self, "text"))


def gradient_flow(recording: Recording) -> GradientFlow:
    """The gradient flow through the layers of a recording."""
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    weights = _weights(recording)
    users = [recording.by_id[step] for step in weights]
    if not users:
        users = [step for step in recording.steps if step.kind == "call" and step.value and step.value.size > 1]
    leaves = [leaf for found in weights.values() for _, leaf in found]
    gone = cancelled(recording, {step.id for step in [*users, *leaves] if _sign(_norm(step), size) == "vanishes"})
    dying = vanished(recording, {step.id for step in recording.steps if _sign(_norm(step), size) == "vanishes"})
    parts: dict[int | None, list[Step]] = {}
    for part in [step for step in recording.steps if step.kind == "part"]:
        parts.setdefault(part.operands[0].step, []).append(part)
    names = LayerNames(recording)
    rows: list[LayerFlow] = []
    for step in users:
        row = _row(names.of(step), step, parts.get(step.id, [step]), weights.get(step.id, []), size, gone, dying)
        if rows and _continues(step, rows[-1].step) and names.are_one(step, recording.by_id[rows[-1].step]):
            row = _joined(rows.pop(), row)
        rows.append(row)
    counts = Counter([row.layer for row in rows])
    told = [_by_weight(row, weights.get(row.step, [])) if counts[row.layer] > 1 else row for row in rows]
    return GradientFlow(tuple(told), recording.function, recording)


def _by_weight(row: LayerFlow, weights: Sequence[tuple[Operand, Step]]) -> LayerFlow:
    """The row of one of several steps in a layer, named after the weight that it uses: ``cell.W``, ``cell.U``."""
    names = [leaf.name for _, leaf in weights if leaf.name]
    return replace(row, layer=f"{row.layer}.{names[0]}") if names else row


def _weights(recording: Recording) -> dict[int, list[tuple[Operand, Step]]]:
    """For each step, the operands that are learned: leaves from outside the function or, if it has none, inputs other
    than the data that flow through it."""
    steps = recording.by_id
    brought: dict[int, list[tuple[Operand, Step]]] = {}
    given: dict[int, list[tuple[Operand, Step]]] = {}
    for step in [step for step in recording.steps if step.kind == "call" and step.function not in REARRANGED]:
        operands = [(use, _arranged(steps[use.step], steps)) for use in step.operands if use.step is not None]
        flows = any([leaf.kind not in LEAVES for _, leaf in operands])
        for i, (use, leaf) in enumerate(operands):
            if leaf.grad is None or leaf.value is None:
                continue
            if leaf.kind == "leaf":
                brought.setdefault(step.id, []).append((use, leaf))
            elif leaf.kind == "input" and leaf.value.size > 1 and (flows or i > 0):
                given.setdefault(step.id, []).append((use, leaf))
    return brought or given


def _arranged(step: Step, steps: dict[int, Step]) -> Step:
    """The step behind transposing or reshaping, such as ``w`` in ``x @ w.T``."""
    while step.kind == "call" and step.function in REARRANGED and (below := step.operands[0].step) is not None:
        step = steps[below]
    return step


def _norm(*steps: Step) -> float:
    found = [step.grad.norm for step in steps if step.grad is not None]
    return math.hypot(*found) if found else math.nan


def _row(
    layer: str,
    step: Step,
    results: Sequence[Step],
    weights: Sequence[tuple[Operand, Step]],
    reference: float,
    gone: Collection[int],
    dying: Collection[int],
) -> LayerFlow:
    """The row of a layer and its results; a gradient that is ``gone`` is 0 up to rounding, and only one of those that
    are ``dying`` vanishes."""
    sent = [use.contribution for use, _ in weights]
    left = [share.norm for share, (_, leaf) in zip(sent, weights, strict=True) if share and leaf.id not in gone]
    sign = _sign(_norm(*results), reference)
    values = [result.value.norm for result in results if result.value is not None]
    return LayerFlow(
        layer,
        step.id,
        math.hypot(*values) if values else math.nan,
        _norm(*results),
        math.hypot(*[leaf.value.norm for _, leaf in weights if leaf.value is not None]) if weights else None,
        math.hypot(*left) if any(sent) else None,
        "" if sign == "vanishes" and not any([result.id in dying for result in results]) else sign,
    )


def _sign(gradient: float, reference: float) -> FlowSign:
    if math.isnan(gradient) or not gradient:
        return "none" if math.isnan(gradient) else "zero"
    if reference and gradient < VANISHED * reference:
        return "vanishes"
    return "explodes" if reference and gradient > EXPLODED * reference else ""


def _continues(step: Step, before: int) -> bool:
    """Whether a step belongs to the previous layer: a bias that is added to a product."""
    return any([use.step == before for use in step.operands])


def _joined(first: LayerFlow, last: LayerFlow) -> LayerFlow:
    weight = math.hypot(first.weight or 0.0, last.weight or 0.0)
    gradient = math.hypot(first.weight_gradient or 0.0, last.weight_gradient or 0.0)
    return LayerFlow(last.layer, last.step, last.value, last.gradient, weight, gradient, last.sign)


class LayerNames:
    """The name of the layer of each step of a recording, such as ``blocks.0.ln1``.

    It is the owner of the weights that the step uses, or of all weights that the link around it uses; if weights have
    no such names, the links and passes around it; else the step's own name.
    """

    def __init__(self, recording: Recording) -> None:
        self._steps = recording.by_id
        self._scopes, self._whole = recording.scopes, recording.function
        inside: dict[int, list[str]] = {}
        for step in recording.steps:
            owners = self._owners(step)
            for scope in enclosing(self._scopes, step.scope) if owners else ():
                inside.setdefault(scope, []).extend(owners)
        self._calls = Counter([scope.block for scope in recording.scopes if _path(scope)])
        self._owner = {scope: _common(owners) for scope, owners in inside.items()}

    def of(self, step: Step) -> str:
        """The layer of a step."""
        if owners := self._owners(step):
            return owners[0]
        path: list[str] = []
        is_told = False
        for scope in enclosing(self._scopes, step.scope):
            found = self._scopes[scope]
            if found.kind == "link":
                is_whole = found.label == self._whole
                if not (path and (is_whole or _path(found))) and (owner := self._owner.get(scope)):
                    return ".".join([owner, *path])
                if not is_whole:
                    path.insert(0, self._called(found))
            elif found.kind == "pass" and not is_told:
                path.insert(0, found.label)
            is_told = is_told or self._calls[found.block] == 1  # then its pass adds nothing
        return ".".join(path) or step.name or step.source or step.function or step.kind

    def _called(self, link: Scope) -> str:
        """The name of a link: its path in the link around it, or, for the outermost one, its call."""
        around = next((i for i in enclosing(self._scopes, link.parent) if self._scopes[i].block), None)
        if around is not None and (path := _path(link)):
            return path.removeprefix(f"{_path(self._scopes[around])}.")
        call, _, _ = link.label.rpartition("  # ")
        return in_short(call, 0).removesuffix("(…)") or call or link.label.partition(": ")[0]

    def are_one(self, step: Step, before: Step) -> bool:
        """Whether two steps are one layer: they have the same owner, or the second adds an ownerless bias to a
        product."""
        is_bias = step.function == "add" and not self._owners(step) and not self._owners(before)
        return is_bias or self.of(step) == self.of(before)

    def _owners(self, step: Step) -> list[str]:
        used = [self._steps[use.step] for use in step.operands if use.step is not None]
        owners = [(leaf.name or "").rpartition(".")[0] for leaf in used if leaf.kind == "leaf"]
        return [owner for owner in owners if owner]


def _path(scope: Scope) -> str:
    """The path of a link, ``layers.0`` of ``layers.0: Linear``; empty for anything else."""
    return (scope.block or "").rpartition(": ")[0]


def _common(names: list[str]) -> str:
    """The common prefix of dotted names."""
    levels = zip(*[name.split(".") for name in names], strict=False)
    return ".".join([level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels)])
