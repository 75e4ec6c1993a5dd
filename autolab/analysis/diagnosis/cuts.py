"""Gradients that do not arrive: cut on their way, never registered, frozen, or left out by the optimizer."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...engine.source import file_label
from ...recording.observations import WHY_ZERO
from .evidence import Evidence, listed
from .report import ProgramFinding
from .workbench import LiveParameter

Found = Iterator[ProgramFinding]

_KEEP = "Compute with the tensor itself; take numbers out only for printing."
_REMEDIES = {
    "argmax": "argmax has no gradient: give the loss the scores themselves, for example to cross_entropy.",
    "detach": "Remove the detach(), or keep it only where no gradient is to pass.",
    "data": "Use the tensor itself instead of its .data, which is outside the graph.",
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
    **dict.fromkeys(("argmin", "argsort", "topk"), "argmax"),
    **dict.fromkeys(("as_tensor", "asarray"), "tensor"),
}
_CUTTING = ("step", "compare", "cast", "argmax", "tensor")


def cut_gradients(e: Evidence) -> Found:
    """Parameters that got no gradient, and the line that cut it."""
    lost = {p.name for p in e.trainable if (g := e.gradient(p)) is None or not g.any()}
    if not e.trainable:
        yield from _all_frozen(e)
        return
    if is_evaluation(e) or (not e.watch.has_loss and e.watch.error is not None and e.recording is None):
        return
    places = list(_places(e))
    told: set[str] = set()
    for line, file, text, way, steps in reversed(places):
        behind = e.behind([e.steps[i] for i in steps])
        names = [p.name for p in _named(e, behind) if p.name in lost and p.name not in told]
        if not names and not (not e.watch.has_loss and e.learning & behind):
            continue
        if not e.watch.has_loss and told:
            continue
        if _is_intended(e, way, names):
            e.facts.append(f"Line {line}, `{text}`, keeps gradients from {listed(names)}: as intended with {way}.")
            told.update(names)
            continue
        told.update(names)
        whom = listed(names) if names else "any parameter"
        count = f"{len(names)} of {len(e.trainable)} parameters: " if names else ""
        remedy = _REMEDIES.get(way, _KEEP)
        yield e.found(
            "cut_gradient",
            f"Line {line}, `{text}`, takes the value out of the graph, so no gradient reaches {count}{whom}.",
            remedy,
            line=line,
            file=file,
            at=e.steps[steps[0]],
        )
    yield from _without_effect(e)


def is_evaluation(e: Evidence) -> bool:
    """Whether all of a function is under no_grad, up to its loss, and modes matter: it evaluates a model."""
    if e.recording is None or e.loss is None or e.watch.has_loss or e.watch.error is not None:
        return False
    minds = any(layers for _, layers in e.bench.training(e.program.named).values())
    return minds and e.loss.status == "constant" and all(gone.how == "no_grad" for gone in e.recording.departures)


def _places(e: Evidence) -> Iterator[tuple[int, str | None, str, str, tuple[int, ...]]]:
    """Where values leave the graph, in the order of the lines' steps: line, file, text, how, and the steps."""
    found: list[tuple[int, int, str | None, str, str, tuple[int, ...]]] = []
    if e.recording is not None:
        written = {s.line for s in e.calls if s.function == "stop_gradient" and "stop_gradient" in (s.statement or "")}
        for gone in e.recording.departures:
            if "stop_gradient" in gone.source and gone.line not in written:
                continue  # the library's own, as in softmax
            found.append((max(gone.steps), gone.line, gone.file, gone.source, _way(gone.source, gone.how), gone.steps))
    for step in e.calls:
        needing = [o for o in e.operands(step) if o.status not in ("constant", "integer") and o.id in e.learning]
        way = _WAYS.get(step.function or "", step.function or "")
        is_out = way in _CUTTING and (step.status in ("constant", "integer") or way == "tensor")
        if step.line is not None and needing and (is_out or way == "step"):
            found.append((step.id, step.line, step.file, step.source or way, way, tuple([o.id for o in needing])))
    for _, line, file, text, way, steps in sorted(found, key=lambda item: item[0]):
        yield line, file, text, way, steps


def _way(source: str, how: str) -> str:
    if how == "no_grad":
        return how
    known = ("detach", "stop_gradient", "argmax", "data", "item", "numpy", "tolist", "float", "int")
    return next((name for name in known if name in source), how)


def _named(e: Evidence, behind: set[int]) -> list[LiveParameter]:
    return [p for i in sorted(behind) if (p := e.parameter(e.steps[i])) is not None]


