"""What training steps show: gradients that pile up or are thrown away, modes, a loss that stays where it is."""

from __future__ import annotations

import math

import numpy as np

from ...recording.model import Step
from .cuts import is_evaluation
from .evidence import Evidence
from .lines import line_between, line_in
from .program_watch import TrainingEvent
from .report import Found
from .units import DROPOUTS
from .updates import are_cleared, is_matrix, made_at
from .words import at_line, listed, number, whole


def clearing(e: Evidence) -> Found:
    """Whether gradients are cleared before they are used again, and not before they are used at all."""
    events = e.watch.events
    for event in events:
        if event.piled:
            name, added = next(iter(event.piled.items()))
            steps = [step for step in events if step.kind == "step" and name in step.sizes]
            yield e.found(
                "gradients_accumulate",
                f"The update of step {event.pass_ + 1} uses gradients of {name} that an earlier update has used "
                f"already: nothing clears them before line {added.line}{_growth(steps)}.",
                "Clear the gradients in every step, before backward: optimizer.zero_grad() or model.cleargrads()."
                if event.kind == "step"
                else f"Clear it in every step, before backward(): {name}.grad = None.",
                at=added,
            )
            return
    updates = [event for event in events if event.kind == "step" and event.sizes]
    late = [event for event in updates if event.pass_] or updates
    if not late or any(size[0] for event in late for size in event.sizes.values()):
        yield from _never(e, updates)
        return
    event = late[0]
    mine = events[: events.index(event)]
    backward = next((other for other in reversed(mine) if other.kind == "backward"), None)
    given = [e.watch.gradients.get(name) for update in updates for name in update.sizes]
    if backward is None or not any(g is not None and g.any() for g in given):
        return
    zero = next((other for other in reversed(mine) if other.kind == "zero"), None)
    is_zero = zero is not None and mine.index(zero) > mine.index(backward)
    place = zero if zero is not None and is_zero else line_between(e, backward, event, "grad")
    before = "and only afterwards a new backward pass begins" if backward.pass_ < event.pass_ else "after backward"
    yield e.found(
        "gradients_cleared",
        f"The update in line {event.line} finds no gradient, and no parameter changes: line {place.line} clears what "
        f"backward in line {backward.line} has computed, {before}.",
        "Call zero_grad(), then loss.backward(), then step(), in this order.",
        at=place,
    )


def _never(e: Evidence, updates: list[TrainingEvent]) -> Found:
    """Gradients in many rounds that no update uses."""
    events, held = e.watch.events, e.bench.held(e.watch.program.named)
    moved = any(event.kind == "own step" for event in events) or e.watch.error is not None
    passes = [event for event in events if event.kind == "backward"]
    are_lost = e.rounds > 1 and are_cleared(e)
    if updates or moved or not (are_lost or e.rounds >= 10) or not e.watch.calls_backward or not passes:
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


def _growth(steps: list[TrainingEvent]) -> str:
    norms = [math.hypot(*[size[0] for size in step.sizes.values()]) for step in steps if step.sizes]
    return f" (their norm goes from {number(norms[0])} to {number(norms[-1])})" if len(norms) > 1 and norms[0] else ""


def unused(e: Evidence) -> Found:
    """Losses of a loop of which only one is differentiated."""
    left = e.left if e.recording is None else e.left.union(e.recording.outputs)
    for place in {_place(o.step) for o in e.objectives if o.step.id in e.used}:
        same = [o.step for o in e.objectives if _place(o.step) == place]
        lost = [s for s in same if s.id in e.learning - left and not e.users.get(s.id) and s is not e.loss]
        if lost:
            yield e.suspect(
                "unused_loss",
                f"{at_line(lost[0])} is computed {len(same)} times, and {len(lost)} of these losses reach no backward "
                "pass: the next one takes their name.",
                "Add them up, as in total = total + loss, or call backward() in the loop.",
                at=lost[0],
            )


def _place(step: Step) -> tuple[int | None, int | None]:
    """Its line, and that of the program which led there: two calls of one function are no loop."""
    return step.line, step.outer_line


