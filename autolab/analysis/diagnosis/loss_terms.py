"""What a loss is made of: targets that the network computes itself or that are other words than the next ones, means
over places that a mask leaves out, a mean beside a sum, colours from 0 to 255."""

from __future__ import annotations

import math
import re

import numpy as np

from ...recording.model import Step
from ...recording.step import REARRANGED
from .comparisons import LOSSES, Objective
from .evidence import Evidence, Found
from .objectives import AVERAGING, unreachable
from .report import at_line, called, ends, range_of, shape_of, whole

EMBEDDING = ("embedding", "embed_id", "embed")
_ARITHMETIC = REARRANGED | {"add", "sub", "mul", "div", "neg", "where"}
_BEST = ("max", "amax")
_MASKS = re.compile(r"mask|pad|valid", re.IGNORECASE)
_PLAIN = ("1", "1.0", "2", "2.0", "0.5", "-0.5", "-1", "-1.0")
"""Factors that belong to the formula of a term; with any other, a term was weighed on purpose."""

_FEW = 8


def bootstrapped(e: Evidence) -> Found:
    """A target r + gamma * max q(s2) through which the gradient reaches the network that predicts."""
    for step in [s for s in e.trained if s.function in ("sub", "subtract") or LOSSES.get(s.function or "")]:
        given = e.operands(step)[:2]
        if len(given) < 2 or any(o.grad is None or o.id not in e.learning for o in given):
            continue
        for guess, target in (given, given[::-1]):
            best = _best_of(e, target, set())
            if best is not None and e.behind([best]) & e.behind([guess]) & e.learned:
                yield e.suspect(
                    "undetached_target",
                    f"{at_line(step)} compares {called(guess)} with {called(target)}, which the same network computes "
                    f"in line {best.line}, and the gradient goes through both: the target is moved towards the "
                    "prediction, too.",
                    "Keep the target out of the graph: compute it inside no_grad(), or use target.detach().",
                    at=target if target.line is not None else step,
                )
                return


def _best_of(e: Evidence, step: Step, done: set[str]) -> Step | None:
    """The maximum over actions in a target, to which something given was added and which was multiplied by something
    given, such as a discount."""
    if step.function in _BEST and len(shape_of(e.operands(step)[0])) > 1:
        return step if {"add", "mul"} <= done and step.id in e.learning else None
    if step.kind == "part":
        return _best_of(e, e.operands(step)[0], done)
    if step.function not in _ARITHMETIC:
        return None
    learned = [o for o in e.operands(step) if o.id in e.learning]
    return _best_of(e, learned[0], done | {step.function or ""}) if len(learned) == 1 else None


def shifted(e: Evidence) -> Found:
    """Words whose targets are not the next words but those after the next, or, where none sees later ones, the same."""
    words = [ids for s in e.trained if s.function in EMBEDDING and (ids := _words(e, s)) is not None]
    found = [(o, k, ids) for o in e.objectives for ids in words if (k := _offset(o, ids)) is not None]
    if not found or any(k == 1 for _, k, _ in found):
        return
    o, k, ids = found[-1]
    # a network that is to give back the only words that it gets may be an autoencoder
    is_told = k == 0 and any(_are_other_words(ids, other) for other in words)
    if k == 2:
        yield e.found(
            "shifted_targets",
            f"{at_line(o.step)} compares the prediction at each place with the word two places later: every one of its "
            "targets is the word after the next, in all sequences.",
            "Shift once: either the labels are shifted already, or logits[:, :-1] belong to labels[:, 1:].",
            at=o.step,
        )
    elif e.is_causal or is_told:
        yield (e.found if e.is_causal else e.suspect)(
            "shifted_targets",
            f"{at_line(o.step)} compares the prediction at each place with the word that is given there: it has to be "
            "copied, not predicted.",
            "Compare with the next word: give the network words[:, :-1], and the loss words[:, 1:].",
            at=o.step,
        )


def _words(e: Evidence, step: Step) -> np.ndarray | None:
    found = [i.value for i in e.operands(step) if i.value is not None and i.value.values.dtype.kind in "iu"]
    return found[0].values if found and found[0].is_whole and len(found[0].shape) == 2 else None


def _are_other_words(ids: np.ndarray, other: np.ndarray) -> bool:
    """Whether an array holds words of its own, not the positions or the parts of a text."""
    is_text = len(np.unique(other)) > 2 and np.ptp(other, axis=0).any()
    return len(other) == len(ids) and is_text and not np.array_equal(ids, other)


