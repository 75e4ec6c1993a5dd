"""What training steps show: gradients that accumulate or are discarded, a loss that does not change, and what is
created again in each step or carried from one to the next."""

from __future__ import annotations

import math
import re

import numpy as np

from ...recording.model import Step
from ...recording.step import enclosing
from .copied_program import items
from .evidence import Evidence, Found
from .lines import line_after, line_assigning, line_between
from .program_graph import ProgramGraph
from .program_watch import TrainingEvent, cosine
from .report import CodeLine, at_line, holds, listed, number, whole
from .sizes import far_targets
from .updates import REFUSED, are_cleared, is_matrix, made_at
from .workbench import LiveParameter

_UNRELATED = 3
"""So many different distances between the examples of a row in two steps show that no row goes on."""
_LINE = 0.99
"""Numbers whose change has a smaller cosine with the gradient were not changed by gradient descent."""


def accumulated(e: Evidence) -> Found:
    """Gradients that are used again because nothing clears them."""
    for event in [event for event in e.watch.events if event.piled][:1]:
        name, added = next(iter(event.piled.items()))
        steps = [step for step in e.watch.heard("step") if name in step.sizes]
        yield e.found(
            "gradients_accumulate",
            f"The update of step {event.pass_ + 1} uses gradients of {name} that an earlier update has used already: "
            f"nothing clears them before line {added.line}{_growth(steps)}.",
            "Clear the gradients in every step, before backward: optimizer.zero_grad() or model.cleargrads()."
            if event.kind == "step"
            else f"Clear it in every step, before backward(): {name}.grad = None.",
            at=added,
        )


def cleared(e: Evidence) -> Found:
    """Gradients that are cleared before they are used."""
    updates = [event for event in e.watch.heard("step") if event.sizes]
    late = [event for event in updates if event.pass_] or updates
    given = [e.watch.slopes.get(name) for update in updates for name in update.sizes]  # units may have died meanwhile
    is_used = any(event.piled for event in e.watch.events) or any(s[0] for event in late for s in event.sizes.values())
    mine = e.watch.events[: e.watch.events.index(late[0])] if late and not is_used else []
    backward = next((other for other in reversed(mine) if other.kind == "backward"), None)
    if backward is None or not any(g is not None and g.any() for g in given) or REFUSED in e.watch.told[1]:
        return
    event, after = late[0], mine[mine.index(backward) :]
    zero = next((other for other in reversed(after) if other.kind == "zero"), None)
    place = zero or line_between(e, backward, event, "grad")
    before = "and only afterwards a new backward pass begins" if backward.pass_ < event.pass_ else "after backward"
    yield e.found(
        "gradients_cleared",
        f"The update in line {event.line} finds no gradient, and no parameter changes: line {place.line} clears what "
        f"backward in line {backward.line} has computed, {before}.",
        "Call zero_grad(), then loss.backward(), then step(), in this order.",
        at=place,
    )


def never_used(e: Evidence) -> Found:
    """Gradients that no update uses in many rounds."""
    held, passes = e.bench.held(e.watch.program.named), e.watch.heard("backward")
    moved = any(event.sizes for event in e.watch.heard("step", "own step"))
    are_lost = e.rounds > 1 and are_cleared(e)
    if moved or e.watch.error is not None or not (are_lost or e.rounds >= 10):
        return
    if not e.watch.calls_backward or not passes:
        if e.bench.has_gradients and e.parameters:
            e.facts.append(f"No parameter changes in {e.rounds} steps, and the program calls no backward().")
        return
    why = f": step() of {listed(held)} is never called" if held else " before they are cleared" if are_lost else ""
    yield e.found(
        "does_not_overfit",
        f"Line {passes[0].line} computes gradients in {len(passes)} passes, and no parameter changes{why}.",
        "Call optimizer.step() after loss.backward()."
        if held
        else "Change the parameters themselves: w.data = w.data - learning_rate * w.grad.data, or use an optimizer.",
        at=passes[0],
    )


def undone(e: Evidence) -> Found:
    """Updates of an optimizer that the program takes back in each round, as by writing averages into the weights."""
    steps, own = e.watch.heard("step"), e.watch.heard("own step")
    rounds = [*range(e.rounds)]
    if e.rounds < 5 or [event.pass_ for event in steps] != rounds or [event.pass_ for event in own] != rounds:
        return
    for p in [p for p in e.watch.parameters if p.name in steps[0].sizes]:
        moves = [(a.sizes[p.name][2], b.sizes.get(p.name, (0, 0, 0))[2]) for a, b in zip(steps, own, strict=True)]
        before = next(q.value() for q in e.parameters if q.name == p.name)
        total, net = sum(a for a, _ in moves), float(np.linalg.norm(p.value() - before))
        if total and all(abs(a - b) < 0.05 * a for a, b in moves) and net < 0.05 * total:
            line = line_after(e, 0, r"\.data\s*=|\.data\[|copy_\(|load_state_dict") or steps[0].line
            yield e.found(
                "undone_updates",
                f"After each update in line {steps[0].line}, the program changes {p.name} back: {e.rounds} updates "
                f"moved it by {number(total)} altogether, and it is {number(net)} from where it began.",
                "Keep averages of the weights in a copy, for evaluation, and train the weights themselves.",
                at=CodeLine(line, steps[0].file),
            )
            return


