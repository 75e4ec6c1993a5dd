"""Leaving out what has nothing to do with the result: values without a gradient that nothing else needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..recording.drafts import Draft
from ..recording.model import BackwardStep


@dataclass(frozen=True)
class Pruned:
    """The drafts that are left, with new numbers; ``ids`` has the new one of each old one."""

    drafts: list[Draft]
    backward: tuple[BackwardStep, ...]
    ids: dict[int, int]


def pruned(drafts: Sequence[Draft], backward: Sequence[BackwardStep], outputs: Sequence[int]) -> Pruned:
    """Without shapes, masks and assertions of the user's that are computed and only looked at."""
    waiting = [d.id for d in drafts if d.kind == "input" or d.requires_grad] + list(outputs)
    kept: set[int] = set()
    parts: dict[int, list[int]] = {}
    for draft in drafts:
        if draft.kind == "part" and draft.uses[0].step is not None:
            parts.setdefault(draft.uses[0].step, []).append(draft.id)
    while waiting:
        step = waiting.pop()
        if step not in kept:
            kept.add(step)
            waiting += [use.step for use in drafts[step].uses if use.step is not None]
            waiting += parts.get(step, [])
    left = [draft for draft in drafts if draft.id in kept]
    ids = {draft.id: i for i, draft in enumerate(left)}
    for draft in left:
        draft.id = ids[draft.id]
        for use in draft.uses:
            use.step = None if use.step is None else ids[use.step]
    return Pruned(left, tuple([replace(step, of=ids[step.of]) for step in backward]), ids)
