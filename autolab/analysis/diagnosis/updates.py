"""Updates without a gradient, updates uphill, and updates of the wrong size."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...recording.model import Step
from .evidence import Evidence, Found
from .lines import line_above, line_after, line_between
from .objectives import AVERAGING, is_log
from .program_watch import TrainingEvent, cosine
from .report import CodeLine, ProgramFinding, at_line, number, range_of, shape_of, whole
from .sizes import far_targets

REFUSED = "no parameter has a gradient"
"""What AutoLab's optimizers say instead of an update."""
_PRODUCTS = ("matmul", "dot", "linear", "mm", "addmm", "conv1d", "conv2d", "convolution_2d", "dot_general")
_TOO_LARGE, _TOO_SMALL = 0.5, 1e-6
"""The largest and the smallest change of a weight in an update, relative to its own size."""
_SCALED = 128.0
"""A loss is multiplied by so much only to keep small gradients in half precision."""
_THROWN = 1e3
"""A loss that was so many times the first one did not come back by learning."""
_ERRORS = ("regression", "cross_entropy", "bce", "bce_logits", "kl")
"""The kinds of losses of which less is better."""
_TURNED = (
    "flips the sign of the loss: training makes the error as large as it can.",
    "Leave the minus sign out: training minimizes the loss.",
)
_NOT_TURNED = (
    "picks the logarithms of the right classes' probabilities: training makes these as small as it can.",
    "Put a minus sign before their mean: training minimizes the loss.",
)


def without_backward(e: Evidence) -> Found:
    """Updates in a program that never computes gradients."""
    update = next(iter(e.watch.heard("step")), None)
    is_refused = REFUSED in e.watch.told[1]
    if e.watch.calls_backward or not e.bench.has_gradients or not (update or is_refused):
        return
    if update is not None and any(size[0] for size in update.sizes.values()):
        return  # the program computes the gradients itself
    place = update or e.watch.place[0]
    yield e.found(
        "no_backward",
        f"The update in line {place.line} has no gradients to use: no backward pass comes before it.",
        "Call loss.backward() before the update.",
        at=place,
    )


def are_cleared(e: Evidence) -> bool:
    """Whether backward computed gradients of which none are left."""
    given = any(g is not None and g.any() for g in e.watch.gradients.values())
    return given and not any((g := p.grad()) is not None and g.any() for p in e.watch.parameters)


def uphill(e: Evidence) -> Found:
    """Updates along the gradient."""
    updates = _updates_of_weights(e) if e.objectives or e.picks else []
    if updates and e.watch.first_moves:  # of a pure step, whose gradient is the recording's
        along = cosine(e.watch.first_moves, {p.name: e.gradient(p) for p in e.parameters})
        updates = [replace(event, along=along) for event in updates]
    if not updates or not all(event.along > 0.5 for event in updates) or any(_maximizes(u.who) for u in updates):
        return
    backward = next(iter(e.watch.heard("backward")), updates[0])
    line = updates[0].line or (backward.line and line_after(e, backward.line, r"\.grad\b"))
    yield e.found(
        "uphill",
        f"The update{'' if line is None else f' in line {line}'} moves the parameters along their gradient, in the "
        "direction in which the loss grows.",
        "Subtract: w -= learning_rate * gradient.",
        at=CodeLine(line, updates[0].file or backward.file),
    )


def turned(e: Evidence) -> Found:
    """A loss with the wrong sign: the negative error is minimized, and it is the only error."""
    errors = [_turned(e, o.step) for o in e.objectives if o.kind in _ERRORS and o.step.id in e.used]
    # one of several errors may be maximized on purpose, as in adversarial training
    turns = [(step, *_TURNED) for step in errors if step is not None and None not in errors]
    turns += [(step, *_NOT_TURNED) for step, scores in e.picks if _is_log_likelihood(e, step, whole(scores.value))]
    lifted = [] if turns else _lifted_halves(e)
    turns += [(step, *_NOT_TURNED) for step in lifted[:1] if len(lifted) == 1 or not (e.objectives or e.picks)]
    updates = _updates_of_weights(e) if turns else []
    if updates and updates[0].along < 0 and all(event.along <= 0 for event in updates):  # 0 if a number is not finite
        step, what, remedy = turns[0]
        yield e.suspect("uphill", f"{at_line(step)} {what}", remedy, at=step)


def _is_log_likelihood(e: Evidence, step: Step, scores: np.ndarray | None) -> bool:
    """Whether log probabilities are picked and the loss increases with each of them."""
    low, high = range_of(step.grad)
    return low >= 0 < high and scores is not None and is_log(scores, -1) and e.ends_in(step, AVERAGING - {"mul"})


