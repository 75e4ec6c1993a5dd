"""What an exercise is: plain data. Its name, how an answer is judged, which wrong answers are known, and what it says.

A kind of mistake is a word such as ``sign``. ``says`` has a sentence for each: ``right`` is shown with a right answer,
``sign`` helps with that mistake, and ``hint`` with all that have no sentence of their own.
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
    """A number or one of ``choices``, to be committed to before a cell is run.

    ``truth`` computes the answer; ``mistakes`` what somebody answers who makes that mistake.
    """

    name: str
    truth: Callable[[], float | str]
    mistakes: Mapping[str, Callable[[], float | str]] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Values:
    """A function from arrays to an array.

    ``measure`` takes what was written and the inputs, and gives the array that is compared: by default the result.
    ``what`` is the key of its name in `messages`; empty where it is nothing that the student returns, so that nothing
    is said of it. Inputs are drawn ``points`` times.
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
    """A subclass of `FunctionNode`: its forward against ``reference``, its backward against differences.

    With ``order`` 2 the gradient of its gradient, too.
    """

    name: str
    inputs: Draw
    reference: Callable[..., Any]
    order: int = 1
    says: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Witness:
    """Inputs, ``count`` arrays, for which ``broken`` gives another gradient than ``reference``.

    Where ``corner`` is true of an input's element, the reference has a corner, and no gradient counts as wrong.
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