def _growth(steps: list[TrainingEvent]) -> str:
    norms = [math.hypot(*[size[0] for size in step.sizes.values()]) for step in steps if step.sizes]
    return f" (their norm goes from {number(norms[0])} to {number(norms[-1])})" if len(norms) > 1 and norms[0] else ""


def unused(e: Evidence) -> Found:
    """Losses in a loop of which only one is differentiated."""
    left = e.left if e.recording is None else e.left.union(e.recording.outputs)
    for place in {_place(o.step) for o in e.objectives if o.step.id in e.used}:
        same = [o.step for o in e.objectives if _place(o.step) == place]
        rounds = {_pass(e, s) for s in same if s.id in e.used}
        unused = [s for s in same if s.id in e.learning - left and not e.users.get(s.id) and s is not e.loss]
        lost = [s for s in unused if _pass(e, s) not in rounds]
        if lost:
            yield e.suspect(
                "unused_loss",
                f"{at_line(lost[0])} is computed {len(same)} times, and {len(lost)} of these losses reach no backward "
                "pass: the next one takes their name.",
                "Add them up, as in total = total + loss, or call backward() in the loop.",
                at=lost[0],
            )


def _place(step: Step) -> tuple[int | None, int | None]:
    """The line of a step and that of the program that led there: two calls of one function are not a loop."""
    return step.line, step.outer_line


def _pass(e: Evidence, step: Step) -> int | None:
    """The iteration that computed a step; None outside of loops: one line may call a function twice."""
    scopes = () if e.recording is None else e.recording.scopes
    return next((i for i in enclosing(scopes, step.scope) if scopes[i].kind == "pass"), None)


def _has_learned(e: Evidence, first: float) -> bool:
    """Whether the first round's loss is smaller with the final parameters: then the losses rise for another reason."""
    found = e.with_parameters({p.name: p.value() for p in e.watch.parameters})
    loss = None if found is None or not found.outputs else whole(found.steps[found.outputs[0]].value)
    return loss is not None and float(loss.sum()) < first - 1e-3 * abs(first)


