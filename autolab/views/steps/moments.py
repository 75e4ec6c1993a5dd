"""What is shown at one moment of a walk: the calculation with its numbers, the rule, the sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ...recording.model import Snapshot
from ...recording.tangents import duality
from ..draw import number, shape_text
from ..draw.arrays import a_value, spoken_value, text_of
from ..draw.messages import listed, say
from ..draw.names import heading, label
from ..draw.typeset import formula, in_pairs, of_tokens
from ..graph.playback import Event, Playback
from ..graph.rule_formulas import Token, derivative, grouped, in_names, loss_name, names_in
from .forward import computed, given
from .share import Pick, Share
from .share_numbers import numbers_of
from .worksheet import MAX_CELLS, Index, Sheet, WorksheetProduct, index_text, tangent_product

# One share of a tangent as a calculation: the tangent of the operand times the local derivative, added.


class Push(Share):
    """The share of the tangent of ``step`` that comes from ``target`` through the input ``use``.

    ``upstream`` is the tangent of ``target``, None for a call with several results; ``before`` is that of ``step``
    before the share arrives, ``loss`` the symbol of what moves.
    """

    noun = "tangent"
    space = "out"

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the operand and of the step that uses it."""
        return self.names[1], self.names[0]

    @property
    def symbols(self) -> tuple[Token, Token]:
        """Their derivatives with respect to what moves, along all paths."""
        return derivative(self.ends[0], self.loss, "d"), derivative(self.ends[1], self.loss, "d")

    @property
    def factors(self) -> tuple[Token, Token]:
        """``dw/dx = ∂w/∂h · dh/dx``."""
        return self.local, self.symbols[0]

    @cached_property
    def matrices(self) -> WorksheetProduct | None:
        """The share as a product of two matrices, if it is one."""
        return tangent_product(self.step, self.target, self.steps, self.share)

    def column(self, jacobian: Snapshot, chosen: Index) -> np.ndarray:
        """The derivatives of one element of the output with respect to all elements of the input."""
        return np.asarray(jacobian.values[chosen])

    def _local_at(self, chosen: Index) -> Token:
        return derivative(index_text(grouped(self.names[0]), chosen), self.names[1])

    # ------------------------------------------------------------------ words
    def _arrived(self) -> str:
        return say("term_whole", kind=self.noun, name=self.ends[0])

    def _name_of_g(self) -> dict[str, str]:
        return {"g": self._arrived()}

    def rule(self) -> dict[str, Any] | None:
        """The rule in the user's names: an elementwise rule is the same in both directions."""
        return None if self.use.local is None else super().rule()

    def notes(self) -> list[str]:
        """Further notes."""
        repeated = self.use.local is not None and self.upstream is not None and self.upstream.size < self.share.size
        if not repeated or self.upstream is None:
            return super().notes()
        shapes = {"small": shape_text(self.upstream.shape), "large": shape_text(self.share.shape)}
        return [say("repeated", name=self.ends[0], **shapes), *super().notes()]

    def told(self) -> str:
        """The share as read aloud."""
        (source, target), local, per = self.ends, self.use.local, say("moves_per", letter=self.loss)
        words = {"source": source, "target": target, "share": a_value(self.share), "per": per}
        if self.upstream is None:  # a call with several results
            return say("spoken_part_moves", **words)
        words["tangent"] = spoken_value(self.upstream)
        if local is None:
            return say("spoken_becomes", **words)
        if self.share.size > 1:
            return say("spoken_pushes", local=spoken_value(local), **words)
        subject = heading(self.step) if self.count == 1 else say("pushed_through", **words)
        return say("spoken_moves", subject=subject, local=self._named(text_of(local)), **words)

    def _named(self, value: str) -> str:
        """The local derivative, named as in the rule, with its value: ``w = 3``."""
        factor = (self.use.rule or "").removeprefix("g * ")
        text = in_names(factor, names_in(self.step, self.steps))
        is_named = factor != self.use.rule and grouped(factor) == factor and text[:1].isalpha()
        return f"{text} = {value}" if is_named else value