def _is_intended(e: Evidence, way: str, names: list[str]) -> bool:
    """Whether a cut that is written down keeps gradients from a whole model that nobody wants to train here."""
    if way not in ("detach", "no_grad", "stop_gradient", "data") or not names or not e.watch.has_loss:
        return False
    held = [p.name for o in e.bench.held(e.program.named).values() for p in e.bench.same(e.parameters, o)]
    if held:
        return not set(names) & set(held)
    others = {p.name for p in e.trainable if e.gradient(p) is not None}
    owners, reached = {_whole(e, name) for name in names}, {_whole(e, name) for name in others}
    if owners & reached or not reached:
        return False
    return way == "no_grad" or all(owner.count(".") == 0 for owner in owners)


def _whole(e: Evidence, name: str) -> str:
    """The model of a parameter; of a model in a model that has several layers, that one."""
    owner = next(p.owner for p in e.parameters if p.name == name)
    child = name[len(owner) :].lstrip(".").split(".")
    layers = {p.path.rpartition(".")[0] for p in e.parameters if p.name.startswith(f"{owner}.{child[0]}.")}
    return f"{owner}.{child[0]}" if len(layers) > 1 else owner


def _all_frozen(e: Evidence) -> Found:
    if e.parameters:
        line, file = e.line_above(r"requires_grad(_\(| *= *)False|freeze\(")
        yield e.found(
            "frozen_parameter",
            f"All {len(e.parameters)} parameters are frozen (requires_grad is False), so nothing can learn.",
            "Set requires_grad_(True) on the layers that are to be trained.",
            line=line,
            file=file,
        )


def _without_effect(e: Evidence) -> Found:
    """A number that depends on parameters and is added to the loss as a constant: it changes no gradient."""
    every = () if e.recording is None else e.recording.departures
    gone = [d for d in every if d.how == "left" and e.learning & set(d.steps)]
    waiting = [] if e.loss is None or not gone else [e.loss]
    seen: set[int] = set()
    while waiting:
        step = waiting.pop()
        if step.id in seen or step.function not in ("add", "sub", "mul", "div", "neg"):
            continue
        seen.add(step.id)
        waiting += e.operands(step)
        texts = [o.constant for o in step.operands if o.constant]
        if step.function not in ("add", "sub") or not texts or e.with_other_parameters is None:
            continue
        other = e.with_other_parameters.steps[step.id]
        if other.function == step.function and texts != [o.constant for o in other.operands if o.constant]:
            yield e.found(
                "cut_gradient",
                f"Line {gone[-1].line}, `{gone[-1].source}`, makes a plain number of parameters, and line {step.line} "
                f"adds it to the loss ({texts[0]}). It changes the loss but no gradient.",
                _KEEP,
                line=gone[-1].line,
                file=gone[-1].file,
                at=step,
                certainty="suspicious",
            )
            return


# ---------------------------------------------------------------------------------------------- parameters
def unreached(e: Evidence) -> Found:
    """Parameters that no step on the way to the loss uses."""
    if not e.watch.has_loss or e.recording is None:
        return
    lost = [p for p in e.trainable if e.gradient(p) is None]
    used = {p.name for p in _named(e, set(e.users))}
    unused = [p for p in lost if p.name not in used]
    reached = {p.owner for p in e.trainable if e.gradient(p) is not None}
    held = {p.name for o in e.bench.held(e.program.named).values() for p in e.bench.same(e.parameters, o)}
    suspects = [p for p in unused if p.owner in reached and (not held or p.name in held)]
    suspects = [p for p in suspects if not p.label or len(p.value().shape) > 1]  # a bias in a pytree is often left out
    others = [p for p in unused if p not in suspects]
    if others:
        e.facts.append(f"Nothing on the way to the loss uses {listed([p.name for p in others])}.")
    if suspects:
        line, file = _definition(e, suspects[0]) or e.first_line
        yield e.found(
            "unreached_parameter",
            f"No gradient reaches {listed([p.name for p in suspects])}: no step on the way to the loss uses "
            f"{'it' if len(suspects) == 1 else 'them'}.",
            "Use the layer in forward, or remove it.",
            line=line,
            file=file,
            certainty="suspicious",
        )
    frozen = [p.name for p in e.parameters if not p.trainable]
    if frozen and e.trainable:
        e.facts.append(f"{len(frozen)} of {len(e.parameters)} parameters are frozen: {listed(frozen)}.")


def _definition(e: Evidence, parameter: LiveParameter) -> tuple[int, str] | None:
    """Where a class assigns the attribute, or where the key of a dict is written."""
    if parameter.label:
        found = e.line_near(f'"{parameter.label.rpartition("[")[2].rstrip("]")}"')
        return None if found[0] is None or found[1] is None else (found[0], found[1])
    owner = e.program.named.get(parameter.owner)
    return assignment(owner, parameter.path.partition(".")[0]) if owner is not None else None


