"""A program evaluated by NumPy, at many points at once: every slot has a row for each point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .operations import FOURIER, LINALG, REDUCTIONS, SCANS
from .program import Program, Step, View

Rows = list[Any]
"""For each slot an array of shape ``(points, elements)``, of one row where no input changes it; None if it is free."""

_ELEMENTS = 1 << 17
"""How many elements the largest slot may have for the points that are computed together: it stays in the cache."""


def replay(program: Program, inputs: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """The outputs of a program for many points.

    Parameters
    ----------
    program : Program
    inputs : sequence of arrays
        Of shape ``(points, *shape)`` for an input of that shape.

    Returns
    -------
    list of arrays and array of bool
        The outputs, of shape ``(points, *shape)``; and at which points the program is right, as each of its guards has
        the answer there that it had in the trace.

    Raises
    ------
    LinAlgError, IndexError
        If a step cannot be computed at one of the points.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.tracing import trace
    >>> program = trace(lambda x: [x.sum() if x[0] > 0 else x[1]], [np.ones(2)])
    >>> (found,), fits = replay(program, [np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 5.0]])])
    >>> found.tolist(), fits.tolist()
    ([3.0, 7.0, 4.0], [True, True, False])
    """
    count = len(inputs[0])
    together = max(1, _ELEMENTS // max([1, *[size for size, _ in program.slots]]))
    free = _last_uses(program)
    outputs = [np.empty((count, *view.shape), program.slots[view.slot][1]) for view in program.outputs]
    fits = np.ones(count, bool)
    for start in range(0, count, together):
        piece = slice(start, start + together)
        rows = _run(program, [np.asarray(x)[piece] for x in inputs], free)
        for whole, view in zip(outputs, program.outputs, strict=True):
            whole[piece] = _look(rows, view)
        for guard in program.guards:
            fits[piece] &= (_look(rows, guard.view) != 0).reshape(-1) == guard.answer
    return outputs, fits


def _last_uses(program: Program) -> dict[int, list[int]]:
    """The number of a step -> the slots that nobody needs after it."""
    kept = {v.slot for v in program.outputs} | {g.view.slot for g in program.guards} | set(program.constants)
    last = {view.slot: i for i, step in enumerate(program.steps) for view in step.operands if view.slot not in kept}
    free: dict[int, list[int]] = {}
    for slot, i in last.items():
        free.setdefault(i, []).append(slot)
    return free


def _run(program: Program, inputs: list[np.ndarray], free: dict[int, list[int]]) -> Rows:
    rows: Rows = [None] * len(program.slots)
    for slot, values in program.constants.items():
        rows[slot] = values.reshape(1, -1)
    for view, values in zip(program.inputs, inputs, strict=True):
        rows[view.slot] = np.ascontiguousarray(values, program.slots[view.slot][1]).reshape(len(values), -1)
    for i, step in enumerate(program.steps):
        found = _computed(step, rows)
        size, dtype = program.slots[step.out]
        rows[step.out] = np.ascontiguousarray(found, dtype).reshape(len(found), size)
        for slot in free.get(i, ()):
            rows[slot] = None
    return rows


def _look(rows: Rows, view: View) -> np.ndarray:
    """A view of all rows of a slot."""
    held: np.ndarray = rows[view.slot]
    shape, item = (len(held), *view.shape), held.itemsize
    if not held.size or 0 in view.shape:
        return np.empty(shape, held.dtype)
    return np.ndarray(shape, held.dtype, held, view.offset * item, (held.shape[1] * item, *[s * item for s in view.strides]))


def _computed(step: Step, rows: Rows) -> np.ndarray:
    own = _OWN.get(step.name)
    if own is not None:
        return own(step, rows)
    operands = [_look(rows, view) for view in step.operands]
    ufunc = getattr(np, step.name)
    return np.asarray(ufunc(*operands))


# ---------------------------------------------------------------------------------------------- what is no ufunc
def _copy(step: Step, rows: Rows) -> np.ndarray:
    return _look(rows, step.operands[0])


def _reduced(step: Step, rows: Rows) -> np.ndarray:
    array = _look(rows, step.operands[0])
    n = step.attributes["n"]
    if step.name == "argmax":
        return np.argmax(array, -1)
    return getattr(np, step.name)(array, axis=tuple(range(array.ndim - n, array.ndim)))  # type: ignore[no-any-return]


def _scanned(step: Step, rows: Rows) -> np.ndarray:
    found: np.ndarray = getattr(np, step.name)(_look(rows, step.operands[0]), axis=-1, **step.attributes)
    return found


def _places(step: Step, rows: Rows, first: int) -> np.ndarray:
    """The places that an index means: of shape ``(rows, elements)``."""
    found = np.asarray(step.attributes["base"], np.intp)[None]
    for view, (stride, size, which) in zip(step.operands[first:], step.attributes.get("parts", ()), strict=True):
        index = _look(rows, view)
        index = index.reshape(len(index), -1)[:, which]
        if np.any((index < -size) | (index >= size)):
            raise IndexError(f"a computed index is out of bounds for an axis of size {size}")
        found = found + stride * np.where(index < 0, index + size, index)
    return found


def _pick(step: Step, rows: Rows) -> np.ndarray:
    source, places = _look(rows, step.operands[0]), _places(step, rows, 1)
    if len(places) == 1:
        return source[:, places[0]]
    return np.take_along_axis(np.broadcast_to(source, (max(len(source), len(places)), source.shape[1])), places, 1)


def _drop(step: Step, rows: Rows) -> np.ndarray:
    target, source = (_look(rows, view) for view in step.operands[:2])
    source, places = source.reshape(len(source), -1), _places(step, rows, 2)
    count = max(len(target), len(source), len(places))
    found = np.array(np.broadcast_to(target, (count, target.shape[1])), order="C")
    index = np.arange(count)[:, None], places
    if step.attributes["mode"] == "set":
        found[index] = source
    else:
        np.add.at(found, index, source)
    return found


def _put(step: Step, rows: Rows) -> np.ndarray:
    target, source = (_look(rows, view) for view in step.operands)
    found = np.array(np.broadcast_to(target, (max(len(target), len(source)), target.shape[1])), order="C")
    region = View(0, step.attributes["offset"], step.shape, tuple(step.attributes["strides"]))
    _look([found], region)[...] = source
    return found


def _join(step: Step, rows: Rows) -> np.ndarray:
    parts = [_look(rows, view) for view in step.operands]
    count = max([len(part) for part in parts])
    return np.concatenate([np.broadcast_to(part, (count, *part.shape[1:])) for part in parts], 1)


def _solved(step: Step, rows: Rows) -> np.ndarray:
    """One of the results of a function of linear algebra."""
    operands = [_look(rows, view) for view in step.operands]
    if step.name == "solve":
        return _right_sides(*operands)
    found = getattr(np.linalg, step.name)(*operands, **step.attributes["options"])
    return np.asarray(found[step.attributes["part"]] if isinstance(found, tuple) else found)


def _right_sides(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solved for the right side of each point, which is a vector or stacks of matrices."""
    right = b[..., None] if b.ndim == 2 else b
    ndim = max(a.ndim, right.ndim)
    a, right = (x.reshape(len(x), *[1] * (ndim - x.ndim), *x.shape[1:]) for x in (a, right))
    found = np.linalg.solve(a, right)
    return found[..., 0] if b.ndim == 2 else found


def _transformed(step: Step, rows: Rows) -> np.ndarray:
    return np.asarray(getattr(np.fft, step.name)(_look(rows, step.operands[0]), axis=-1, **step.attributes))


_OWN: dict[str, Callable[[Step, Rows], np.ndarray]] = {
    "copy": _copy,
    "pick": _pick,
    "drop": _drop,
    "put": _put,
    "join": _join,
    **dict.fromkeys(REDUCTIONS, _reduced),
    **dict.fromkeys(SCANS, _scanned),
    **dict.fromkeys(LINALG, _solved),
    **dict.fromkeys(FOURIER, _transformed),
}