def _updates_of_weights(e: Evidence) -> list[TrainingEvent]:
    """All updates, if weights change; none if an input is moved on purpose."""
    updates = e.watch.heard("step", "own step")
    moved = {name for event in updates for name, size in event.sizes.items() if size[2]}
    leaves = [e.steps[i] for i in e.learned & e.used if (p := e.parameter(e.steps[i])) and p.name in moved]
    is_weights = any(_is_weight(e, use) for leaf in leaves for use in e.uses(leaf))
    return updates if is_weights else []


def _lifted_halves(e: Evidence) -> list[Step]:
    """Of the terms t * log(p) and (1 - t) * log(1 - p), those that a smaller probability of the target lowers."""
    halves = []
    for step in [s for s in e.trained if s.function == "mul"]:
        logs = [o for o in e.operands(step) if o.function == "log" and o.id in e.learning]
        weights = [whole(o.value) for o in e.operands(step) if o.id not in e.learning]
        if len(logs) == len(weights) == 1 and weights[0] is not None and np.isin(weights[0], (-1, 0, 1)).all():
            halves.append((step, abs(weights[0]), range_of(logs[0].grad)))
    pairs = [(a, b) for a in halves for b in halves if a[0].id < b[0].id and np.array_equal(a[1], 1 - b[1])]
    return [step for pair in pairs[:1] for step, _, (low, high) in pair if low >= 0 < high]


def _is_weight(e: Evidence, use: Step) -> bool:
    """Whether another value is multiplied by a parameter."""
    given = e.operands(use)
    return use.function in _PRODUCTS and len(given) > 1 and e.made_by(given[1]).id in e.learned


def _maximizes(optimizer: Any) -> bool:
    """Whether an optimizer is set to maximize."""
    return any(group.get("maximize") for group in getattr(optimizer, "param_groups", ()) if isinstance(group, Mapping))


def _turned(e: Evidence, step: Step) -> Step | None:
    """The step that flips the sign of an error on its way to the loss, if the loss decreases as the error increases."""
    way = [step, *(e.way_to_loss(step) or ())]
    way = way[next((i for i, s in enumerate(way) if range_of(s.value)[0] >= 0), len(way)) :]  # a difference has a sign
    slopes = [range_of(s.grad) for s in way]
    if not slopes or not slopes[0][0] < 0 >= slopes[0][1]:
        return None
    turn = next((s for s, (low, high) in zip(way, slopes, strict=True) if low >= 0 < high), step)
    return turn if turn.function in ("neg", "negative", "sub", "subtract", "mul") else None


