"""The answer to a click on a box: where its gradient comes from, share by share, and what it passes on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...recording.model import LEAVES, Snapshot, Step
from ..draw import number
from ..draw.arrays import a_value, cell_of, text_of
from ..draw.messages import listed, plural, say
from ..draw.names import label, shorten
from ..draw.typeset import Tree, formula, in_pairs, of_label, row
from ..graph.playback import Playback
from ..graph.rule_formulas import Token, numbers_in
from .moments import edge_of, share_at, share_sentence
from .share import Share
from .share_numbers import numbers_of
from .worksheet import Index, index_text, strongest

MOST_SHARES = 12
"""This many shares of a gradient are shown with their calculation, all others only with their lines."""

_MOST_TERMS = 4
_MOST_IN_FORMULA = 3  # shares: nobody reads a longer formula
_MOST_HELD = 2
_MOST_VALUES = 3  # of a closed group: the last ones that leave it
_MOST_HANDED = 8
_STEP = 0.01
_NAME_COLUMNS = 24


def answer(walk: Playback, box: int, boxes: Mapping[int, int]) -> dict[str, Any]:
    """The answer of a box, as plain data.

    Parameters
    ----------
    walk : Playback
        The walk of the recording to which the box belongs.
    box : int
        A step or a closed group.
    boxes : mapping
        The box of each step in the picture.

    Returns
    -------
    dict
        ``comes`` has an entry for each value that leaves the box: the ``total`` gradient (for an array, at the element
        ``index``) and the ``shares`` of which it is the sum, in program order, or largest first if there are many, each
        with its calculation and the ``edge`` along which it comes. ``hands`` are the shares that the box passes on.
        ``ends`` is the sentence for a box that passes nothing on; ``sentence`` sums everything up in one line.

    Examples
    --------
    >>> import autolab
    >>> def small(x, y):
    ...     h = x * y
    ...     out = h + x
    ...     return out
    >>> walk = Playback(autolab.record(small, x=2.0, y=3.0))
    >>> found = answer(walk, 0, {step: step for step in walk.steps})
    >>> found["comes"][0]["says"], found["sentence"]
    ('4 = 3 through h + 1 direct', 'x counts twice: if it grows by 0.01, out grows by about 0.04.')
    """
    inside = _inside(walk, box)
    comes = [_comes(walk, step, boxes) for step in _values(walk, box, inside) if walk.recording.slope(step) is not None]
    return {
        "kind": "gradient" if walk.moved is None else "tangent",
        "comes": comes,
        "hands": _hands(walk, inside, boxes),
        "ends": _ends(walk, inside),
        "sentence": _sentence(walk, inside[-1] if box >= 0 else walk.recording.outline.groups[box].result, comes),
    }


def _inside(walk: Playback, box: int) -> Sequence[Step]:
    return walk.recording.outline.groups[box].steps if box < 0 else (walk.steps[box],)


def _values(walk: Playback, box: int, inside: Sequence[Step]) -> list[Step]:
    """The values that are used outside the box, beginning with the one that it shows."""
    if box >= 0:
        return [*inside]
    results = set(walk.recording.outline.groups[box].results)
    return [step for step in reversed(inside) if step.id in results][:_MOST_VALUES]


# ------------------------------------------------------------------ where a gradient comes from
@dataclass(frozen=True)
class _Element:
    """The gradient of a step at one element, or that of a single number: every share is shown there."""

    step: Step
    grad: Snapshot
    index: Index | None  # None if not all elements were kept

    def of(self, snapshot: Snapshot) -> str:
        """The number there; without an index, the norm of the whole array."""
        if self.index is None or not snapshot.is_whole or snapshot.shape != self.grad.shape:
            return say("answer_norm", norm=number(snapshot.norm))
        return number(snapshot.values[self.index])


def _comes(walk: Playback, step: Step, boxes: Mapping[int, int]) -> dict[str, Any]:
    grad = walk.recording.slope(step)
    assert grad is not None
    at = _Element(step, grad, strongest(grad) if grad.is_whole and grad.size else None)
    moments = _arriving(walk, step)
    if len(moments) > _MOST_TERMS:
        moments.sort(key=lambda k: -_size(at, walk.use(walk.moments[k]).contribution))
    started = walk.starts.get(step.id)
    starts = say("answer_started" if walk.moved is None else "answer_moves")
    shares = [_given(at, started, starts)] if started is not None else []
    shares += [_share(walk, k, at, boxes, _held(walk, moments, k)) for k in moments[:MOST_SHARES]]
    count = len(moments) + (started is not None)
    total = at.of(grad)
    return {
        "name": shorten(label(step), _NAME_COLUMNS),
        "index": index_text("", at.index) if at.index else "",
        "of": say("answer_largest", count=grad.size) if at.index and grad.size > 1 else "",
        "total": total,
        "shares": shares,
        "count": count,
        "terms": min(count, _MOST_TERMS),
        "math": _chain_rule((walk.symbol(step), total), shares, count),
        "edges": [edge_of(walk, walk.moments[k], boxes) for k in moments],
        "says": _says(at, shares, count),
    }


def _size(at: _Element, share: Snapshot | None) -> float:
    """The size of a share, for sorting; NaN comes first."""
    if share is None:
        return 0.0
    is_there = at.index is not None and share.is_whole and share.shape == at.grad.shape
    size = abs(float(share.values[at.index])) if is_there else share.norm
    return size if size == size else math.inf


def _arriving(walk: Playback, step: Step) -> list[int]:
    """The moments at which a share arrives, in the order in which the program uses the value."""
    arrivals = [a.moment for a in walk.arrivals.get(step.id, ()) if walk.moments[a.moment].operand is not None]
    return sorted(arrivals, key=lambda k: (walk.moments[k].step, walk.moments[k].operand))


def _given(at: _Element, upstream: Snapshot, sentence: str) -> dict[str, Any]:
    words = {"way": say("answer_given"), "number": at.of(upstream), "sentence": sentence}
    return {**words, "edge": None, "line": None, "math": None, "rule": None, "numbers": []}


def _held(walk: Playback, moments: Sequence[int], k: int) -> str:
    """What is held constant when only the use at moment ``k`` is considered: the values of the other uses."""
    users = [walk.moments[other].step for other in moments if other != k]
    return ", ".join([label(walk.steps[user]) for user in dict.fromkeys(users) if user is not None][:_MOST_HELD])


def _share(walk: Playback, k: int, at: _Element, boxes: Mapping[int, int], held: str) -> dict[str, Any]:
    space = "in" if walk.moved is None else "out"
    pick = None if at.index is None else (space, *cell_of(at.grad.shape, at.index))
    share = share_at(walk, k, pick)  # type: ignore[arg-type]
    pairs = _pairs(walk, share, held)
    rule = None if pairs else share.rule()  # the chain rule with its numbers says the same
    return {
        "way": _way(walk, share.step if walk.moved is None else share.target),
        "number": at.of(share.share),
        "edge": edge_of(walk, walk.moments[k], boxes),
        "line": share.step.outer_line,
        "math": formula(["pairs", *pairs, *_numbered([("=", "="), ("share", at.of(share.share))])]) if pairs else None,
        "rule": rule and rule["text"],
        "numbers": [] if pairs else numbers_of(share),
        "sentence": share_sentence(share),
    }


def _way(walk: Playback, through: Step) -> str:
    """The path of a share: directly from the output, or through the value computed by the use."""
    recording = walk.recording
    if walk.moved is not None and through.id == walk.moved.step.id:
        return say("answer_direct")
    if walk.moved is None and recording.outputs == (through.id,) and len(_arriving(walk, through)) == 0:
        return say("answer_direct")
    return say("answer_through", name=shorten(label(through), _NAME_COLUMNS))


def _pairs(walk: Playback, share: Share, held: str) -> list[Tree]:
    """The chain rule for numbers: its symbols, each with its number below; for one of several uses, what is held
    constant."""
    pairs = share.pairs()
    if not pairs or share.names[0] != walk.loss:
        return _numbered(pairs)
    if held:  # the derivative with respect to this use alone would look like that with respect to all
        start, times, (symbol, below) = [*_numbered(pairs[:-1]), *_numbered(pairs[-1:])]
        pairs_held = [["sub", row(symbol, "|"), of_label(held)], below]
        return [pairs_held] if pairs[0][1] == "1" else [start, times, pairs_held]
    return _numbered(pairs[-1:] if pairs[0][1] == "1" else pairs)


def _numbered(pairs: Sequence[tuple[Token, str]]) -> list[Tree]:
    return in_pairs(pairs)[1:]


def _chain_rule(whole: tuple[Token, str], shares: Sequence[Mapping[str, Any]], count: int) -> dict[str, Any] | None:
    """The sum of the shares with its numbers; None if it would be long, or only repeat the shares."""
    found = [share["math"]["tree"][1:-2] if share["math"] else [] for share in shares]
    if len(shares) != count or count > _MOST_IN_FORMULA or not all(found) or (count == 1 and len(found[0]) == 1):
        return None
    plus = _numbered([("+", "+")])
    terms = [part for k, pairs in enumerate(found) for part in [*(plus if k else []), *pairs]]
    return formula(["pairs", *_numbered([whole, ("=", "=")]), *terms])


def _says(at: _Element, shares: Sequence[Mapping[str, Any]], count: int) -> str:
    """``4 = 3 through h + 1 direct``; for a single share, only its path."""
    total = index_text("", at.index or ()) + (": " if at.index else "") + at.of(at.grad)
    if count == 1:
        return f"{total} {shares[0]['way']}"
    terms = " + ".join([f"{share['number']} {share['way']}" for share in shares[:_MOST_TERMS]]).replace("+ −", "− ")
    more = f" + … {say('answer_count', count=count)}" if count > _MOST_TERMS else ""
    return f"{total}{' =' if at.index is not None else ':'} {terms}{more}"


# ------------------------------------------------------------------ what it passes on
def _hands(walk: Playback, inside: Sequence[Step], boxes: Mapping[int, int]) -> list[dict[str, Any]]:
    own = {step.id for step in inside}
    found: list[dict[str, Any]] = []
    for k, moment in enumerate(walk.moments[walk.start :], walk.start):
        if moment.phase != "backward" or moment.step not in own or walk.use(moment).step in own:
            continue
        if len(found) == _MOST_HANDED:
            break
        share = share_at(walk, k)
        found.append(
            {
                "parameter": share.use.parameter,
                "to": shorten(share.names[1], _NAME_COLUMNS),
                "text": text_of(share.share),
                "numbers": [numbers_in(share.use.numbers)] if share.use.numbers else numbers_of(share),
                "edge": edge_of(walk, moment, boxes),
            }
        )
    return found


def _ends(walk: Playback, inside: Sequence[Step]) -> str:
    """The sentence for a leaf: its gradient ends here; and where its value goes."""
    if len(inside) > 1 or inside[0].kind not in LEAVES or inside[0].grad is None:
        return ""
    step = inside[0]
    users = [label(user) for user in walk.steps.values() if any(use.step == step.id for use in user.operands)]
    names = listed([shorten(name, _NAME_COLUMNS) for name in dict.fromkeys(users)])
    return say("answer_ends" if names else "answer_unused", name=label(step), users=names)


# ------------------------------------------------------------------ in one sentence
def _sentence(walk: Playback, step: Step | None, comes: Sequence[Mapping[str, Any]]) -> str:
    """A sentence about the gradient; empty if there is none, which another sentence explains."""
    if walk.moved is not None:
        return _moves(step, comes)
    if step is None or step.grad is None or not comes:
        return ""
    first, name, shares = comes[0], label(step), comes[0]["shares"]
    written = any([one.backward_code for one in walk.steps.values()])  # by a user, and perhaps wrong
    if step.grad.size != 1:
        return say("answer_array", name=name, value=a_value(step.grad), there=_there(first))
    if not shares or walk.steps[walk.recording.outputs[0]].name != walk.loss or (written and shares[0]["edge"]):
        return say("answer_number", says=first["says"], name=name)
    if shares[0]["edge"] is None and first["count"] == 1 and step.id in walk.recording.outputs:
        return say("answer_output", name=name, total=first["total"])
    grows = number(float(step.grad.values.reshape(-1)[0]) * _STEP)
    times = say("answer_twice") if first["count"] == 2 else plural(first["count"], "time")
    way = say("answer_counts", name=name, times=times) if first["count"] > 1 else ""
    words = {"subject": say("answer_it") if way else name, "step": _STEP, "loss": walk.loss, "grows": grows}
    sentence = way + say("answer_grows", **words)
    return sentence if way else sentence[0].upper() + sentence[1:]


def _moves(step: Step | None, comes: Sequence[Mapping[str, Any]]) -> str:
    """The sentence in forward mode."""
    if step is None or step.tangent is None or not comes:
        return say("stands_still")
    words = {"name": label(step), "value": a_value(step.tangent), "there": _there(comes[0]), **comes[0]}
    return say("answer_tangent" if step.tangent.size == 1 else "answer_tangent_array", **words)


def _there(found: Mapping[str, Any]) -> str:
    """Its size at the strongest element, or as a whole if no element is known."""
    return say("answer_at" if found["index"] else "answer_all", **found)
