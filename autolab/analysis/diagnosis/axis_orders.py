"""Orders and axes in the graph: inputs and targets in different orders, or a softmax over the examples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.model import Step
from .comparisons import LOSSES, PICKING, Objective
from .evidence import Evidence, Found
from .probes import is_over_batch
from .program_graph import SHAPED
from .report import at_line, axes_of_probabilities, called, shape_of, whole

_DRAWING = SHAPED | {"normal_", "uniform_", "random_", "bernoulli_"}
_SCALED = frozenset({"div", "mul"})
_ALONG = frozenset({"take_along_axis", "gather"})
_PICKED_BY = (PICKING - {"mul"}) | set(LOSSES)


def permuted(e: Evidence) -> Found:
    """Inputs that are reordered by indices while the targets are not, or the reverse."""
    for o in e.objectives[:1]:
        for side, other in ((o.prediction, o.target), (o.target, o.prediction)):
            indices = [whole(i.value) for s in e.behind([other]) for i in e.operands(e.steps[s])]
            if any(e.steps[i].function == "sort" for i in e.behind([other])):
                continue
            for step in [e.steps[i] for i in sorted(e.behind([side]))]:
                order = _order(e, step)
                if order is None or any(i is not None and np.array_equal(i, order) for i in indices):
                    continue
                yield e.found(
                    "shuffled_labels",
                    f"{at_line(step)} puts {len(order)} {'inputs' if side is o.prediction else 'targets'} into another "
                    f"order, and {e.called(other)} keeps the old one: number {int(order[0])} is compared with number "
                    "0.",
                    "Use the same order for both: perm = randperm(n); x, t = x[perm], t[perm].",
                    at=step,
                )
                return
        yield from _apart(e, o)


def _apart(e: Evidence, o: Objective) -> Found:
    """The same if the program reorders its arrays before anything is recorded; and batches cut from examples that are
    sorted by class."""
    before = [e.steps[i] for i in e.behind([o.prediction]) - e.learned]
    fed = [s for s in before if not s.operands or s.function == "put"]
    x, t = whole(fed[0].value) if len(fed) == 1 else None, whole(o.target.value)
    if t is not None and dict(o.target.attributes).get("index", "").startswith("slice"):
        yield from _one_class(e, o, t, max(map(len, e.data.values()), default=0))
    if x is None or t is None or o.target.operands:
        return
    if not any(len(x) == len(data) for data in e.data.values()):
        yield from _loaded_apart(e, o, x, t)
    for name, data in e.data.items():
        places = {row.tobytes(): i for i, row in enumerate(data)}
        order = [places.get(row.astype(data.dtype).tobytes(), -1) for row in x]
        if order and order == list(range(order[0], order[0] + len(order))):
            yield from _one_class(e, o, t, len(data))
        own = [(key, a) for key, a in e.data.items() if a.shape == t.shape and np.array_equal(np.sort(a), np.sort(t))]
        if sorted(order) != list(range(len(data))) or len(own) != 1 or t.shape != (len(data),):
            continue
        (key, targets), *_ = own
        if count := int((targets[order] != t).sum()):
            yield e.found(
                "shuffled_labels",
                f"{at_line(o.step)} compares predictions for `{name}` with `{key}` in another order: {count} of "
                f"{len(t)} examples get the target of another one.",
                "Use the same order for both: i = rng.permutation(n); x, t = x[i], t[i].",
                at=o.step,
            )


def _loaded_apart(e: Evidence, o: Objective, x: np.ndarray, t: np.ndarray) -> Found:
    """The same of arrays that two loaders hold, each of which shuffles on its own."""
    pools = dict(e.bench.pools(e.watch.program.named))
    inputs = {name: a for name, a in pools.items() if a.shape[1:] == x.shape[1:] and a.ndim > 1}
    for name, data in inputs.items():
        places = {row.tobytes(): i for i, row in enumerate(data)}
        order = [places.get(row.tobytes(), -1) for row in x.astype(data.dtype)]
        own = [(key, a) for key, a in pools.items() if a.shape == (len(data), *t.shape[1:]) and key != name]
        if len(places) < len(data) or min(order, default=-1) < 0 or len(own) != 1 or len(order) != len(t):
            continue
        key, targets = own[0]
        if not np.isin(t, targets.astype(t.dtype)).all():
            continue  # these are no targets
        if count := int((targets[order].reshape(len(t), -1) != t.reshape(len(t), -1)).any(axis=1).sum()):
            yield e.found(
                "shuffled_labels",
                f"{at_line(o.step)} compares predictions for rows of `{name}` with rows of `{key}` in another order: "
                f"{count} of {len(t)} examples get the target of another one.",
                "Shuffle them together: one loader for TensorDataset(x, t).",
                at=o.step,
            )


def _one_class(e: Evidence, o: Objective, t: np.ndarray, n: int) -> Found:
    """A batch of consecutive examples out of ``n`` that contains only one class, because they are sorted by class."""
    every = [(key, a) for key, a in e.data.items() if a.shape == (n,) and a.dtype.kind in "iu" and np.ptp(a)]
    by_class = [key for key, a in every if (a[1:] >= a[:-1]).all()]
    if by_class and t.ndim == 1 and 3 < len(t) < n and not np.ptp(t):
        yield e.suspect(
            "ordered_classes",
            f"{at_line(o.step)} gets {len(t)} targets that are all {int(t[0])}: `{by_class[0]}` is sorted, so each "
            "batch shows one class or two, and the network forgets the others.",
            "Shuffle inputs and targets together first: i = rng.permutation(n); x, t = x[i], t[i].",
            at=o.step,
        )


def _order(e: Evidence, step: Step) -> np.ndarray | None:
    """The new order in which a step takes examples by index, if it takes all and nothing else uses them."""
    given = e.operands(step)
    if not given or given[0].id in e.learning:
        return None
    parts = e.users.get(step.id, [])
    if step.function == "sort" and step.kind == "call" and parts:
        order = whole(parts[-1].value)
    elif step.function in ("getitem", "index_select", "take", "gather") and len(given) > 1:
        order = whole(given[1].value)
    else:
        return None
    if order is None or shape_of(given[0])[:1] != (order.size,) or order.size < 3:
        return None
    order, usual = order.reshape(-1), np.arange(order.size)
    is_order = np.array_equal(np.sort(order), usual) and not np.array_equal(order, usual)
    users = {user.id for user in e.users[given[0].id]} & e.used
    return order if is_order and users <= {step.id} else None


def drawn(e: Evidence) -> Found:
    """Targets that differ in every run although the inputs are the same, and that depend on nothing given."""
    for o in e.objectives[:1]:
        before = e.behind([o.prediction])
        sources = list(_sources(e, o.target))
        fed = {i.id for s in before & e.learning for i in e.operands(e.steps[s]) if i.id not in e.learning}
        value = whole(o.target.value)
        is_given = any(s.kind == "input" or s.id in before | e.learned for s in sources)
        if is_given or not fed or value is None or value.ndim < 1 or (after := e.with_other_draws) is None:
            continue
        is_soft = o.kind.startswith("bce") and (value.min() > 0.4 or value.max() < 0.6)
        same = [not _differs(s, after.steps[s.id]) for s in sources]
        if is_soft or any(same):
            continue
        # beside inputs that are drawn, too, both may be made up; but not if they are made of something given
        is_read = o.kind == "regression" and any(e.steps[i].kind == "input" for i in before - e.learned)
        if not is_read and any(_differs(e.steps[i], after.steps[i]) for i in fed):
            continue
        yield e.found(
            "shuffled_labels",
            f"{at_line(o.step)} compares predictions with `{o.target.name or 'targets'}`, which are drawn at random: "
            "they change with the random numbers, for the same inputs.",
            "Compare with the targets that belong to the inputs.",
            at=o.step,
        )


def one_partner(e: Evidence) -> Found:
    """Similarities of all pairs of a batch, compared with one and the same column for every row."""
    for o in [o for o in e.objectives if o.kind == "cross_entropy"]:
        t, shape = whole(o.target.value), shape_of(o.prediction)
        maker = e.made_by(o.prediction, _SCALED)
        pair = [e.made_by(given) for given in e.operands(maker)] if maker.function in ("matmul", "mm") else []
        if t is None or len(shape) != 2 or shape[0] != shape[1] or np.ptp(t) or len(t) < 4 or len(pair) != 2:
            continue
        if all(given.id in e.learning - e.learned and shape_of(given)[:1] == shape[:1] for given in pair):
            yield e.found(
                "shuffled_labels",
                f"{at_line(o.step)} compares all {len(t)} rows of the similarities with column {int(t[0])}: every one "
                "of the first is to be like the same one of the second.",
                "Number k belongs to column k: the targets are arange(n).",
                at=o.step,
            )


def _sources(e: Evidence, step: Step) -> Iterator[Step]:
    """The sources of a value; an array that takes only its shape from another one is a source itself."""
    if not step.operands or step.function in _DRAWING:
        yield step
        return
    for given in e.operands(step):
        yield from _sources(e, given)


def _differs(before: Step, after: Step) -> bool:
    a, b = whole(before.value), whole(after.value)
    return a is None or b is None or not np.array_equal(a, b, equal_nan=True)


def _axis(step: Step) -> int | None:
    """The axis that a step works along, as a nonnegative number."""
    text, ndim = dict(step.attributes).get("axis", ""), len(shape_of(step))
    return int(text) % ndim if ndim and text.lstrip("-").isdigit() else None


def _beside_classes(e: Evidence) -> Found:
    """Log probabilities of pixels or words, which sum to 1 along another axis than that of the classes, the second."""
    for o in [o for o in e.objectives if o.kind == "nll" and len(shape_of(o.prediction)) > 2]:
        value = whole(o.prediction.value)
        axes = [] if value is None else axes_of_probabilities(np.exp(value))
        if axes and 1 not in axes:
            maker = e.made_by(o.prediction)
            yield e.found(
                "wrong_axis" if axes[0] else "softmax_over_batch",
                f"{at_line(maker)} takes the softmax over axis {axes[0]} of shape {shape_of(o.prediction)}, and "
                f"`{o.step.function}` expects the classes on axis 1.",
                "Use the axis of the classes, the second: dim=1 in PyTorch, axis=1 elsewhere.",
                at=maker,
            )
            return


def cut_across(e: Evidence) -> Found:
    """Scores of pixels, with the classes on the second axis, that a reshape cuts into rows as if they were the last."""
    for o in [o for o in e.objectives if o.kind in ("cross_entropy", "nll")]:
        step, count = o.prediction, shape_of(o.prediction)[-1:]
        before = shape_of(e.operands(step)[0]) if step.function in ("reshape", "view", "flatten") else ()
        if len(before) > 2 and len(shape_of(step)) == 2 and before[1:2] == count and before[-1:] != count:
            yield e.found(
                "mixed_examples",
                f"{at_line(step)} turns scores of shape {before} into {shape_of(step)} without moving the axes: a row "
                f"then has {count[0]} neighbours of one class instead of the {count[0]} classes of one place.",
                "Move the classes to the last axis first, or give the loss the scores as they are.",
                at=step,
            )


def over_batch(e: Evidence) -> Found:
    """A softmax over the examples, from which one number per example is picked or compared."""
    found = [*_beside_classes(e)]
    yield from found
    if found:
        return
    counts = {array.shape[0] for array in e.data.values()}
    for step in [s for s in e.trained if s.function in ("softmax", "log_softmax", "div")]:
        shape = shape_of(step)
        after = list(e.users.get(step.id, []))
        after += [v for u in after for v in e.users.get(u.id, [])]
        if other := [u for u in after if u.function in _ALONG and len({_axis(u), _axis(step)} - {None}) > 1]:
            yield e.found(
                "wrong_axis",
                f"{at_line(step)} takes the softmax over axis {_axis(step)}, and {called(other[0])} in line "
                f"{other[0].line} picks along axis {_axis(other[0])}.",
                "Use the axis of the classes for both.",
                at=step,
            )
            continue
        fits = len(shape) > 1 and shape[0] not in shape[1:] and shape[0] in counts and is_over_batch(step, shape[0])
        if fits and {u.function for u in after} & _PICKED_BY:
            yield e.found(
                "softmax_over_batch",
                f"{at_line(step)} takes the softmax over the {shape[0]} examples: its columns sum to 1, not its rows.",
                "Use the axis of the classes, the last: dim=-1 in PyTorch, axis=-1 elsewhere.",
                at=step,
            )


ORDERS = (permuted, one_partner, cut_across)
"""The rules for which number is compared with which."""