def modes(e: Evidence) -> Found:
    """Training in evaluation mode, and evaluation in training mode."""
    at_first, at_last = [e.watch.modes.get(i, {}) for i in (0, max(e.watch.modes, default=0))]
    for name, (is_on, layers) in at_last.items():
        is_updated = any(key.startswith(name) for event in e.watch.events for key in event.sizes)
        if layers and is_updated and not is_on:
            yield e.found(
                "wrong_mode",
                f"{name} is in evaluation mode while its parameters are "
                f"updated{', from the second step on' if at_first[name][0] else ''}"
                f": its layers {listed(layers)} then work without dropout and with old means.",
                f"Call {name}.train() before every training step.",
                at=line_in(e, ".eval()"),
            )
    linked = e.bench.of_kind(e.watch.program.named, e.bench.models)
    links = [part for _, model in linked for part in e.bench.parts(model)]
    if all(link.training for link in links if isinstance(link, e.bench.norms)):  # else it is meant
        yield from _untouched_statistics(e)
    active = [s for s in e.calls if _is_training_layer(s)]
    if is_evaluation(e) and active:
        kinds = listed(dict.fromkeys(str(s.function) for s in active))
        yield e.found(
            "wrong_mode",
            f"{at_line(active[0])} runs {kinds} in training mode although no gradient is computed: the results are "
            "random, or depend on the batch.",
            "Call model.eval() before evaluation, and model.train() after it.",
            at=active[0],
        )
        return
    models = at_first or e.bench.training(e.program.named)
    if not models or any(is_on for is_on, _ in models.values()):
        return
    for step in [s for s in e.calls if s.function in DROPOUTS]:
        value, given = whole(step.value), whole(e.operands(step)[0].value)
        if value is not None and given is not None and given.shape == value.shape and (given != value).any():
            yield e.found(
                "dropout",
                f"{at_line(step)} drops or changes {float((given != value).mean()):.0%} of its numbers although the "
                "model is in evaluation mode.",
                "Give it training=self.training, or use nn.Dropout.",
                at=step,
            )


def _untouched_statistics(e: Evidence) -> Found:
    """Batch norm that is trained with the running means of its start, as under ``test_mode``."""
    moved = {name for event in e.watch.events for name, size in event.sizes.items() if size[2]}
    for step in [s for s in e.calls if s.function == "batch_norm" and s.id in e.used and not _is_training_layer(s)]:
        own = [p.name for o in e.operands(step) if (p := e.parameter(o)) is not None and p.name in moved]
        kept = [v for o in e.operands(step)[1:] if o.id not in e.learned and (v := whole(o.value)) is not None]
        if own and any(not v.any() for v in kept) and any((v == 1).all() for v in kept):
            yield e.found(
                "wrong_mode",
                f"{at_line(step)} works as in evaluation, with means of 0 and variances of 1 that no batch has "
                f"changed, while {listed(own)} learn: it normalises nothing.",
                "Train in training mode: without test_mode(), train=False or eval() around the forward pass.",
                at=step,
            )
            return


def _is_training_layer(step: Step) -> bool:
    """Whether it is a dropout or batch norm that works as in training."""
    mode = dict(step.attributes).get("training")
    return (step.function in DROPOUTS and mode != "False") or (step.function == "batch_norm" and mode == "True")


def _has_learned(e: Evidence, first: float) -> bool:
    """Whether the first round's loss is smaller with the parameters of the end: what rises is then another number."""
    found = e.with_parameters({p.name: p.value() for p in e.watch.parameters})
    loss = None if found is None or not found.outputs else whole(found.steps[found.outputs[0]].value)
    return loss is not None and float(loss.sum()) < first - 1e-3 * abs(first)


def staying(e: Evidence) -> Found:
    """A loss that does not fall although updates of a usual size are made along its gradient."""
    losses = e.watch.losses if e.objectives or e.picks else []
    steps = [event for event in e.watch.events if event.kind == "step"]
    if e.rounds < 10 or len(losses) < 10 or not steps or not all(map(math.isfinite, losses)):
        return
    if len({type(event.who) for event in steps}) != 1 or e.watch.error is not None:
        return
    best, first = min(losses[len(losses) // 2 :]), losses[0]
    sizes = {name: [step.sizes[name][1] for step in steps if name in step.sizes] for name in steps[0].sizes}
    least = 0.2 if losses[-1] > 1.2 * min(losses) > 0 else 0.02  # the loss fell first, and rises as they shrink
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
        yield e.suspect(
            "does_not_overfit",
            f"After {len(losses)} steps the loss is {number(losses[-1])}; it began at {number(first)} and was never "
            f"below {number(min(losses))}. Updates change the weights by {number(float(np.median(moved)))} of their "
            "size.",
            "Try one batch with the simplest model: check that inputs and targets belong together, and the loss's "
            "sign.",
            at=made_at(e),
        )
