"""Gradients that are cut on their way to a parameter."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...recording import Departure, Step
from ...recording.observations import WHY_ZERO
from .evidence import Evidence, Found
from .lines import code_of, line_above, line_assigning, line_near
from .report import CodeLine, at_line, called, holds, listed, number, whole
from .workbench import LiveParameter

_KEEP = "Take numbers out of the graph only to print them."
_REMEDIES = {
    "argmax": "Indices have no gradient: give the loss the scores themselves, for example to cross_entropy.",
    "detach": "Remove the detach(), or keep it only where no gradient is to pass.",
    "autograd.grad": "Give it create_graph=True, so that its result can be differentiated again.",
    "data": "Leave out .data, which takes the numbers out of the graph.",
    "unchain": "Leave it out of the forward pass: it belongs after backward(), between sequences.",
    "stop_gradient": "Remove stop_gradient where a gradient is to pass.",
    "tensor": "torch.tensor(...) copies numbers and forgets the graph: use the tensor itself, torch.stack or "
    "torch.cat.",
    "no_grad": "Move this line out of the no_grad block.",
    "compare": "A comparison has no gradient: use a smooth one such as sigmoid, and count hits outside of the loss.",
    "cast": "Integers have no gradient: keep floats up to the loss.",
    "step": "Rounding has a gradient of 0 everywhere: train with the value itself, or x + (round(x) - x).detach().",
}
_WAYS = {
    **dict.fromkeys(("gt", "lt", "ge", "le", "eq", "ne"), "compare"),
    **dict.fromkeys(("long", "int", "to", "type", "bool", "cast", "convert_element_type", "short", "byte"), "cast"),
    **dict.fromkeys(WHY_ZERO["step"], "step"),
    **dict.fromkeys(("argmin", "argsort", "topk", "max", "min", "sort"), "argmax"),
    **dict.fromkeys(("as_tensor", "asarray"), "tensor"),
}
_CUTTING = ("step", "compare", "cast", "argmax", "tensor")


class _Cut(NamedTuple):
    """Where, and in which way, values of ``steps`` leave the graph or enter a function without a gradient."""

    last: int
    line: int
    file: str | None
    text: str
    way: str
    steps: tuple[int, ...]


def cut_gradients(e: Evidence) -> Found:
    """Parameters that got no gradient, and the line that cut it."""
    lost = {p.name for p in e.trainable if (g := e.gradient(p)) is None or not g.any()}
    if not e.trainable:
        yield from _all_frozen(e)
        return
    if is_evaluation(e) or (not e.watch.has_loss and e.watch.error is not None and e.recording is None):
        return
    told: set[str] = set()
    is_zero = {p.name for p in e.named_parameters(e.used) if e.gradient(p) is not None}  # for another reason
    kept: set[str] = set()  # of models that are not to be trained here
    cuts = _cuts(e)
    for cut in cuts:
        behind = e.behind([e.steps[i] for i in cut.steps])
        names = [p.name for p in e.named_parameters(behind) if p.name in lost - told - kept]
        names = names if cut.way in _CUTTING else [name for name in names if name not in is_zero]
        if not names and (e.watch.has_loss or not e.learning & behind):
            continue
        if not e.watch.has_loss and told:
            continue
        if _is_intended(e, cut.way, names) or _is_beside(e, cut, names, cuts):
            kept.update(names)
            e.facts.append(
                f"Line {cut.line}, `{cut.text}`, keeps gradients from {listed(names)}: as intended with {cut.way}."
            )
            continue
        told.update(names)
        whom = f"{len(names)} of {len(e.trainable)} parameters: {listed(names)}" if names else "any parameter"
        yield e.found(
            "cut_gradient",
            f"Line {cut.line}, `{cut.text}`, takes the value out of the graph, so no gradient reaches {whom}.",
            _REMEDIES.get(cut.way, _KEEP),
            at=e.steps[cut.steps[0]],
            told_at=CodeLine(cut.line, cut.file),
        )
    yield from _through_zeros(e, lost - told - kept)
    if not told | kept and e.watch.has_loss and len(lost) == len(e.trainable):
        yield from _begun_anew(e)
        yield from _times_zero(e)
    yield from _between_places(e)
    yield from _without_effect(e)
    if (e.loss is None or e.loss.status == "constant") and not (told or e.watch.has_loss or e.watch.error):
        yield from _of_places(e)


def changed_outside(e: Evidence) -> Found:
    """An array of a result that the program changes itself, so that the graph no longer fits."""
    for gone, step in changed_results(e):
        behind = e.named_parameters(e.behind([step]))
        is_refused = e.watch.told[0] == "DamagedValueError"
        slopes = None if is_refused else _slopes(e, behind)
        if behind and (is_refused or slopes is not None):
            told = "" if slopes is None else f": the loss changes by {slopes[0]} where they say {slopes[1]}"
            yield (e.found if is_refused else e.suspect)(
                "changed_in_place",
                f"Line {gone.line}, `{gone.source}`, changes {called(step)} outside of the graph. The gradients of "
                f"{listed([p.name for p in behind])} do not know of it{told}.",
                "Compute a new value instead, for example h = h * mask, F.where(mask, h, 0) or F.clip(h, low, high).",
                at=step,
                told_at=CodeLine(gone.line, gone.file),
            )
            return


def changed_results(e: Evidence) -> list[tuple[Departure, Step]]:
    """The results on the way to the loss whose arrays the program changes itself, and where."""
    gone = [(d, e.steps[i]) for d in e.departures if d.how == "changed" for i in d.steps if i in e.used]
    return [(d, step) for d, step in gone if step.operands]


def _slopes(e: Evidence, parameters: list[LiveParameter]) -> tuple[str, str] | None:
    """By how much a small step along the gradients of some parameters changes the loss, and by how much it should; None
    if that is the same, or not clear."""
    pairs = {p.name: (p.value(), g) for p in parameters if (g := e.gradient(p)) is not None}
    size, slope = [math.hypot(*[float(np.linalg.norm(pair[i])) for pair in pairs.values()]) for i in (0, 1)]
    if not size or not slope:
        return None

    def change(length: float) -> float:
        t = length * size / slope
        ends = [
            e.with_parameters({name: (v + s * g).astype(v.dtype) for name, (v, g) in pairs.items()}) for s in (t, -t)
        ]
        up, down = [whole(end.steps[end.outputs[0]].value) if end and end.outputs else None for end in ends]
        return math.nan if up is None or down is None else float(up.sum() - down.sum()) / length

    far, near, told = change(1e-3), change(5e-4), 2 * size * slope
    is_clear = abs(far - near) < 0.03 * max(abs(near), told) and abs(near - told) > 0.1 * max(abs(near), told)
    return (number(1e-3 * near), number(1e-3 * told)) if is_clear else None


def _between_places(e: Evidence) -> Found:
    """A state that leaves the graph between any two places of a sequence, with one loss behind the last."""
    for gone in e.departures if e.watch.has_loss else ():
        states = {i: v.values for i in gone.steps if i in e.learning - e.used and (v := e.steps[i].value) is not None}
        begun = [s for i in e.used if states and not (s := e.steps[i]).operands and holds(s, states[max(states)])]
        cells = [e.steps[i] for i in e.learned & e.used if begun and states.keys() <= e.after({i})]
        learning = [[use.id in e.used for use in e.uses(cell)] for cell in cells]
        if len(states) > 1 and any(sum(uses) == 1 < len(uses) - 1 for uses in learning):
            yield e.suspect(
                "cut_gradient",
                f"Line {gone.line}, `{gone.source}`, takes the state out of the graph {len(states)} times: the loss "
                "sends gradients through the last place alone, and nothing learns what to keep from those before.",
                "Keep the state in the graph within a sequence; detach it between sequences.",
                at=e.steps[gone.steps[0]],
                told_at=CodeLine(gone.line, gone.file),
            )


def _of_places(e: Evidence) -> Found:
    """A result without a gradient, because the program returns indices."""
    asked = [name for name in getattr(code_of(e), "co_names", ()) if name in ("argmax", "argmin", "argsort")]
    if asked:
        whom, line = listed([p.name for p in e.trainable]), line_near(e, asked[0])
        told = f"`{asked[0]}` gives whole numbers, which have no gradient, so none reaches {whom}."
        yield e.found("cut_gradient", told, _REMEDIES["argmax"], at=line)


def _begun_anew(e: Evidence) -> Found:
    """A loss computed from a new leaf whose numbers came from parameters: gradients stop at the leaf."""
    leaves = [s for i in sorted(e.used - e.learned) if (s := e.steps[i]).kind == "leaf"]
    before = [s for s in e.calls if s.id in e.learning - e.used]
    if leaves and before and not e.used & e.learned:
        leaf, users = leaves[-1], e.users.get(leaves[-1].id, [])
        place = line_assigning(e, leaf.name) if leaf.name else next(iter(users), leaf)
        yield e.found(
            "cut_gradient",
            f"The loss depends on no parameter: the graph ends at {called(before[-1])} in line {before[-1].line}, and "
            f"{called(leaf)} begins a new one, which no gradient leaves.",
            _KEEP,
            at=leaf,
            told_at=place,
        )


def _through_zeros(e: Evidence, lost: set[str]) -> Found:
    """Weights that are all 0 and that no update changes, so that no gradient gets through them."""
    held = {name for event in e.watch.events for name in event.sizes}
    zeros = [p for p in e.parameters if len(p.value().shape) > 1 and not p.value().any()]
    still = {p.name: p for p in zeros if not p.trainable or (held and p.name not in held)}
    for step in [s for i in sorted(e.used) if (s := e.steps[i]).name in still and not s.operands]:
        p = still[step.name or ""]
        for user in e.uses(step):
            behind = e.behind([o for o in e.operands(user) if not e.is_parameter(o)])
            if names := [q.name for q in e.named_parameters(behind) if q.name in lost]:
                yield e.found(
                    "cut_gradient",
                    f"{at_line(user)} multiplies by {p.name}, whose numbers are all 0 and stay 0: no gradient reaches "
                    f"{listed(names)}.",
                    f"Initialise {p.name} with random numbers, or let the optimizer update it.",
                    at=user,
                )
                return


def _times_zero(e: Evidence) -> Found:
    """A product with only zeros, such as a mask that drops everything."""
    factors = [(s, o) for s in e.calls if s.function == "mul" and s.id in e.used for o in e.operands(s)]
    for step, given in factors:
        if given.id not in e.learning and given.value is not None and given.value.minimum == given.value.maximum == 0:
            yield e.found(
                "cut_gradient",
                f"{at_line(step)} multiplies by {e.called(given)}, which is 0: no gradient reaches any parameter.",
                "Look at how the factor is made: a mask is 1 where a number counts.",
                at=step,
            )


def is_evaluation(e: Evidence) -> bool:
    """Whether everything up to the loss is under no_grad and modes matter: then the function evaluates a model."""
    if e.recording is None or e.loss is None or e.watch.has_loss or e.watch.error is not None:
        return False
    minds = any(layers for _, layers in e.bench.training(e.program.named).values())
    ways = {gone.how for gone in e.departures}  # none if an argmax made the loss a constant
    return minds and e.loss.status == "constant" and ways == {"no_grad"}


def _cuts(e: Evidence) -> list[_Cut]:
    """All cuts, the last first."""
    written = {s.line for s in e.calls if s.function == "stop_gradient" and "stop_gradient" in (s.statement or "")}
    found = [
        _Cut(max(gone.steps), gone.line, gone.file, gone.source, _way(gone.source, gone.how), gone.steps)
        for gone in e.departures
        if gone.how != "changed"
        if "stop_gradient" not in gone.source or gone.line in written  # otherwise the library's own, as in softmax
    ]
    lines = {gone.line for gone in e.departures}
    for step in [s for s in e.steps.values() if s.line is not None and s.operands and s.id in e.learning]:
        given = [o.id for o in e.operands(step) if o.status not in ("constant", "integer") and o.id in e.learning]
        way = _WAYS.get(step.function or "", step.function or "")
        is_out = step.status in ("constant", "integer") and (way in _CUTTING or step.line not in lines)
        if given and (is_out or way in ("step", "tensor")):
            found.append(_Cut(step.id, step.line or 0, step.file, step.source or way, way, tuple(given)))
    return sorted(found, key=lambda cut: cut.last)[::-1]


def _way(source: str, how: str) -> str:
    if how == "no_grad":
        return how
    known = (
        "autograd.grad",
        "detach",
        "unchain",
        "stop_gradient",
        "argmax",
        "data",
        "item",
        "numpy",
        "tolist",
        "float",
        "int",
    )
    return next((name for name in known if name in source), how)


def _is_intended(e: Evidence, way: str, names: list[str]) -> bool:
    """Whether an explicit cut keeps gradients from a whole model that is not to be trained here."""
    if way not in ("detach", "unchain", "no_grad", "stop_gradient", "data") or not names or not e.watch.has_loss:
        return False
    if e.held:
        return not e.held & set(names)
    others = {p.name for p in e.trainable if e.gradient(p) is not None}
    owners, reached = {_whole(e, name) for name in names}, {_whole(e, name) for name in others}
    if owners & reached or not reached:
        return False
    return way == "no_grad" or all(owner.count(".") == 0 for owner in owners)


def _is_beside(e: Evidence, cut: _Cut, names: list[str], cuts: list[_Cut]) -> bool:
    """Whether a whole model is under ``no_grad``, as a target network, while another cut, such as an argmax, keeps all
    gradients from the others."""
    if cut.way != "no_grad" or not names or e.watch.has_loss:
        return False
    others = [e.steps[i] for other in cuts if other.way in _CUTTING for i in other.steps]
    reached = {_whole(e, p.name) for p in e.named_parameters(e.behind(others)) if p.trainable}
    return bool(reached) and not reached & {_whole(e, name) for name in names}


def _whole(e: Evidence, name: str) -> str:
    """The model of a parameter; for a submodel with several layers, that submodel."""
    owner, path = next((p.owner, p.path) for p in e.parameters if p.name == name)
    if not path:
        return ""  # separate arrays count as one model
    child = name[len(owner) :].lstrip(".").split(".")
    layers = {p.path.rpartition(".")[0] for p in e.parameters if p.name.startswith(f"{owner}.{child[0]}.")}
    return f"{owner}.{child[0]}" if len(layers) > 1 else owner


def _all_frozen(e: Evidence) -> Found:
    if e.parameters:
        yield e.found(
            "frozen_parameter",
            f"All {len(e.parameters)} parameters are frozen (requires_grad is False), so nothing can learn.",
            "Set requires_grad_(True) on the layers that are to be trained.",
            at=line_above(e, r"requires_grad(_\(| *= *)False|freeze\("),
        )


def _without_effect(e: Evidence) -> Found:
    """What depends on parameters and is added to the loss as a constant: it changes no gradient."""
    gone = [d for d in e.departures if d.how == "left" and e.learning & set(d.steps)]
    waiting = [] if e.loss is None else [e.loss]
    seen: set[int] = set()
    while waiting:
        step = waiting.pop()
        if step.id in seen or step.function not in ("add", "sub", "mul", "div", "neg"):
            continue
        seen.add(step.id)
        waiting += e.operands(step)
        cut = _cut_penalty(e, step)
        texts = [o.constant for o in step.operands if o.constant]
        if cut is not None:
            yield e.suspect(
                "cut_gradient",
                f"{at_line(cut)} takes parameters out of the graph, and line {step.line} adds what is made of them to "
                "the loss. It changes the loss but no gradient.",
                _REMEDIES.get(cut.function or "", _KEEP),
                at=cut,
            )
            return
        if not gone or step.function not in ("add", "sub") or not texts or e.with_other_parameters is None:
            continue
        other = e.with_other_parameters.steps[step.id]
        if other.function == step.function and texts != [o.constant for o in other.operands if o.constant]:
            yield e.suspect(
                "cut_gradient",
                f"Line {gone[-1].line}, `{gone[-1].source}`, turns parameters into a plain number, and line "
                f"{step.line} adds it to the loss ({texts[0]}). It changes the loss but no gradient.",
                _KEEP,
                at=step,
                told_at=gone[-1],
            )
            return


def _cut_penalty(e: Evidence, step: Step) -> Step | None:
    """Where a penalty of the weights alone, a term of a sum that has a gradient, leaves the graph."""
    given = e.operands(step)
    if step.function not in ("add", "sub") or len(given) != 2 or step.status == "constant":
        return None
    for term in [o for o in given if o.status == "constant" and o.id in e.learning]:
        behind = [e.steps[i] for i in sorted(e.behind([term]))]
        if all(s.operands or s.id in e.learned for s in behind):
            cuts = [
                s for s in behind if s.operands and any(o.status not in ("constant", "integer") for o in e.operands(s))
            ]
            return cuts[0] if cuts and cuts[0].line is not None else None
    return None
