"""Parameters that nothing uses, that their model does not know, that no optimizer holds, or that are replaced."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...engine.source import file_label
from .cuts import named_parameters
from .evidence import Evidence
from .lines import first_line, line_above, line_near
from .report import ProgramFinding
from .words import listed
from .workbench import LiveParameter

Found = Iterator[ProgramFinding]


def unreached(e: Evidence) -> Found:
    """Parameters that no step on the way to the loss uses."""
    if not e.watch.has_loss or e.recording is None:
        return
    lost = [p for p in e.trainable if e.gradient(p) is None]
    used = {p.name for p in named_parameters(e, set(e.users))}
    unused = [p for p in lost if p.name not in used]
    reached = {p.owner for p in e.trainable if e.gradient(p) is not None}
    held = {p.name for o in e.bench.held(e.program.named).values() for p in e.bench.same(e.parameters, o)}
    suspects = [p for p in unused if p.owner in reached and (not held or p.name in held)]
    suspects = [p for p in suspects if not p.label or len(p.value().shape) > 1]  # a bias in a pytree is often left out
    others = [p for p in unused if p not in suspects]
    if others:
        e.facts.append(f"Nothing on the way to the loss uses {listed([p.name for p in others])}.")
    if suspects:
        line, file = _definition(e, suspects[0]) or first_line(e)
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
        found = line_near(e, f'"{parameter.label.rpartition("[")[2].rstrip("]")}"')
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
            line, file = assignment(model, attribute) or first_line(e)
            yield e.found(
                "unregistered_parameter",
                f"{type(model).__name__}.{attribute} holds {len(hidden)} parameters that get a gradient and that "
                "parameters() does not list: an optimizer never sees them.",
                e.bench.how_to_register,
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
    made = line_above(e, rf"\b({'|'.join(map(re.escape, names))})\s*=")
    later = line_above(e, rf"^\s*({'|'.join(map(re.escape, owners))})[.\[].*[^=]=[^=]")
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
    line, file = first_line(e)
    source = None if e.recording is None else e.recording.source
    if source is None or line is None:
        return line, file
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(t, "attr", getattr(t, "id", None)) == attribute for t in targets):
            return line + node.lineno - 1, file  # type: ignore[attr-defined]
    return line, file