def _offset(o: Objective, ids: np.ndarray) -> int | None:
    """By how many places targets are ahead of the words that are given, if it is 0, 1 or 2 and only one of them."""
    target = o.target.value
    if target is None or not target.is_whole or target.values.dtype.kind not in "iu" or target.values.size % len(ids):
        return None
    rows = target.values.reshape(len(ids), -1)
    length, fitting = rows.shape[1], []
    if not 3 <= length <= ids.shape[1]:
        return None
    for k in range(3):
        place = rows[:, : ids.shape[1] - k]
        same = (place == ids[:, k : k + place.shape[1]]) | (place < 0)
        if same.all() and (place >= 0).sum() >= _FEW and len(np.unique(place)) > 2:
            fitting.append(k)
    return fitting[0] if len(fitting) == 1 else None


def masked(e: Evidence) -> Found:
    """Errors times a mask, of which the mean is taken over all places, also those that the mask leaves out."""
    for step in [s for s in e.trained if s.function == "mul" and s.value is not None and s.grad is not None]:
        masks = [o for o in e.operands(step) if o.id not in e.learning and _is_mask(o)]
        if not masks or not e.ends_in(step, AVERAGING):
            continue
        mask, count = whole(masks[0].value), math.prod(shape_of(step))
        slopes = np.array(range_of(step.grad))
        if mask is not None and np.allclose(np.abs(slopes) * count, 1.0, rtol=1e-3):
            share = float(mask.mean())
            yield e.suspect(
                "masked_mean",
                f"{at_line(step)} leaves out what the mask {e.called(masks[0])} has as 0, and the mean divides by all "
                f"{count} places, of which {share:.0%} count: the loss depends on how much is left out.",
                "Divide by those that count: (error * mask).sum() / mask.sum().",
                at=step,
            )
            return


def _is_mask(step: Step) -> bool:
    """Whether it is 0 or 1, and called a mask, or 1 at the beginning of each row only, as where sequences of different
    lengths are filled up."""
    value, name = whole(step.value), f"{step.name} {step.source}"
    if value is None or not value.ndim or set(np.unique(value)) != {0.0, 1.0}:
        return False
    rows = value.reshape(*value.shape[:2], -1)[:, :, 0] if value.ndim > 1 else value[None]
    lengths = rows.sum(axis=1)
    is_filled = len(rows) > 2 and len(set(lengths)) > 2 and bool((np.diff(rows, axis=1) <= 0).all() and lengths.all())
    return is_filled or _MASKS.search(name) is not None


def mixed(e: Evidence) -> Found:
    """A mean over the examples, and a term of the same examples that is their sum: it counts as many times more."""
    loss = e.loss
    if loss is None or loss.function not in ("add", "sub") or len(e.operands(loss)) != 2:
        return
    found = [(term, _reduction(e, term)) for term in e.operands(loss) if term.id in e.learning]
    kinds = {kind[0]: (term, kind[1]) for term, kind in found if kind is not None}
    if len(found) == 2 and kinds.keys() == {"mean", "sum"} and kinds["mean"][1] == kinds["sum"][1] > 1:
        (mean, _), (total, count) = kinds["mean"], kinds["sum"]
        yield e.suspect(
            "mixed_reductions",
            f"{at_line(loss)} adds {called(mean)}, a mean over the {count} examples and all that each has, to "
            f"{called(total)}, a sum over them: the second counts {count} times more, and more still in a larger "
            "batch.",
            "Take the same for both: the sum over what an example has, and then the mean over the examples.",
            at=loss,
        )


def _reduction(e: Evidence, term: Step) -> tuple[str, int] | None:
    """Whether a term of a loss is a mean or a sum over examples, and over how many; None if it is neither, or was
    weighed."""
    while True:
        given, constants = e.operands(term), [o.constant for o in term.operands if o.step is None]
        if any(text not in _PLAIN for text in constants if text is not None) and term.function in ("mul", "div"):
            return None
        kind = "mean" if LOSSES.get(term.function or "") else term.function
        if kind in ("mean", "sum") and shape_of(term) == () and given and len(shape_of(given[0])) > 1:
            reduction = dict(term.attributes).get("reduction", "")
            return ("sum" if "sum" in reduction else kind), shape_of(given[0])[0]
        if term.function not in ("mul", "div", "neg", *REARRANGED) or len(given) != 1:
            return None
        term = given[0]


def coloured(e: Evidence) -> Found:
    """Whole numbers from 0 to 255 as the targets of a prediction that has no such size."""
    reachable = [] if [*unreachable(e)] else e.objectives
    for o in [o for o in reachable if o.kind == "regression" and o.target.id not in e.learning]:
        target, made = whole(o.target.value), whole(o.prediction.value)
        if target is None or made is None or target.size < 6 * _FEW or (target != np.rint(target)).any():
            continue
        if target.min() >= 0 and 200 < target.max() <= 255 and np.abs(made).max() < 25:
            yield e.suspect(
                "output_range",
                f"{at_line(o.step)} compares predictions between {ends(o.prediction)} with targets between "
                f"{ends(o.target)}, as bytes have them: the way is too far for updates of a usual size.",
                "Divide colours by 255 first.",
                at=o.step,
            )
