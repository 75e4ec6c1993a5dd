"""A program evaluated by NumPy, at many points at once: each slot has one row per point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .program import FOURIER, LINALG, REDUCTIONS, SCANS, ArrayProgram, ProgramStep, View

Rows = list[Any]
"""For each slot, an array with one row per point, or a single row if it is constant; None while it is free."""

_ELEMENTS = 1 << 17
"""Largest number of elements in a slot, for all points computed together, so that it stays in the cache."""


def replay(program: ArrayProgram, inputs: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """Evaluate a program at many points.

    Parameters
    ----------
    program : ArrayProgram
    inputs : sequence of arrays
        Of shape ``(points, *shape)`` for an input of that shape; all but the first may have a single point for all.

    Returns
    -------
    list of arrays and array of bool
        The outputs, of shape ``(points, *shape)``; and at which points the program is correct, because all its guards
        have the same answers there as in the trace.

    Raises
    ------
    LinAlgError, IndexError
        If a step cannot be computed at one of the points.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms.tracing import trace
    >>> program = trace(lambda x: [x.sum() if x[0] > 0 else x[1]], [np.ones(2)])
    >>> (found,), fits = replay(program, [np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 5.0]])])
    >>> found.tolist(), fits.tolist()
    ([3.0, 7.0, 4.0], [True, True, False])
    """
    return Replay(program)(inputs)


class Replay:
    """A program prepared for repeated evaluation; calling it is `replay`."""

    def __init__(self, program: ArrayProgram) -> None:
        self.program = program
        self._shapes: dict[int, tuple[int, ...]] = {v.slot: v.shape for v in program.inputs}
        self._rows: Rows = [None] * len(program.slots)
        for slot, values in program.constants.items():
            self._rows[slot] = values.reshape(1, -1)
        free = _last_uses(program)
        self._steps = [self._prepared(step, free.get(i, [])) for i, step in enumerate(program.steps)]
        self._outputs = [self._look(view) for view in program.outputs]
        self._guards = [(self._look(guard.view), guard.answer) for guard in program.guards]
        self._together = max(1, _ELEMENTS // max([1, *[size for size, _ in program.slots]]))

    def __call__(self, inputs: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
        count, program = len(inputs[0]), self.program
        outputs = [np.empty((count, *view.shape), program.slots[view.slot][1]) for view in program.outputs]
        fits = np.ones(count, bool)
        for start in range(0, count, self._together):
            piece = slice(start, start + self._together)
            rows = self._run([np.asarray(x) if len(x) < count else np.asarray(x)[piece] for x in inputs])
            for whole, look in zip(outputs, self._outputs, strict=True):
                whole[piece] = look(rows)
            for look, answer in self._guards:
                fits[piece] &= (look(rows) != 0).reshape(-1) == answer
        return outputs, fits

    def _run(self, inputs: list[np.ndarray]) -> Rows:
        rows = list(self._rows)
        for view, values in zip(self.program.inputs, inputs, strict=True):
            held = np.ascontiguousarray(values, self.program.slots[view.slot][1])
            rows[view.slot] = held.reshape(len(values), *view.shape)
        for compute, looks, out, dtype, free in self._steps:
            found = compute(*[look(rows) for look in looks])
            if found.dtype != dtype or not found.flags.c_contiguous:
                found = np.ascontiguousarray(found, dtype)
            rows[out] = found
            for slot in free:
                rows[slot] = None
        return rows

    def _prepared(self, step: ProgramStep, free: list[int]) -> tuple[Any, list[Any], int, np.dtype, list[int]]:
        make = _OWN.get(step.name)
        looks = [self._look(view) for view in step.operands]
        if make is None:  # a ufunc, or `where`, over the shape of the step
            self._shapes[step.out] = step.shape
        elif step.name in REDUCTIONS:
            self._shapes[step.out] = step.shape[: len(step.shape) - step.attributes["n"]]
        return make(step) if make else getattr(np, step.name), looks, step.out, self.program.slots[step.out][1], free

    def _look(self, view: View) -> Callable[[Rows], np.ndarray]:
        """A function that returns a view of all rows of a slot."""
        slot = view.slot
        if self._rows[slot] is not None:
            constant = looked(self._rows[slot], view)
            return lambda rows: constant
        if self._shapes.get(slot) == view.shape and not view.offset and view.strides == _in_order(view.shape):
            return lambda rows: rows[slot]
        return lambda rows: looked(rows[slot], view)


def _in_order(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array in C order, as in a `View`."""
    return tuple([0 if n == 1 else math.prod(shape[i + 1 :]) for i, n in enumerate(shape)])


