"""Parameters that nothing uses, that are not registered with their model, or that no optimizer holds."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import file_label
from ...recording.model import Step
from .copied_program import items
from .evidence import Evidence, Found
from .lines import assignment, code_of, first_line, line_above, line_near, throws_away
from .loss_terms import EMBEDDING
from .report import CodeLine, at_line, holds, listed
from .rounds import carried
from .workbench import LiveParameter

_DISTINCT = 6
"""Of fewer different numbers, two parameters may begin with the same by chance."""


def unreached(e: Evidence) -> Found:
    """Parameters that no step on the way to the loss uses."""
    if not e.watch.has_loss or e.recording is None:
        return
    yield from (old := [*_computed_before(e)])
    lost = [p for p in e.trainable if e.gradient(p) is None and not old]
    used = {p.name for p in e.named_parameters(set(e.users))}
    ends = {p.name: end for p in lost if p.name in used and (end := _dropped(e, p)) is not None}
    unused = [p for p in lost if p.name not in used or p.name in ends]
    reached = {p.owner for p in e.trainable if e.gradient(p) is not None}
    suspects = [p for p in unused if p.owner in reached and (not e.held or p.name in e.held)]
    suspects = [p for p in suspects if not p.label or len(p.value().shape) > 1]  # a bias in a pytree is often left out
    others = [p for p in unused if p not in suspects]
    if others:
        e.facts.append(f"Nothing on the way to the loss uses {listed([p.name for p in others])}.")
    if suspects:
        end = ends.get(suspects[0].name)
        why = "the loss does not depend on" if end is None else f"{at_line(end)} is never used; it alone uses"
        yield e.suspect(
            "unreached_parameter",
            f"No gradient reaches {listed([p.name for p in suspects])}: {why} "
            f"{'it' if len(suspects) == 1 else 'them'}.",
            "Use the layer in forward, or remove it."
            if end is None
            else "Compute with the result, under the name that it got, or remove the layer.",
            at=end or _definition(e, suspects[0]) or first_line(e),
        )
    frozen = [p.name for p in e.parameters if not p.trainable]
    if frozen and e.trainable:
        e.facts.append(f"{len(frozen)} of {len(e.parameters)} parameters are frozen: {listed(frozen)}.")


def _computed_before(e: Evidence) -> Found:
    """A value that was computed from the parameters before the program ran, if it alone links them to the loss."""
    used = [s.name for s in e.steps.values() if s.id in e.used and s.kind in ("input", "leaf")]
    for name, value in {} if e.used & e.learned else e.program.named.items():
        behind = e.bench.same(e.trainable, e.bench.beginnings({name: value}))
        if behind and name in used:
            yield e.found(
                "graph_reused",
                f"`{name}` was computed from {listed([p.name for p in behind])} before the step, so it stays the same "
                "while the parameters change.",
                "Run the forward pass in the step, before each backward pass.",
                at=line_above(e, rf"\b{re.escape(name)}\s*="),
            )


def _dropped(e: Evidence, parameter: LiveParameter) -> Step | None:
    """The last step that a parameter reaches, if its line discards the result."""
    reached = e.after({i for i in e.learned if e.parameter(e.steps[i]) is parameter})
    end = e.steps[max(reached)] if reached and not reached & (e.used | e.left) else None
    if end is None or end.line is None:
        return None
    owner = dict(items(e.program.named)).get(parameter.owner)
    codes = [code_of(e), *[_forward(part) for part, _ in _way_to(owner, parameter.path)]]
    names = {code.co_filename for code in codes if code is not None and file_label(code.co_filename) == end.file}
    return end if any(throws_away("".join(linecache.getlines(name)), end.line) for name in names) else None


def _definition(e: Evidence, parameter: LiveParameter) -> CodeLine | None:
    """Where the innermost user's class assigns the attribute, or else where a key or the model itself is written."""
    if parameter.label:
        return line_near(e, f'"{parameter.label.rpartition("[")[2].rstrip("]")}"')
    every = dict(items(e.program.named))
    outer, _, attribute = parameter.owner.rpartition(".")
    way = [(every.get(outer), attribute), *_way_to(every.get(parameter.owner), parameter.path)]
    places = [place for part, name in reversed(way) if part is not None and (place := assignment(part, name))]
    return places[0] if places else line_above(e, rf"\b{re.escape(re.split(r'[.[]', parameter.owner)[0])}\s*=")


def _way_to(owner: Any, path: str) -> list[tuple[Any, str]]:
    """The model and its parts on the path to a parameter, each with the name of the next part."""
    found = []
    for name in filter(None, path.split(".")):
        found.append((owner, name))
        owner = owner[int(name)] if name.isdigit() and hasattr(owner, "__getitem__") else getattr(owner, name, None)
    return found


def _forward(part: Any) -> Any:
    return getattr(getattr(type(part), "forward", None), "__code__", None)


