"""Whether the outputs of a sequence depend on later inputs."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np

from ...recording.model import Recording, Step
from .evidence import Evidence, Found
from .reruns import difference, first_bad, input_named, two_runs, with_other
from .words import at_line


def future(e: Evidence) -> Found:
    """Change the second half of a sequence: the outputs for the first half must not change."""
    if not e.is_causal:
        return
    end = e.objectives[0].prediction if e.objectives else e.loss
    if end is None or end.value is None:
        return
    for name, array in e.data.items():
        given = input_named(e, name)
        if given is None or given.id not in e.behind([end]) or not array.ndim:
            continue
        axis = 0 if array.ndim == 1 else 1
        half = array.shape[axis] // 2
        pair = two_runs(e, name, array, with_other(array, axis, slice(half, None)))
        sizes = (array.shape[axis], array.shape[axis] - 1)
        if pair is None or _is_causal(*pair, sizes, half, end.id):
            continue
        at = first_bad(e, pair[0], end, partial(_is_causal, *pair, sizes, half))
        at = None if at is None else _mask_before(e, at)
        if at is not None:
            yield e.found(
                "causal_leak",
                f"{at_line(at)} lets the output at a position depend on later inputs: with other numbers in `{name}` "
                f"from position {half} on, outputs before it change.",
                "Mask the scores above the diagonal with -inf before the softmax; pad convolutions on the left only.",
                at=at,
            )
            return


def _is_causal(before: Recording, after: Recording, sizes: tuple[int, ...], half: int, step: int) -> bool:
    """Whether a value differs only at late positions, along one of its axes."""
    found = difference(before, after, step)
    if found is None or not found.any():
        return True
    firsts = []
    for axis, size in enumerate(found.shape):
        n = next((n for n in sizes if n > 1 and size % n == 0), 0)
        if n and (size == n or axis == 0):
            places = np.flatnonzero(np.moveaxis(found, axis, 0).reshape(size, -1).any(axis=1))
            firsts.append(int((places % n).min()))
    for a, b in permutations(range(found.ndim), 2):  # attention scores: early queries may depend on late keys
        early = np.moveaxis(found, (a, b), (0, 1))[:half]
        if found.shape[a] == found.shape[b] in sizes and not early[:, :half].any():
            return True
    return not firsts or max(firsts) >= half


def _mask_before(e: Evidence, step: Step) -> Step:
    """The step that should mask the scores of a softmax but does not, if there is one."""
    for given in e.operands(step)[:1] if step.function == "softmax" else []:
        if given.function in ("masked_fill", "where") or (given.function == "add" and len(e.operands(given)) == 2):
            return given
    return step