def rate(e: Evidence) -> Found:
    """The size of updates relative to the weights."""
    steps = e.watch.heard("step")
    ratios = [
        (size[2] / size[1], name)
        for event in steps
        for name, size in event.sizes.items()
        if size[1] and size[0] and is_matrix(e, name)
    ]
    losses = e.watch.losses
    if not ratios or len(losses) < 2:
        return
    early = ratios[: max(1, len(ratios) // 2)]
    largest, name = max([pair for pair in early if math.isfinite(pair[0])] or early)
    typical = float(np.median([ratio for ratio, _ in early]))
    first, last = losses[0], losses[-1]
    peak = max(losses[1:])
    is_thrown = (
        math.isfinite(peak) and math.isfinite(last) and peak > _THROWN * (abs(first) + 1e-3)
    )  # it may have come back since, with all units dead
    has_grown = not math.isfinite(last) or is_thrown or (peak > 2 * abs(first) + 1e-3 and last > first)
    told = f"the loss goes from {number(first)} to {f'{number(peak)} and then ' if is_thrown else ''}{number(last)}"
    if has_grown and (largest > _TOO_LARGE or (not math.isfinite(last) and math.isfinite(first))):
        summed = _summed(e)
        if summed is not None and not any(e.bench.is_optimizer_adaptive(event.who) for event in steps):
            yield e.found(
                "summed_loss",
                f"{at_line(summed[0])} adds the losses of {summed[1]} numbers, so gradients are {summed[1]} times as "
                f"large as those of the mean: an update changes {name} by {number(largest)} of its size, and {told}.",
                "Take the mean over the batch.",
                at=summed[0],
            )
        far = [] if summed else [*far_targets(e)]
        if far:
            yield from far
            return
        if (scale := _scale(e)) is not None:
            yield e.found(
                "learning_rate",
                f"{at_line(e.loss or scale[0])} multiplies the loss by {number(scale[1])} before backward, and the "
                f"update uses gradients that are as many times too large: {told}.",
                "Let the scaler make the update, which divides them first: scaler.step(optimizer); scaler.update().",
                at=e.loss,
                told_at=None if steps[0].line is None else CodeLine(steps[0].line, steps[0].file),
            )
            return
        size, what, remedy = largest, "large", "Divide"
    elif typical < _TOO_SMALL and abs(last - first) < 1e-3 * abs(first):
        if (changed := _changed_on_the_way(e)) is not None:
            yield changed
            return
        size, what, remedy = typical, "small", "Multiply"
        if not size:
            what, remedy = "small, or 0", "Look at what sets it, such as a schedule, and multiply"
    else:
        return
    yield e.found(
        "learning_rate",
        f"An update changes {name} by {number(size)} of its own size, and {told} in {len(losses)} steps: the learning "
        f"rate is too {what}.",
        f"{remedy} it by 10 until the loss falls; changes of about 0.001 are usual.",
        at=made_at(e),
    )


def _scale(e: Evidence) -> tuple[Step, float] | None:
    """The loss before it was multiplied by a large number, as for half precision, and that number."""
    given = [] if e.loss is None or e.loss.function != "mul" else [o for o in e.operands(e.loss) if o.id in e.learning]
    before, after = (whole(given[0].value), whole(e.loss.value)) if given and e.loss else (None, None)
    if before is None or after is None or before.size != 1 or not before.any():
        return None
    factor = float(after.sum() / before.sum())
    return (given[0], factor) if factor >= _SCALED else None


def falling(e: Evidence) -> Found:
    """Updates that shrink to almost nothing while the gradient keeps its size and the loss stays large."""
    steps, losses = e.watch.heard("step"), e.watch.losses
    for name in steps[0].sizes if steps and losses and losses[-1] > 0.5 * losses[0] > 0 else ():
        sizes = [event.sizes[name] for event in steps if event.who is steps[0].who and name in event.sizes]
        (before, _, first), (_, _, middle), (after, _, last) = sizes[0], sizes[len(sizes) // 2], sizes[-1]
        if max(300 * last, 10 * middle) < first and after > before / 3 and len(sizes) > 4 and is_matrix(e, name):
            yield e.suspect(
                "learning_rate",
                f"Update 1 changes {name} by {number(first)}, number {len(sizes)} by {number(last)}; its gradient is "
                f"{number(before)} and then {number(after)}, the loss {number(losses[0])} and {number(losses[-1])}.",
                "Look for what lowers the learning rate: a schedule in epochs must not advance at every update.",
                at=made_at(e),
            )


def _changed_on_the_way(e: Evidence) -> ProgramFinding | None:
    """Gradients that are far smaller at the update than after backward."""
    passes, updates = e.watch.heard("backward"), e.watch.heard("step")
    for name in updates[0].sizes if passes and updates else ():
        backward, event = passes[0], updates[0]
        g, left = e.watch.gradients.get(name), event.sizes[name][0]
        before = 0.0 if g is None else float(np.linalg.norm(g.astype(np.float64)))
        if 0 < left < 1e-3 * before:
            place = line_between(e, backward, event, "grad|clip")
            maker = "a hook of the optimizer" if place.line == event.line else f"line {place.line}"
            return e.found(
                "learning_rate",
                f"The gradient of {name} has the norm {number(before)} after backward and {number(left)} at the "
                f"update in line {event.line}: {maker} makes it that small, and the loss stays as it is.",
                "Clip gradients to a norm of about 1, and divide a scaled loss's gradients by its scale once.",
                at=place,
            )
    return None


def made_at(e: Evidence) -> CodeLine | None:
    """The line that created the optimizer."""
    names = "|".join(map(re.escape, e.bench.held(e.program.named)))
    return line_above(e, rf"\b({names})\s*=") if names else None


def is_matrix(e: Evidence, name: str) -> bool:
    return any(p.name == name and len(p.value().shape) > 1 for p in e.parameters)


def _summed(e: Evidence) -> tuple[Step, int] | None:
    """A step that sums many numbers into the loss, and how many."""
    for step in reversed([s for s in e.trained if s.value is not None and s.value.shape == ()]):
        size = sum(math.prod(shape_of(given)) for given in e.operands(step)[:1])
        is_sum = step.function == "sum" or ("reduction", "'sum'") in step.attributes
        if is_sum and size >= 8:
            return step, size
    return None