def frame(
    walk: Playback, k: int, boxes: Mapping[int, int], pick: Pick | None = None, most: int = MAX_CELLS
) -> dict[str, Any]:
    """Moment ``k`` as plain data, with the float32 cells of its arrays.

    Parameters
    ----------
    walk : Playback
    k : int
    boxes : mapping
        The box of each step in the picture.
    pick : tuple, optional
        The cell whose numbers are followed, as ``(space, row, column)``; by default, the one of largest magnitude.
    most : int
        The maximum number of rows and of columns of an array.

    Raises
    ------
    IndexError
        If the walk has no such moment.
    """
    if not 0 <= k < len(walk):
        raise IndexError(f"frame: got moment {k}; the walk has {len(walk)}")
    moment = walk.moments[k]
    sheet = Sheet(most)
    words = _TOLD[moment.phase](walk, k, sheet, pick)
    in_backward = k >= walk.start
    pass_length = len(walk) - walk.start if in_backward else walk.start
    step = None if moment.step is None else walk.steps[moment.step]
    return {
        "k": k,
        "phase": say("walk_moving" if walk.moved else "walk_backward" if in_backward else "walk_forward"),
        "place": say("walk_place", k=1 + k - (walk.start if in_backward else 0), count=pass_length),
        "backward": in_backward,
        "moving": walk.moved is not None,
        "line": None if step is None else step.outer_line,
        "lines": sheet.lines,
        "product": sheet.product,
        "growing": walk.growing(k, boxes),
        **_lit(walk, moment, boxes),
        "formula": None,
        "rule": None,
        "numbers": [],
        "notes": [],
        "code": None,
        **words,
    }


def _lit(walk: Playback, moment: Event, boxes: Mapping[int, int]) -> dict[str, Any]:
    """The boxes and the edge that the moment is about."""
    recording = walk.recording
    if moment.phase == "given":
        return {"nodes": _boxes(recording.inputs, boxes), "edge": None}
    if moment.phase in ("start", "seed", "end"):
        moved = [] if walk.moved is None else [walk.moved.step.id]
        ends = () if moment.phase == "seed" else recording.outputs
        return {"nodes": _boxes([*moved, *ends], boxes), "edge": None}
    assert moment.step is not None
    if moment.operand is None:
        return {"nodes": _boxes(range(moment.step, moment.upto + 1), boxes), "edge": None}
    edge = edge_of(walk, moment, boxes)
    return {"nodes": [edge["from"], edge["to"]], "edge": edge}


def edge_of(walk: Playback, moment: Event, boxes: Mapping[int, int]) -> dict[str, int]:
    """The line of the picture along which a share comes; ``nth`` distinguishes lines between the same two boxes."""
    assert moment.step is not None and moment.operand is not None
    operands = walk.steps[moment.step].operands
    source = operands[moment.operand].step
    assert source is not None
    alone = boxes[source] == source and boxes[moment.step] == moment.step  # lines to or from a group are merged
    nth = sum(operand.step == source for operand in operands[: moment.operand]) if alone else 0
    return {"from": boxes[source], "to": boxes[moment.step], "nth": nth}


def _boxes(steps: Any, boxes: Mapping[int, int]) -> list[int]:
    return list(dict.fromkeys([boxes[step] for step in steps if step in boxes]))


