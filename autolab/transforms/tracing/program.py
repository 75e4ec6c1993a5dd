"""A program: a straight line of steps, as data, that can be evaluated for other inputs.

The table of operations: the names that a step may have, and those that the evaluator in a page supports.

A program as JSON, for an evaluator other than NumPy; and what such an evaluator does not compute like NumPy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...shared.files import as_json

_ONE = """
copy negative absolute sign square reciprocal exp exp2 expm1 log log1p log2 log10 sqrt cbrt sin cos tan sinh cosh tanh
arcsin arccos arctan arcsinh arccosh arctanh floor ceil trunc rint isfinite isnan isinf signbit logical_not degrees
radians deg2rad rad2deg
"""
_TWO = """
add subtract multiply divide power float_power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2 copysign
remainder fmod floor_divide heaviside less less_equal greater greater_equal equal not_equal logical_and logical_or
logical_xor
"""
UFUNCS = frozenset([*_ONE.split(), *_TWO.split()])
"""Elementwise, on operands broadcast to the shape of the step."""

REDUCTIONS = frozenset(["sum", "prod", "max", "min", "argmax"])
"""Over the last ``n`` axes of the step's shape."""

SCANS = frozenset(["cumsum", "cumprod", "sort", "argsort"])
"""Along the last axis."""

ELEMENTS = frozenset(["where", "pick", "drop", "put", "join"])
EXACT = ELEMENTS | {"copy", "negative", "absolute", "sign", "max", "min", "sort", "maximum", "minimum"}
"""Exact operations, which cannot overflow."""

LINALG = frozenset(["inv", "solve", "det", "slogdet", "cholesky", "eigh", "svd", "pinv", "qr"])
FOURIER = frozenset(["fft", "ifft", "rfft", "irfft", "real", "imag"])
"""Along the last axis; only these have complex numbers."""

ALL = UFUNCS | REDUCTIONS | SCANS | ELEMENTS | LINALG | FOURIER | {"matmul"}

PORTABLE = ALL - FOURIER - {"eigh", "svd", "pinv", "qr"}
"""The operations that the evaluator in a page supports."""


@dataclass(frozen=True)
class View:
    """Elements of a slot: element ``i`` of the view is at ``offset + sum(strides * i)``."""

    slot: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def places(self) -> np.ndarray:
        """The position of each element in the slot."""
        grid = np.full(self.shape, self.offset, np.intp)
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            grid += (np.arange(n) * stride).reshape([-1 if i == axis else 1 for i in range(len(self.shape))])
        return grid


@dataclass(frozen=True)
class ProgramStep:
    """One operation: ``name`` is in the table of `operations`; the result fills the slot ``out``.

    The operation runs over ``shape``; ``attributes`` are numbers and lists of numbers.
    """

    name: str
    out: int
    operands: tuple[View, ...]
    shape: tuple[int, ...]
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Guard:
    """A condition for the program to be correct: the single element of ``view`` is true, or is false."""

    view: View
    answer: bool


@dataclass(frozen=True, eq=False)
class ArrayProgram:
    """Steps on slots, which are flat arrays, each written once.

    Attributes
    ----------
    slots : tuple of pairs
        The number of elements and the dtype of each slot.
    constants : dict
        Slot -> its elements, which do not depend on inputs.
    inputs, outputs : tuple of View
    steps : tuple of ProgramStep
    guards : tuple of Guard
        Branches that were taken because of a value.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms.tracing import trace
    >>> program = trace(lambda x: [np.exp(x) * 2], [np.ones(3)])
    >>> [step.name for step in program.steps]
    ['exp', 'multiply']
    """

    slots: tuple[tuple[int, np.dtype], ...]
    constants: dict[int, np.ndarray]
    inputs: tuple[View, ...]
    steps: tuple[ProgramStep, ...]
    outputs: tuple[View, ...]
    guards: tuple[Guard, ...]

    def pruned(self) -> ArrayProgram:
        """The same program without unneeded steps and constants; slots keep their numbers."""
        needed = {view.slot for view in self.outputs} | {guard.view.slot for guard in self.guards}
        kept = []
        for step in reversed(self.steps):
            if step.out in needed:
                kept.append(step)
                needed.update([view.slot for view in step.operands])
        constants = {slot: values for slot, values in self.constants.items() if slot in needed}
        return replace(self, steps=tuple(reversed(kept)), constants=constants)


