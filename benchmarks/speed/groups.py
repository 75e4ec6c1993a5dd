"""The groups of workloads that share a process; a library's entry is a list of `Work`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from speed import problems, sequences, training
from speed.checks import Check
from speed.library import Library
from speed.problems import Derivative, Step


class Work(Protocol):
    """Phases that are done one after the other and timed; `results` runs them once, for comparison.

    `parts` names the phases that get a row beside the whole; `counts` are rows of their own that take no timing.
    """

    title: str
    rtol: float
    parts: tuple[str, ...]

    @property
    def phases(self) -> Mapping[str, Callable[[], Any]]: ...

    def results(self) -> list[np.ndarray]: ...

    def counts(self) -> dict[str, int]: ...


Group = Callable[[Library, bool], Sequence[Work]]


def chains(library: Library, tiny: bool) -> list[Work]:
    size, uses = (8, 2) if tiny else (1000, 50)
    found = [problems.chain(size, operands) for operands in ("arrays", "numbers")]
    return _steps(library, *found, problems.user_functions(uses))


def muladd(library: Library, tiny: bool) -> list[Work]:
    side = 3 if tiny else 1000
    return _steps(library, problems.muladd(side, fused=False), problems.muladd(side, fused=True))


def linear(library: Library, tiny: bool) -> list[Work]:
    return _steps(library, problems.linear(2, 4, 3) if tiny else problems.linear(128, 784, 1000))


def nets(library: Library, tiny: bool) -> list[Work]:
    if tiny:
        return _steps(library, problems.tiny_net(5), problems.mlp(4, (6, 5, 4, 3)))
    return _steps(library, problems.tiny_net(100), problems.mlp(100, (784, 100, 100, 10)))


def orders(library: Library, tiny: bool) -> list[Work]:
    if type(library).derivative is Library.derivative:
        return []
    return [Derivative(library, order, 4 if tiny else 1000) for order in (1, 2, 3, 4)]


def checks(library: Library, tiny: bool) -> list[Work]:
    if type(library).gradcheck is Library.gradcheck:
        return []
    sizes = (2, 3, 4) if tiny else (20, 20, 30)
    return [Check(library, written, *sizes) for written in ("linear", "own_linear")]


GROUPS: dict[str, Group] = {
    "chains": chains,
    "nets": nets,
    "linear": linear,
    "muladd": muladd,
    "orders": orders,
    "checks": checks,
    "training": training.works,
    "sequences": sequences.works,
}


def _steps(library: Library, *found: problems.Problem) -> list[Work]:
    return [Step(library, problem) for problem in found if problem.hand is not None or not library.by_hand]