def assignment(owner: Any, attribute: str) -> tuple[int, str] | None:
    """File and line where the class of an object assigns an attribute of it."""
    for cls in type(owner).__mro__:
        try:
            lines, first = inspect.getsourcelines(cls)
            tree = ast.parse(textwrap.dedent("".join(lines)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in ast.walk(tree):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if any(isinstance(t, ast.Attribute) and t.attr == attribute for t in targets):
                return first + node.lineno - 1, file_label(inspect.getsourcefile(cls) or "")  # type: ignore[attr-defined]
    return None


def unregistered(e: Evidence) -> Found:
    """Parameters in a plain list or object that are used and that their model does not know."""
    for model, attribute, hidden in e.bench.unregistered(e.program.named):
        arrays = [a for tensor in hidden if (a := e.bench.array(tensor)) is not None]
        used = [
            s.value for s in e.steps.values() if s.kind == "leaf" and s.status in ("ok", "zero") and s.value is not None
        ]
        is_used = any(v.shape == a.shape and np.array_equal(v.values, a) for v in used for a in arrays)
        if is_used:
            line, file = assignment(model, attribute) or e.first_line
            yield e.found(
                "unregistered_parameter",
                f"{type(model).__name__}.{attribute} holds {len(hidden)} parameters that get a gradient and that "
                "parameters() does not list: an optimizer never sees them.",
                "Hold layers in nn.ModuleList or nn.Sequential, and tensors as nn.Parameter.",
                line=line,
                file=file,
            )


def outside_optimizer(e: Evidence) -> Found:
    """Parameters with a gradient that no optimizer holds, and optimizers that hold other parameters."""
    copies = e.watch.program.named
    held_by = e.bench.held(copies)
    if not held_by or not e.watch.has_loss:
        return
    live = e.watch.parameters
    held = {p.name for tensors in held_by.values() for p in e.bench.same(live, tensors)}
    reached = [p for p in live if p.trainable and e.gradient(p) is not None]
    missing = [p for p in reached if p.name not in held]
    partly = [p for p in missing if not held or any(q.owner == p.owner and q.name in held for q in live)]
    upstream = [p for p in missing if not partly and _feeds(e, p, held)]
    if missing and not partly and not upstream:
        e.facts.append(f"The optimizer leaves {listed([p.name for p in missing])} alone, which get a gradient.")
    for left, certainty in ((partly, "wrong"), (upstream, "suspicious")):
        if left:
            line = _optimizer_line(e, held_by, {p.owner for p in left})
            yield e.found(
                "not_in_optimizer",
                f"The optimizer {listed(held_by)} does not hold {listed([p.name for p in left])} ({len(left)} of "
                f"{len(reached)} parameters with a gradient), so they never change.",
                "Give the optimizer the parameters of all models, after all layers are made.",
                line=line[0],
                file=line[1],
                certainty=certainty,  # type: ignore[arg-type]
            )


def _feeds(e: Evidence, parameter: LiveParameter, held: set[str]) -> bool:
    """Whether what a parameter makes goes into a layer that is trained, and its model is in training mode."""
    if not e.bench.training(e.program.named).get(parameter.owner, (True, []))[0]:
        return False
    leaves = {p.name: i for i in e.learned if (p := e.parameter(e.steps[i])) is not None}
    if parameter.name not in leaves:
        return False
    trained = [user for name, i in leaves.items() if name in held for user in e.users.get(i, [])]
    return any(leaves[parameter.name] in e.behind([o for o in e.operands(u) if o.id not in e.learned]) for u in trained)


def _optimizer_line(e: Evidence, names: Iterable[str], owners: Iterable[str]) -> tuple[int | None, str | None]:
    """Where a layer was replaced after the optimizer was made, else where that was made."""
    made = e.line_above(rf"\b({'|'.join(map(re.escape, names))})\s*=")
    later = e.line_above(rf"^\s*({'|'.join(map(re.escape, owners))})[.\[].*[^=]=[^=]")
    return later if later[0] and made[0] and later[0] > made[0] else made


def replaced(e: Evidence) -> Found:
    """Parameters that are other objects after a round than before it."""
    before = {p.name: p for p in e.watch.parameters}
    after = {p.name: p for p in e.bench.parameters(e.watch.program.named)}
    names = [name for name, p in before.items() if p.trainable and name in after and after[name].tensor is not p.tensor]
    gone = [name for name, p in before.items() if p.trainable and name not in after]
    if names or gone:
        attribute = (names or gone)[0].rpartition(".")[2]
        line = _assigned_in(e, attribute)
        yield e.found(
            "replaced_parameter",
            f"{listed(names or gone)} is another object after the step than before it: the optimizer and the graph "
            "still hold the old one.",
            "Change parameters in place: with torch.no_grad(): p -= lr * p.grad, or let an optimizer do it.",
            line=line[0],
            file=line[1],
        )


def _assigned_in(e: Evidence, attribute: str) -> tuple[int | None, str | None]:
    """The line of the function that assigns the attribute or name."""
    line, file = e.first_line
    source = None if e.recording is None else e.recording.source
    if source is None or line is None:
        return line, file
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(t, "attr", getattr(t, "id", None)) == attribute for t in targets):
            return line + node.lineno - 1, file  # type: ignore[attr-defined]
    return line, file