def looked(held: np.ndarray, view: View) -> np.ndarray:
    """A view of all rows of an array in C order."""
    count, item, shape = len(held), held.itemsize, view.shape
    if not held.size or 0 in shape:
        return np.empty((count, *shape), held.dtype)
    strides = (held.size // count * item, *[s * item for s in view.strides])
    return np.ndarray((count, *shape), held.dtype, held, view.offset * item, strides)


def _last_uses(program: ArrayProgram) -> dict[int, list[int]]:
    """Number of a step -> the slots that are not needed after it."""
    kept = {v.slot for v in program.outputs} | {g.view.slot for g in program.guards} | set(program.constants)
    last = {view.slot: i for i, step in enumerate(program.steps) for view in step.operands if view.slot not in kept}
    free: dict[int, list[int]] = {}
    for slot, i in last.items():
        free.setdefault(i, []).append(slot)
    return free


# ------------------------------------------------------------------------------- operations that are not ufuncs
Compute = Callable[..., np.ndarray]


def _copy(step: ProgramStep) -> Compute:
    return lambda array: array


def _reduced(step: ProgramStep) -> Compute:
    if step.name == "argmax":
        return lambda array: np.argmax(array, -1)
    function, axes = getattr(np, step.name), tuple(range(-step.attributes["n"], 0))
    return lambda array: function(array, axis=axes)


def _along(step: ProgramStep) -> Compute:
    return partial(getattr(np.fft if step.name in FOURIER else np, step.name), axis=-1, **step.attributes)


def _places(step: ProgramStep, indices: Sequence[np.ndarray]) -> np.ndarray:
    """The positions that an index selects, of shape ``(rows, elements)``."""
    found = np.asarray(step.attributes["base"], np.intp)[None]
    for index, (stride, size, which) in zip(indices, step.attributes.get("parts", ()), strict=True):
        index = index.reshape(len(index), -1)[:, which]
        if np.any((index < -size) | (index >= size)):
            raise IndexError(f"a computed index is out of bounds for an axis of size {size}")
        found = found + stride * np.where(index < 0, index + size, index)
    return found


def _pick(step: ProgramStep) -> Compute:
    def pick(source: np.ndarray, *indices: np.ndarray) -> np.ndarray:
        places = _places(step, indices)
        if len(places) == 1:
            return source[:, places[0]]
        count = max(len(source), len(places))
        return np.take_along_axis(np.broadcast_to(source, (count, source.shape[1])), places, 1)

    return pick


def _drop(step: ProgramStep) -> Compute:
    def drop(target: np.ndarray, source: np.ndarray, *indices: np.ndarray) -> np.ndarray:
        source, places = source.reshape(len(source), -1), _places(step, indices)
        count = max(len(target), len(source), len(places))
        found = np.array(np.broadcast_to(target, (count, target.shape[1])), order="C")
        index = np.arange(count)[:, None], places
        if step.attributes["mode"] == "set":
            found[index] = source
        else:
            np.add.at(found, index, source)
        return found

    return drop


def _put(step: ProgramStep) -> Compute:
    region = View(0, step.attributes["offset"], step.shape, tuple(step.attributes["strides"]))

    def put(target: np.ndarray, source: np.ndarray) -> np.ndarray:
        count = max(len(target), len(source))
        found = np.array(np.broadcast_to(target, (count, target.shape[1])), order="C")
        looked(found, region)[...] = source
        return found

    return put


def _join(step: ProgramStep) -> Compute:
    def join(*parts: np.ndarray) -> np.ndarray:
        count = max([len(part) for part in parts])
        return np.concatenate([np.broadcast_to(part, (count, *part.shape[1:])) for part in parts], 1)

    return join


def _solved(step: ProgramStep) -> Compute:
    """One of the results of a linear algebra function."""
    if step.name == "solve":
        return _right_sides
    function, options, part = getattr(np.linalg, step.name), step.attributes["options"], step.attributes["part"]

    def solve(*operands: np.ndarray) -> np.ndarray:
        found = function(*operands, **options)
        return np.asarray(found[part] if isinstance(found, tuple) else found)

    return solve


def _right_sides(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve for the right-hand side of each point, which is a vector or a stack of matrices."""
    right = b[..., None] if b.ndim == 2 else b
    ndim = max(a.ndim, right.ndim)
    a, right = (x.reshape(len(x), *[1] * (ndim - x.ndim), *x.shape[1:]) for x in (a, right))
    found = np.linalg.solve(a, right)
    return found[..., 0] if b.ndim == 2 else found


_OWN: dict[str, Callable[[ProgramStep], Compute]] = {
    "copy": _copy,
    "pick": _pick,
    "drop": _drop,
    "put": _put,
    "join": _join,
    **dict.fromkeys(REDUCTIONS, _reduced),
    **dict.fromkeys(SCANS | (FOURIER - {"real", "imag"}), _along),
    **dict.fromkeys(LINALG, _solved),
}