def staying(e: Evidence) -> Found:
    """A loss that does not fall although it is updated along its gradient with steps of a usual size."""
    losses = e.watch.losses if e.objectives or e.picks else []
    steps = e.watch.heard("step")
    if e.rounds < 10 or len(losses) < 10 or not steps or not all(map(math.isfinite, losses)):
        return
    if len({type(event.who) for event in steps}) != 1 or e.watch.error is not None:
        return
    best, first = min(losses[len(losses) // 2 :]), losses[0]
    sizes = {name: [step.sizes[name][1] for step in steps if name in step.sizes] for name in steps[0].sizes}
    least = 0.2 if losses[-1] > 1.2 * min(losses) > 0 else 0.02  # the loss fell first, and rises as the updates shrink
    shrunk = [(name, s[0], s[-1]) for name, s in sizes.items() if is_matrix(e, name) and s[-1] < least * s[0]]
    if shrunk:
        name, before, after = shrunk[0]
        yield e.found(
            "does_not_overfit",
            f"{name} shrinks from a norm of {number(before)} to {number(after)} in {len(losses)} steps: something "
            f"other than the loss, such as weight decay, pulls it to 0. The loss is {number(losses[-1])} then.",
            "Make weight_decay much smaller, for example 1e-4.",
            at=made_at(e),
        )
        return
    moved = [size[2] / size[1] for event in steps for size in event.sizes.values() if size[1]]
    if best > first - 1e-3 * abs(first) and moved and float(np.median(moved)) > 1e-5 and not _has_learned(e, first):
        yield from far_targets(e)
        yield e.suspect(
            "does_not_overfit",
            f"After {len(losses)} steps the loss is {number(losses[-1])}; it began at {number(first)} and was never "
            f"below {number(min(losses))}. Updates change the weights by {number(float(np.median(moved)))} of their "
            "size.",
            "Try one batch with the simplest model: check that inputs and targets belong together, and the loss's "
            "sign.",
            at=made_at(e),
        )


# ---------------------------------------------------------------------- what is replaced or carried
def carried_graphs(e: Evidence) -> Found:
    """Results that are carried from step to step with their graphs."""
    path = e.watch.path
    if states := carried(e) or e.bench.results_in(e.watch.program.named_now(), path - {max(path, default=0)}):
        yield e.found(
            "graph_reused",
            f"{listed(states)} goes from step to step with the graph that it was computed in: each backward pass goes "
            "back through all steps before it, and takes longer than the last.",
            f"Begin each step with {states[0]} = {states[0]}.detach(), or with new zeros.",
            at=_written(e, states[0].rpartition(".")[2]),
        )


def _written(e: Evidence, name: str) -> CodeLine:
    """The last line that computed what it assigns to a name or an attribute, else the line that assigns it."""
    made = [s for s in e.calls if re.search(rf"\b{re.escape(name)}\s*=[^=]", s.statement or "")]
    return CodeLine(made[-1].line, made[-1].file) if made else line_assigning(e, name)


def replaced_parameters(e: Evidence) -> Found:
    """Parameters that are different objects after a round."""
    if carried(e):
        return
    after = {p.name: p.tensor for p in e.bench.parameters(e.watch.program.named)}
    before = [p for p in e.watch.parameters if p.trainable]
    others = (
        [p.name for p in before if p.name in after and after[p.name] is not p.tensor]
        or [p.name for p in before if p.name not in after]
        or [p.name for p in e.watch.parameters if (_along(e, p) or 0.0) > _LINE]
    )
    if others:
        yield e.found(
            "replaced_parameter",
            f"{listed(others)} is a new object after the step: the optimizer and the graph still hold the old one.",
            "Keep the object and change its numbers (PyTorch: with torch.no_grad(): p -= lr * p.grad), or use an "
            "optimizer.",
            at=line_assigning(e, others[0].rpartition(".")[2]),
        )


def replaced_optimizers(e: Evidence) -> Found:
    """A stateful optimizer that is created in each step."""
    own = [update for update in _updates_by_others(e) if update.sizes]
    if len({id(update.who) for update in own}) == len(own) > 2 and e.bench.is_optimizer_adaptive(own[0].who):
        yield e.suspect(
            "replaced_optimizer",
            f"Each of {len(own)} updates is made by a new {type(own[0].who).__name__}: the averages that it keeps "
            "begin anew every time.",
            "Make the optimizer once, before the step.",
            at=own[0],
        )


def replaced_models(e: Evidence) -> Found:
    """A model that is created in each step, with its optimizer."""
    fresh = [update for update in _updates_by_others(e) if not update.sizes]
    updates = e.watch.heard("step")
    if fresh and len(fresh) == len(updates) == max(1, e.rounds) and e.bench.held({"": fresh[0].who}).get(""):
        yield e.suspect(
            "replaced_parameter",
            f"The update in line {fresh[0].line} changes parameters that the program makes again in each call, so "
            "nothing that they learn is kept.",
            "Make the model and its optimizer once, before the step.",
            at=fresh[0],
        )


def _updates_by_others(e: Evidence) -> list[TrainingEvent]:
    """The updates by optimizers that the program was not given."""
    given = [value for _, value in items(e.watch.program.named)]
    return [update for update in e.watch.heard("step") if not any(update.who is value for value in given)]


def carried(e: Evidence) -> list[str]:
    """Leaves before the first step that are results after it, except updated parameters."""
    after = {p.name for p in e.bench.parameters(e.watch.program.named)}
    gone = [p for p in e.watch.parameters if p.trainable and p.name not in after]
    return [p.name for p in gone if (along := _along(e, p)) is not None and along <= _LINE]


def _along(e: Evidence, parameter: LiveParameter) -> float | None:
    """If the name of a parameter now holds a result, the cosine between the change and the gradient."""
    new, g = dict(items(e.watch.program.named_now())).get(parameter.owner), e.gradient(parameter)
    array = None if parameter.path or new is None or new is parameter.tensor else e.bench.array(new)
    if array is None or g is None or array.shape != g.shape:
        return None
    return abs(cosine({"": array - parameter.value()}, {"": g}))


REPLACED = (carried_graphs, replaced_parameters, replaced_optimizers, replaced_models)


# ---------------------------------------------------------------------- what is the same in every step
def _are_steps(e: Evidence) -> bool:
    """Whether the program was run as at least three training steps, each with one backward pass."""
    passes = [event.pass_ for event in e.watch.heard("backward")]
    return e.rounds > 2 and passes == [*range(e.rounds)] and e.watch.error is None


def same_batch(e: Evidence) -> Found:
    """Steps that all take the same rows of a larger array or data set."""
    is_drawn = e.watch.has_drawn and not e.watch.heard("seed")  # whatever is drawn may be the rows
    for name, pool in e.bench.pools(e.watch.program.named) if _are_steps(e) and not is_drawn else []:
        parts = [(s, taken) for s in e.steps.values() if (taken := _rows_of(e, s, pool))]
        count = len(set().union(*[taken for _, taken in parts]))
        if not 1 < count <= len(pool) // 2 or e.next_round is None:
            continue
        later = [(s, e.next_round.steps[s.id].value) for s, _ in parts]
        if all(v is not None and holds(s, v.values) for s, v in later):
            user = next((u for s, _ in parts for u in e.users.get(s.id, []) if u.line is not None), parts[0][0])
            yield e.suspect(
                "same_batch",
                f"Each of the {e.rounds} steps takes the same {count} of the {len(pool)} examples of `{name}`: it "
                "never sees the others.",
                "Go on in each step: for x, t in loader, or other indices each time. To see whether one batch can be "
                "learned by heart, this is right.",
                at=user,
            )
            return


def _rows_of(e: Evidence, step: Step, pool: np.ndarray) -> set[bytes]:
    """The rows of a value that nothing computed from parameters, if they are all rows of an array; else none."""
    value = step.value
    if value is None or not value.is_whole or step.id in e.learning or step.id not in e.used:
        return set()
    rows = value.values
    if rows.ndim < 2 or rows.shape[1:] != pool.shape[1:] or not len(rows) < len(pool) or rows.dtype.kind not in "iuf":
        return set()
    known = {row.tobytes() for row in np.ascontiguousarray(pool.astype(rows.dtype))}
    found = {row.tobytes() for row in np.ascontiguousarray(rows)}
    return found if found <= known else set()


def same_draws(e: Evidence) -> Found:
    """Random numbers that are the same in every step, as each sets the seed."""
    seeds = e.watch.heard("seed") if _are_steps(e) else []
    for first in seeds[:1]:
        same = {event.pass_ for event in seeds if event.line == first.line and event.who == first.who}
        if len(same) == e.rounds:
            yield e.suspect(
                "same_random_numbers",
                f"Line {first.line} sets the seed {first.who} in every step, and the step draws from it: all "
                f"{e.rounds} steps get the same random numbers.",
                "Set the seed once, before the first step.",
                at=first,
            )


# ---------------------------------------------------------------------- what goes on into the next step
def carried_states(e: Evidence) -> Found:
    """A state that a recurrent layer computed in one step and begins the next with, although its examples are others:
    drawn anew, each from its own place."""
    later = e.second_run if _are_steps(e) else None
    if later is None or not later.outputs:
        return
    graph = ProgramGraph.of(later, e.parameters)
    for name, pool in e.bench.pools(e.watch.program.named):
        rows = [_places(run, run.used - run.learning, pool) for run in (e, graph)]
        if not rows[0] or len(rows[0]) != len(rows[1]) or len({b - a for a, b in zip(*rows, strict=True)}) < _UNRELATED:
            continue  # each example may go on where the one in its row ended
        states = [e.steps[i].value for i in e.learning - e.learned]
        for step in [graph.steps[i] for i in sorted(graph.used - graph.learning)]:
            users, value = graph.users.get(step.id, []), step.value
            if value is None or value.values.dtype.kind != "f" or len(rows[0]) not in value.shape[:2]:
                continue
            is_read = any(graph.is_parameter(o) for user in users for o in graph.operands(user))
            if is_read and np.any(value.values) and any(v is not None and holds(step, v.values) for v in states):
                yield e.suspect(
                    "carried_state",
                    f"{at_line(users[0])} begins with the state that the step before ended with, but its "
                    f"{len(rows[0])} examples of `{name}` are others: each gets the state of an unrelated one.",
                    "Begin each batch with a state of zeros; carry it on only where a batch continues the last one.",
                    at=users[0],
                )
                return


def _places(e: ProgramGraph, steps: set[int], pool: np.ndarray) -> list[int]:
    """The places in a larger array of the rows, or of their first elements, that one of the steps holds; empty if none
    does."""
    for rows in (pool, pool[:, 0]) if pool.ndim > 2 else (pool,):
        for step in [e.steps[i] for i in sorted(steps)]:
            value = step.value
            if value is None or not value.is_whole or not value.shape or value.shape[1:] != rows.shape[1:]:
                continue
            known = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(rows.astype(value.values.dtype)))}
            found = [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(value.values)]
            if 1 < len(found) < len(rows) == len(known) and min(found) >= 0:
                return found
    return []
