"""Exercises, as plain data: the name, how an answer is judged, the known mistakes, and the sentences that are shown.

A kind of mistake is a word such as ``sign``. ``says`` has the sentences: ``right`` is shown with a right answer,
``sign`` helps with that mistake, and ``hint`` with all mistakes that have no sentence of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Draw = Callable[[np.random.Generator], Arrays]


@dataclass(frozen=True)
class Prediction:
    """A prediction, a number or one of ``choices``, to be made before a cell is run.

    ``truth`` computes the right answer; ``mistakes`` computes for each kind of mistake the answer that it leads to.
    """

    name: str
    truth: Callable[[], float | str]
    mistakes: Mapping[str, Callable[[], float | str]] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Values:
    """A function from arrays to an array, compared with ``reference``.

    ``measure`` takes the student's function and the inputs, and returns the array to compare: by default the result.
    ``what`` is the key of its name in `messages`; empty if the student does not return it, so that no message mentions
    it. Inputs are drawn ``points`` times.
    """

    name: str
    inputs: Draw
    reference: Callable[..., Any]
    mistakes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    measure: Callable[[Callable[..., Any], Arrays], Any] = lambda answer, inputs: answer(**inputs)
    tolerance: float = 1e-6
    what: str = "result"
    points: int = 2
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnGradient:
    """A subclass of `FunctionNode`: its forward is compared with ``reference``, its backward with numeric gradients.

    With ``order`` 2, the gradient of its gradient is checked as well.
    """

    name: str
    inputs: Draw
    reference: Callable[..., Any]
    order: int = 1
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Witness:
    """A counterexample: ``count`` arrays as inputs, for which the gradients of ``broken`` and ``reference`` differ.

    Where ``corner`` is True for an element of an input, the reference has a kink, and no gradient counts as wrong.
    """

    name: str
    broken: Callable[..., Any]
    reference: Callable[..., Any]
    count: int = 1
    corner: Callable[[np.ndarray], np.ndarray] = lambda x: np.zeros(x.shape, bool)
    says: Mapping[str, str] = field(default_factory=dict)


Exercise = Prediction | Values | OwnGradient | Witness


def normal(**shapes: tuple[int, ...]) -> Draw:
    """Random inputs of these shapes.

    Examples
    --------
    >>> normal(x=(5, 4))(np.random.default_rng(0))["x"].shape
    (5, 4)
    """
    return lambda rng: {name: rng.normal(size=shape) for name, shape in shapes.items()}
