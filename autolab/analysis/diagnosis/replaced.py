"""Parameters and optimizers that are created again in each step, and results that are carried from step to step."""

from __future__ import annotations

from .copied_program import items
from .evidence import Evidence, Found
from .lines import line_assigning
from .program_watch import TrainingEvent, cosine
from .words import listed
from .workbench import LiveParameter

_LINE = 0.99
"""Numbers whose change has a smaller cosine with the gradient were not changed by gradient descent."""


def states(e: Evidence) -> Found:
    """Results that are carried from step to step with their graphs."""
    if states := carried(e):
        yield e.found(
            "graph_reused",
            f"{listed(states)} goes from step to step with the graph that it was computed in: each backward pass goes "
            "back through all steps before it, and takes longer than the last.",
            f"Begin each step with {states[0]} = {states[0]}.detach(), or with new zeros.",
            at=line_assigning(e, states[0].rpartition(".")[2]),
        )


def parameters(e: Evidence) -> Found:
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


def optimizers(e: Evidence) -> Found:
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


def models(e: Evidence) -> Found:
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


RULES = (states, parameters, optimizers, models)