# ------------------------------------------------------------------ backward
def _start(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    for output, upstream in walk.starts.items():
        sheet.add("", say("term_upstream"), upstream, [walk.symbol(walk.steps[output])])
    names = ", ".join([label(walk.steps[output]) for output in walk.starts])
    values = ", ".join(map(spoken_value, walk.starts.values()))
    return {
        "title": say("walk_starts"),
        "notes": [loss_note(walk)],
        "spoken": say("spoken_start", name=names, value=values),
    }


def loss_note(walk: Playback) -> str:
    """The meaning of the symbol in the derivatives."""
    recording, loss = walk.recording, walk.loss
    output = walk.steps[recording.outputs[0]]
    upstream = recording.upstream[0] if len(recording.upstream) == 1 else None
    plain = upstream is not None and upstream.size == 1 and upstream.values.reshape(-1)[0] == 1
    return say("loss", loss=loss, name=label(output)) if plain else say("loss_sum", loss=loss)


def share_at(walk: Playback, k: int, pick: Pick | None = None) -> Share:
    """The share that is sent at a backward moment or in forward mode."""
    moment = walk.moments[k]
    use = walk.use(moment)
    assert moment.step is not None and use.step is not None
    receiver = use.step if walk.moved is None else moment.step
    arrivals = walk.arrivals[receiver]
    return (Share if walk.moved is None else Push)(
        step=walk.steps[moment.step],
        use=use,
        target=walk.steps[use.step],
        steps=walk.steps,
        upstream=moment.upstream,
        before=walk.before(k, receiver),
        number=1 + [arrival.moment for arrival in arrivals].index(k),
        count=len(arrivals),
        loss=walk.loss,
        pick=pick,
    )


def _backward(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    share = share_at(walk, k, pick)
    share.write(sheet)
    source, target = share.ends
    return {
        "title": say("walk_sends" if walk.moved is None else "walk_pushes", source=source, target=target),
        "formula": None if walk.moved and share.upstream is None else chain_rule(share),
        "rule": share.rule(),
        "numbers": numbers_of(share),
        "notes": share.notes(),
        "code": None if share.step.backward_code is None else share.step.backward_code[:4000],
        "spoken": share_sentence(share),
    }


def chain_rule(share: Share) -> dict[str, Any]:
    """The chain rule; for numbers, with each number below its symbol."""
    known = dict(share.pairs())
    if not known:
        return formula(of_tokens(share.formula()))
    first, *others = share.formula()
    whole = text_of(share.share) if share.count == 1 else ""
    pairs = [(first, whole), *[(token, known.get(token, token)) for token in others]]
    return formula(in_pairs(pairs))


def share_sentence(share: Share) -> str:
    """A share as read aloud."""
    if share.count == 1:
        return share.told()
    total = share.use.total or share.share
    words = {"count": share.count, "arrived": share.number, "target": share.ends[1], "kind": share.noun}
    is_complete, number = share.number == share.count, total.size == 1
    key = "part" if share.number == 1 or not (number or is_complete) else "complete" if is_complete else "so_far"
    return (
        f"{share.told()} {say(f'spoken_{key}' + '_number' * (number and is_complete), total=text_of(total), **words)}"
    )


# ------------------------------------------------------------------ forward mode
def _seed(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    assert walk.moved is not None
    name = label(walk.moved.step)
    sheet.add("", say("term_whole", kind="tangent", name=name), walk.moved.direction, [walk.symbol(walk.moved.step)])
    return {"title": say("walk_seed", name=name), "spoken": say("spoken_seed", moves=walk.moved.moves)}


def _end(walk: Playback, k: int, sheet: Sheet, pick: Pick | None) -> dict[str, Any]:
    """The end of forward mode: the tangents of the outputs agree with the gradient of the moving input."""
    moved, found = walk.moved, duality(walk.recording)
    assert moved is not None and found is not None
    left, right, are_equal = number(found[0]), number(found[1]), found[2]
    name, loss, outputs = label(moved.step), loss_name(walk.recording), dict.fromkeys(walk.recording.outputs)
    kept = [("tangent", y, y.tangent, walk.symbol(y)) for y in map(walk.steps.__getitem__, outputs)]
    for kind, step, array, symbol in [*kept, ("gradient", moved.step, moved.step.grad, derivative(loss, name))]:
        if array is not None:
            sheet.add("", say("term_whole", kind=kind, name=label(step)), array, [symbol])
    is_plain = {line["text"] for line in sheet.lines} == {left, right} and moved.direction.minimum == 1
    words = {"outputs": listed([label(walk.steps[y]) for y in outputs]), "name": name, "left": left, "right": right}
    told = say("spoken_end_one" if is_plain else "spoken_end", per=moved.per, **words)
    return {
        "title": say("walk_end" if are_equal else "walk_end_apart"),
        "numbers": [] if is_plain else [say("end_tangents", sum=left), say("end_gradient", sum=right)],
        "spoken": f"{told} {say('spoken_end_same' if are_equal else 'spoken_end_apart')}",
    }


_TOLD = {"given": given, "forward": computed, "start": _start, "backward": _backward} | {
    "seed": _seed,
    "push": _backward,
    "end": _end,
}
