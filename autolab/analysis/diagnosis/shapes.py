"""Shapes that broadcast, and class numbers that are compared as quantities."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.model import Step
from .evidence import Evidence
from .report import ProgramFinding
from .words import at_line, called, whole

Found = Iterator[ProgramFinding]


def broadcasts(e: Evidence) -> Found:
    """(N, 1) against (N,): every prediction is compared with every target."""
    for step in e.calls:
        is_loss = _compares(e, step)
        made = [e.made_by(o, frozenset({"broadcast_in_dim"})) for o in e.operands(step)]
        given = [o for o in made if o.value is not None]
        if len(given) < 2 or not is_loss or step.id not in e.used:
            continue
        a, b = [o.value.shape for o in given[:2] if o.value is not None]
        one, other = (a, b) if len(a) > len(b) else (b, a)
        n = one[0] if one else 0
        if n > 1 and len(one) == len(other) + 1 and one[-1] == 1 and other == one[:-1] and len(other) >= 1:
            shapes = f"{called(given[0])} has shape {a} and {called(given[1])} has {b}"
            yield e.found(
                "broadcast_loss",
                f"{at_line(step)} compares all with all: {shapes}, so there are {n * n} differences instead of {n}.",
                "Bring both to one shape, for example with prediction.squeeze(-1).",
                at=step,
            )


def _compares(e: Evidence, step: Step) -> bool:
    """Whether a step compares a prediction with something."""
    if any(o.step is step and o.kind in ("regression", "bce", "bce_logits") for o in e.objectives):
        return True
    return step.function in ("sub", "mul") and step.id in e.learning and _is_averaged(e, step)


def _is_averaged(e: Evidence, step: Step) -> bool:
    """Whether all of a result ends in one number, with nothing but elementwise steps on the way."""
    shape = None if step.value is None else step.value.shape
    for _ in range(6):
        users = {user.id: user for user in e.users.get(step.id, []) if user.id in e.used}
        if len(users) != 1:
            return False
        (step,) = users.values()
        if step.value is not None and step.value.shape == ():
            return step.function in ("mean", "sum")
        if step.value is None or step.value.shape != shape:
            return False
    return False


def labels(e: Evidence) -> Found:
    """Class indices that are compared as if they were quantities, and one-hot targets where indices belong."""
    for o in e.objectives:
        target = o.target
        maker = e.made_by(target)
        shape = (o.prediction.value.shape, target.value.shape) if o.prediction.value and target.value else ((), ())
        classes = shape[0][-1] if len(shape[0]) == 2 else 0
        values = whole(target.value)
        if o.kind != "regression" or values is None or classes < 3 or shape[0] == shape[1]:
            continue
        is_index = maker.value is not None and maker.value.values.dtype.kind in "iu" and values.max() < classes
        if is_index:
            yield e.found(
                "one_hot_target",
                f"{at_line(o.step)} compares {classes} scores per example with class indices (0 to "
                f"{int(values.max())}) as "
                "if they were quantities.",
                "Use cross_entropy with the indices, or one-hot targets of the scores' shape.",
                at=o.step,
            )