def unregistered(e: Evidence) -> Found:
    """Parameters in a plain list or object that are used but not registered with their model."""
    after = [e.bench.array(tensor) for *_, hidden in e.bench.unregistered(e.watch.program.named) for tensor in hidden]
    for model, attribute, hidden in e.bench.unregistered(e.program.named):
        arrays = [a for tensor in hidden if (a := e.bench.array(tensor)) is not None]
        arrays = [a for a in arrays if any(b is not None and np.array_equal(a, b) for b in after)]  # others are states
        leaves = [s for s in e.steps.values() if s.kind == "leaf" and s.status in ("ok", "zero")]
        used = [s for s in leaves for a in arrays if holds(s, a)]
        if used:
            user = next(iter(e.users.get(used[0].id, [])), used[0])
            yield e.found(
                "unregistered_parameter",
                f"{type(model).__name__}.{attribute} holds {len(hidden)} parameter{'s' * (len(hidden) > 1)} that "
                "parameters() does not list, so no optimizer updates them.",
                e.bench.how_to_register,
                at=assignment(model, attribute) or CodeLine(user.line, user.file),
            )


def repeated(e: Evidence) -> Found:
    """A list that is multiplied to get several layers, and contains the same one several times."""
    for part in [part for _, m in e.bench.of_kind(e.program.named, e.bench.models) for part in e.bench.parts(m)]:
        layers = [layer for layer in part if isinstance(layer, e.bench.models)] if isinstance(part, Iterable) else []
        for layer in layers:
            count, kind = sum(other is layer for other in layers), type(layer).__name__
            line = line_above(e, rf"\[.*\b({kind}\(.*|[a-z_]\w*)\]\s*\*\s*\w")
            if count > 1 and line is not None and e.bench.named_parameters(layer):
                yield e.suspect(
                    "repeated_layer",
                    f"The list in line {line.line} contains the same {kind} {count} times: there is only one set of "
                    "parameters, which all of them use.",
                    "Make each layer anew, as in [Linear(8, 8) for _ in range(3)]; to share one, apply it in a loop.",
                    at=line,
                )
                return


def outside_optimizer(e: Evidence) -> Found:
    """Parameters with a gradient that no optimizer holds: some of a layer, or all."""
    copies = e.watch.program.named
    held_by = e.bench.held(copies)
    if not held_by or not e.watch.has_loss:
        return
    live = e.watch.parameters
    held = {p.name for tensors in held_by.values() for p in e.bench.same(live, tensors)}
    reached = [p for p in live if p.trainable and e.gradient(p) is not None]
    missing = [p for p in reached if p.name not in {*held, *carried(e)}]
    others = len(missing) == len(reached)
    partly = [p for p in missing if others or any(q.owner == p.owner and q.name in held for q in live)]
    upstream = [p for p in missing if not partly and _feeds(e, p, held)]
    if missing and not partly and not upstream:
        e.facts.append(f"The optimizer leaves {listed([p.name for p in missing])} alone, which get a gradient.")
    for left, say in ((partly, e.found), (upstream, e.suspect)):
        if left:
            yield say(
                "not_in_optimizer",
                f"{listed(held_by)} does not hold {listed([p.name for p in left])} ({len(left)} of "
                f"{len(reached)} parameters with a gradient), so they never change.",
                "Give the optimizer the parameters of all models, after all layers are made.",
                at=_optimizer_line(e, held_by, {p.owner for p in left}),
            )


def _feeds(e: Evidence, parameter: LiveParameter, held: set[str]) -> bool:
    """Whether a value computed from a parameter feeds a layer that is trained, with the model in training mode."""
    if not e.bench.training(e.program.named).get(parameter.owner, (True, []))[0]:
        return False
    leaves = {p.name: i for i in e.learned if (p := e.parameter(e.steps[i])) is not None}
    if parameter.name not in leaves:
        return False
    trained = [user for name, i in leaves.items() if name in held for user in e.users.get(i, [])]
    return any(leaves[parameter.name] in e.behind([o for o in e.operands(u) if o.id not in e.learned]) for u in trained)


def _optimizer_line(e: Evidence, names: Iterable[str], owners: Iterable[str]) -> CodeLine | None:
    """The line that replaced a layer after the optimizer was created, or else the line that created the optimizer."""
    made = line_above(e, rf"\b({'|'.join(map(re.escape, names))})\s*=")
    later = line_above(e, rf"^\s*({'|'.join(map(re.escape, owners))})[.\[].*[^=]=[^=]")
    return later if made and later and later > made else made


def copied(e: Evidence) -> Found:
    """Two parameters that begin with the same numbers as if they were one, in layers that often share them, and are
    trained apart."""
    leaves = [(e.steps[i], p) for i in sorted(e.learned & e.used) if (p := e.parameter(e.steps[i])) and p.trainable]
    pairs = [(a, b) for k, a in enumerate(leaves) for b in leaves[k + 1 :] if a[1].tensor is not b[1].tensor]
    for (one, first), (other, second) in pairs:
        a, b = first.value(), second.value()
        if a.ndim != 2 or b.ndim != 2 or len(np.unique(a)) < _DISTINCT or np.shares_memory(a, b):
            continue
        used = [{user.function for user in e.uses(leaf)} for leaf in (one, other)]
        words = [bool(names & {*EMBEDDING}) for names in used]
        is_turned = a.shape != b.shape and np.array_equal(a, b.T)
        if is_turned or (np.array_equal(a, b) and words[0] != words[1]):
            yield e.suspect(
                "copied_weights",
                f"{second.name} begins with the numbers of {first.name}, as a copy{' of its transpose' * is_turned}, "
                "and each gets its own gradient: from the first update on, they differ.",
                "To share weights, let both layers use one parameter: decoder.weight = encoder.weight.",
                at=_definition(e, second) or first_line(e),
            )
            return
