"""What numbers are taken for: predictions for targets, targets for inputs, words for padding, rewards for costs; each
shown by the numbers themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...recording.model import Step
from ...recording.step import REARRANGED
from .copied_program import items
from .evidence import Evidence, Found
from .linear_layers import weight_of
from .objectives import AVERAGING, is_log
from .report import at_line, axes_of_probabilities, called, number, range_of, shape_of, whole
from .reruns import fed, uncut
from .updates import made_at

_FEW = 6
_REWARDS = re.compile(r"reward|return|advantage|\badv\b", re.IGNORECASE)
_STRONG_DECAY = 0.1
_PROBABLE = ("sigmoid", "logistic", "softmax")
_DROPOUT = frozenset({"dropout"})


def exchanged(e: Evidence) -> Found:
    """A loss that gets its arguments in the wrong order: only its target can learn."""
    for o in [o for o in e.objectives if o.kind in ("cross_entropy", "nll", "bce", "bce_logits")]:
        if o.target.id in e.learning and o.prediction.id not in e.learning and o.step.id in e.used:
            yield e.found(
                "exchanged_arguments",
                f"{at_line(o.step)} gets {e.called(o.prediction)}, which nothing can change, as the prediction, and "
                f"{called(o.target)} as the target: the two arguments are in the wrong order.",
                f"Give the prediction first, then the target: {o.step.function}(prediction, target).",
                at=o.step,
            )


def leaked(e: Evidence) -> Found:
    """Targets that are the last column of the inputs, as in a table that holds both; of made-up data the first one is
    often what is to be learned."""
    for o in e.objectives[:1]:
        t = whole(o.target.value)
        if t is None or t.size != len(t) or len(t) < _FEW or not np.ptp(t):
            continue
        for given in fed(e):
            x = given.array
            is_input = given.step.id in e.behind([o.prediction]) - e.behind([o.target])
            if not is_input or x.ndim != 2 or len(x) != len(t) or x.shape[1] < 3:
                continue
            if np.array_equal(x[:, -1].astype(float), t.ravel()):
                yield e.suspect(
                    "target_among_inputs",
                    f"The last column of `{given.name}`, an input, holds the same {len(t)} numbers as the target "
                    f"{e.called(o.target)}: the network is told the answer.",
                    f"Leave the column out: {given.name}[:, :-1].",
                    at=o.step,
                )
                return


def padded(e: Evidence) -> Found:
    """A word that an embedding takes for padding: it stands between others, at any place."""
    for step in [s for s in e.calls if s.function in ("embedding", "embed_id", "embed") and s.id in e.used]:
        text = dict(step.attributes).get("padding_idx", dict(step.attributes).get("ignore_label", ""))
        ids = next(
            (i.value.values for i in e.operands(step) if i.value is not None and i.value.values.dtype.kind in "iu"),
            None,
        )
        if not re.fullmatch(r"-?\d+", text) or ids is None or ids.ndim != 2:
            continue
        ends = [end for row in ids == int(text) for end in _inner_ends(row)]
        if len(set(ends)) >= min(3, max(2, ids.shape[1] - 3)):
            yield e.suspect(
                "padding",
                f"{at_line(step)} takes {text} for padding, whose row stays 0 and learns nothing; but {text} stands "
                f"between other numbers in {len(ends)} places, as a word does.",
                "Give padding_idx the number that fills up sequences at their ends, or leave it out.",
                at=step,
            )


def _inner_ends(is_padding: np.ndarray) -> Iterator[int]:
    """Where a run of padding ends that begins after other numbers and is followed by others."""
    words = np.flatnonzero(~is_padding)
    if words.size:
        inner = np.flatnonzero(is_padding[words[0] : words[-1]]) + words[0]
        yield from [int(i) for i in inner if not is_padding[i + 1]]


def wrapped(e: Evidence) -> Found:
    """Small integers that a computation in their own type has taken beyond their ends, before the graph begins."""
    held = [(name, e.bench.array(value)) for name, value in items(e.watch.program.named)]
    small = [(name, a) for name, a in held if a is not None and a.dtype.kind in "iu" and a.dtype.itemsize < 4]
    for step in [s for s in e.steps.values() if s.id not in e.learning] if small else []:
        values = whole(step.value)
        for name, array in small:
            size = 2 ** (8 * array.dtype.itemsize)
            if values is None or array.shape != values.shape:
                continue
            if (first := _jump(array, values, size)) is not None:
                yield e.found(
                    "wrapped_integers",
                    f"`{name}` holds {array.dtype}, and is computed with in that type: its result jumps back by "
                    f"{size} between {first - 1} and {first}, where the type ends.",
                    f"Convert it first, then compute: {name}.astype(np.float32).",
                    at=step if step.kind == "call" else next(iter(e.users.get(step.id, [])), step),
                )
                return


def _jump(array: np.ndarray, values: np.ndarray, size: int) -> int | None:
    """Where ``values``, as a function of ``array``, jumps back by ``size`` of its steps; it is straight elsewhere."""
    at, where = np.unique(array, return_index=True)
    rises, steps = np.diff(values.ravel()[where]), np.diff(at.astype(int))
    if len(at) < _FEW:
        return None
    slope = float(np.median(rises / steps))
    off = np.flatnonzero(np.abs(rises - slope * steps) > 1e-3 * abs(slope))
    is_wrap = off.size == 1 and abs(rises[off[0]] - slope * (steps[off[0]] - size)) <= 1e-3 * abs(slope) * size
    is_function = np.allclose(values.ravel()[where][np.searchsorted(at, array.ravel())], values.ravel())
    return int(at[off[0] + 1]) if slope and is_wrap and is_function else None


def over_queries(e: Evidence) -> Found:
    """Weights of attention that sum to 1 along another axis than the one along which values are added up."""
    for step in [s for s in e.trained if s.function == "softmax"]:
        value, user, given = whole(step.value), _beyond(e, step, _DROPOUT), e.operands(step)[:1]
        if value is None or value.ndim < 2 or user is None or user.function not in ("matmul", "bmm"):
            continue
        first, second = [e.made_by(o, _DROPOUT).id == step.id for o in e.operands(user)[:2]]
        summed, axes = value.ndim - (1 if first else 2), axes_of_probabilities(value)
        scores = next((s for s in _makers(e, given[0]) if s.function in ("matmul", "bmm")), None)
        if first == second or scores is None or weight_of(e, scores) is not None:
            continue
        if axes and summed not in axes and value.shape[summed] > 1:
            yield e.found(
                "wrong_axis",
                f"{at_line(step)} takes the softmax along axis {axes[0]}, and {called(user)} adds up along axis "
                f"{summed}, where the weights sum to {number(value.sum(axis=summed).min())} to "
                f"{number(value.sum(axis=summed).max())}: they are normalised over the queries, not over the keys.",
                "Take the softmax over the keys, the last axis of the scores: axis=-1.",
                at=step,
            )


def _beyond(e: Evidence, step: Step, passed: frozenset[str]) -> Step | None:
    """The only user of a value, past those of the functions ``passed``."""
    user = e.only_user(step)
    return _beyond(e, user, passed) if user is not None and user.function in passed else user


def _makers(e: Evidence, step: Step, depth: int = 5) -> Iterator[Step]:
    """The steps that computed a value, through scaling and masking."""
    yield step
    if depth and step.function in {*REARRANGED, "mul", "div", "add", "sub", "where", "masked_fill"}:
        for given in e.operands(step):
            yield from _makers(e, given, depth - 1)


def decayed(e: Evidence) -> Found:
    """A weight decay that takes a large part of each weight in every update."""
    for event in e.watch.heard("step")[:1]:
        share = e.bench.decay(event.who)
        if share >= _STRONG_DECAY:
            yield e.found(
                "weight_decay",
                f"The optimizer takes {share:.0%} of each weight away in every update (learning rate times weight "
                "decay), whatever the loss says: the weights shrink to almost nothing.",
                "Make the weight decay much smaller, for example 1e-4.",
                at=made_at(e),
            )


def punished(e: Evidence) -> Found:
    """Logarithms of probabilities times rewards that are minimized."""
    for step, scores in e.picks:
        value, user = whole(scores.value), _beyond(e, step, REARRANGED)
        if value is None or not is_log(value, -1) or user is None or user.function != "mul":
            continue
        weights = [o for o in e.operands(user) if o.id not in e.learning]
        names = " ".join([called(o) for o in weights]) + " " + (user.source or "")
        w, g = (whole(weights[0].value) if weights else None), whole(user.grad)
        if w is None or g is None or not _REWARDS.search(names) or not e.ends_in(user, AVERAGING):
            continue
        if w.any() and (g >= 0).all() and g.any():
            yield e.suspect(
                "uphill",
                f"{at_line(user)} multiplies the logarithms of the chosen actions' probabilities by their rewards, and "
                "the loss grows with it: training makes rewarded actions rarer.",
                "Put a minus sign before it: loss = -(log_prob * reward).mean().",
                at=user,
            )


def repelled(e: Evidence) -> Found:
    """Similarities of pairs that belong together, as the whole loss, which makes them as small as it can."""
    for step in [s for s in e.trained if s.function == "cosine_similarity" and e.ends_in(s, AVERAGING)]:
        low, high = range_of(step.grad)
        behind = [e.behind([o]) for o in e.operands(step)[:2]]
        sides = [[g.array for g in fed(e) if g.step.id in one - other] for one, other in (behind, behind[::-1])]
        for a, b in [(a, b) for a in sides[0] for b in sides[1] if a.shape == b.shape and a.ndim > 1 and len(a) > 2]:
            likeness = _likeness(a.astype(float), b.astype(float))
            if low >= 0 < high and likeness > 0.5:
                yield e.suspect(
                    "uphill",
                    f"{at_line(step)} is the loss, so training makes the similarity as small as it can; but the pairs "
                    f"belong together: their inputs are far more alike than those of different pairs.",
                    "Minimize 1 - similarity, or put a minus sign before it.",
                    at=step,
                )
                return


def exchanged_sides(e: Evidence) -> Found:
    """A triplet whose positive and negative are exchanged: the anchors are like the latter."""
    for step in [s for s in e.trained if s.function == "triplet_margin_loss"]:
        given = e.operands(step)[:3]
        arrays = [[g.array.astype(float) for g in fed(e) if g.step.id in e.behind([o])] for o in given]
        if len(given) < 3 or any(len(own) != 1 for own in arrays) or len({own[0].shape for own in arrays}) > 1:
            continue
        (anchor,), (positive,), (negative,) = arrays
        if len(anchor) > 2 and _likeness(anchor, negative) > 0.5 > 2 * _likeness(anchor, positive):
            yield e.suspect(
                "uphill",
                f"{at_line(step)} brings the anchors closer to `{given[1].name}` and away from `{given[2].name}`; but "
                "the inputs of the latter are far more like the anchors'.",
                "Give it the anchor, then the positive, then the negative.",
                at=step,
            )
            return


def driven_away(e: Evidence) -> Found:
    """Probabilities times targets of 0 and 1, as in an overlap, of which the loss makes those of 1 small and those of 0
    large."""
    for step in [s for s in e.trained if s.function == "mul" and not e.objectives]:
        made = [o for o in e.operands(step) if o.id in e.learning]
        given = [o for o in e.operands(step) if o.id not in e.learning]
        p, t = (whole(own[0].value) if len(own) == 1 else None for own in (made, given))
        g = whole(made[0].grad) if len(made) == 1 else None
        if p is None or t is None or g is None or not p.shape == t.shape == g.shape or set(np.unique(t)) != {0.0, 1.0}:
            continue
        if (
            e.made_by(made[0]).function in _PROBABLE
            and (g[t == 1] >= 0).all()
            and (g[t == 0] <= 0).all()
            and g[t == 1].any()
        ):
            yield e.suspect(
                "uphill",
                f"{at_line(step)} multiplies {called(made[0])} by the targets {e.called(given[0])}, and the loss grows "
                "with each prediction where the target is 1, and falls where it is 0: training moves them apart.",
                "An overlap is to grow: minimize 1 - overlap.",
                at=step,
            )
            return


_LINEAR = (AVERAGING - {"mul", "div"}) | {"add", "sub"}


def _is_term(e: Evidence, step: Step) -> bool:
    """Whether a value is a term of the loss, alone or times a number."""
    way = e.way_to_loss(step)
    return way is not None and all(
        user.function in _LINEAR or (user.function in ("mul", "div") and len(e.operands(user)) == 1) for user in way
    )


def endless(e: Evidence) -> Found:
    """The divergence of a normal distribution with the wrong sign: the loss falls without end as exp(v) grows."""
    for step in [s for s in e.trained if s.function == "exp" and s.grad is not None]:
        (given, *_), (_, high) = e.operands(step), range_of(step.grad)
        others = [user for user in e.users.get(given.id, []) if user is not step and user.function in ("add", "sub")]
        if high < 0 and _is_term(e, step) and any(_is_term(e, user) for user in others):
            yield e.suspect(
                "uphill",
                f"{at_line(step)} gets into the loss with a minus sign, beside {called(given)} itself: the larger it "
                "is, the smaller the loss, without end. A divergence has it with a plus sign.",
                "Of a normal distribution the divergence is -0.5 * (1 + logvar - mu**2 - exp(logvar)); add it.",
                at=step,
            )
            return


def ignored(e: Evidence) -> Found:
    """A class that a loss is told to leave out as if it were padding, though each example has one class."""
    for o in [o for o in e.objectives if o.kind in ("cross_entropy", "nll") and len(shape_of(o.prediction)) == 2]:
        text = dict(o.step.attributes).get("ignore_index", dict(o.step.attributes).get("ignore_label", ""))
        t, classes = whole(o.target.value), shape_of(o.prediction)[1]
        if not re.fullmatch(r"\d+", text) or t is None or int(text) >= classes or len(list(uncut(e, o.target))) > 1:
            continue
        share = float((t == int(text)).mean())
        if 0 < share < 1 and t.ndim == 1:
            yield e.suspect(
                "padding",
                f"{at_line(o.step)} leaves out every target {text}, which {share:.0%} of {len(t)} examples have: it is "
                f"one of the {classes} classes, and the network never learns it.",
                "Leave ignore_index out, or give it a number that is no class, such as -100.",
                at=o.step,
            )
            return


def _likeness(a: np.ndarray, b: np.ndarray) -> float:
    """The mean correlation of the rows of two arrays, less that of rows that do not belong together."""
    flat = [x.reshape(len(x), -1) - x.reshape(len(x), -1).mean(axis=0) for x in (a, b)]
    one, two = [x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30) for x in flat]
    return float((one * two).sum(axis=1).mean() - (one * np.roll(two, 1, axis=0)).sum(axis=1).mean())


SIGNS = (punished, repelled, exchanged_sides, driven_away, endless)
"""The rules for signs that numbers show."""