_DTYPES = ("float64", "float32", "bool", "int64", "int32", "intp", "uint8", "int8", "int16", "uint16", "uint32")
_MOVES = frozenset(["copy", "pick", "put", "join", "where", "max", "min", "sort", "argmax", "argsort"])
_MOVES |= {"maximum", "minimum"}
"""Operations that map integers to integers without arithmetic."""
_TRUTHS = frozenset(
    ["logical_and", "logical_or", "logical_xor", "logical_not", "isfinite", "isnan", "isinf", "signbit"]
)
_COMPARISONS = frozenset(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
_EXACT = 2**53


def why_not(program: ArrayProgram) -> str | None:
    """What prevents a program from being evaluated elsewhere; None if nothing does.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms.tracing import trace
    >>> why_not(trace(lambda x: [np.sin(x)], [np.ones(2)])) is None
    True
    >>> why_not(trace(lambda x: [np.linalg.svd(x, compute_uv=False)], [np.eye(2)]))
    'svd'
    """
    for slot, values in program.constants.items():
        dtype = program.slots[slot][1]
        if dtype.kind in "iu" and values.size and int(np.max(np.abs(values.astype(object)))) > _EXACT:
            return "integers above 2**53"
    for view in program.inputs:
        if (dtype := program.slots[view.slot][1]).name not in _DTYPES:
            return f"the dtype {dtype}"
    for step in program.steps:
        if step.name not in PORTABLE:
            return step.name
        if step.name in LINALG and step.attributes["options"]:
            return f"{step.name} with {next(iter(step.attributes['options']))}="
        dtype = program.slots[step.out][1]
        if dtype.name not in _DTYPES:
            return f"the dtype {dtype}"
        if dtype.kind in "iub" and step.name not in _MOVES | _TRUTHS | _COMPARISONS:
            return f"arithmetic with {dtype}"
    return None


def to_json(program: ArrayProgram) -> dict[str, Any]:
    """A program as lists, numbers and strings; NaN and infinities are strings, because JSON lacks them.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms.tracing import trace
    >>> found = to_json(trace(lambda x: [x * 2.5], [np.ones(3)]))
    >>> found["constants"], [step[0] for step in found["steps"]]
    ([[1, [2.5]]], ['multiply'])
    """
    number = {slot: i for i, slot in enumerate(_used(program))}

    def view(given: View) -> list[Any]:
        return [number[given.slot], given.offset, list(given.strides), list(given.shape)]

    return {
        "slots": [[program.slots[slot][0], program.slots[slot][1].name] for slot in number],
        "inputs": [[number[v.slot], math.prod(v.shape)] for v in program.inputs],
        "constants": [[number[slot], _constant(values)] for slot, values in program.constants.items()],
        "steps": [
            [step.name, number[step.out], [view(v) for v in step.operands], list(step.shape), _attributes(step)]
            for step in program.steps
        ],
        "guards": [[view(guard.view), guard.answer] for guard in program.guards],
        "outputs": [view(v) for v in program.outputs],
    }


def _used(program: ArrayProgram) -> list[int]:
    written = [*[v.slot for v in program.inputs], *program.constants, *[step.out for step in program.steps]]
    return sorted(set(written))


def _attributes(step: ProgramStep) -> dict[str, Any]:
    """The attributes that determine what is computed."""
    if step.name in LINALG:
        return {"part": step.attributes["part"]}
    if step.name in SCANS:
        return {}
    return {"n": step.attributes["n"]} if step.name in REDUCTIONS else step.attributes


def _constant(values: np.ndarray) -> Any:
    """The elements; constant and evenly spaced ones are abbreviated."""
    plain = as_json(values.astype(float))
    if len(plain) > 2 and all([repr(value) == repr(plain[0]) for value in plain]):
        return {"all": plain[0]}
    if len(plain) > 2 and values.dtype.kind in "iu" and len(set(np.diff(values).tolist())) == 1:
        return {"from": plain[0], "by": int(values[1]) - int(values[0])}
    return plain
