"""One program in two worlds that are alike: in one it runs as it is written, in the other it is compiled."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms.compiling import CompileWarning

from .bits import bits

CALLS = 9
"""The world changes before each call from the fourth on."""


class Told(NamedTuple):
    """What calls gave, one after the other; why a kind of call was refused; the lines that warnings name; the world."""

    results: list[Any]
    refusals: list[str]
    lines: list[tuple[str, int]]
    world: dict[str, Any]


@contextmanager
def _as_it_was() -> Iterator[None]:
    random.seed(3)
    np.random.seed(3)
    before, errors, told_to = sys.getprofile(), np.geterr(), np.geterrcall()
    try:
        with warnings.catch_warnings(), autolab.using_config("train", True):
            yield
    finally:
        np.seterr(**errors)
        np.seterrcall(told_to)
        assert sys.getprofile() is before


def told(setup: str, function: str, change: str, folder: Path, wrap: Callable[[Any], Any], calls: int = CALLS) -> Told:
    """Calls of ``f`` in a world of its own, each with its gradient.

    Parameters
    ----------
    setup, function, change : str
        What makes the world, what defines ``f``, and what changes the world between calls.
    folder : Path
        An empty folder for its files.
    wrap : callable
        `autolab.compile`, or what leaves ``f`` as it is.
    """
    module = ModuleType("a_world")
    world: dict[str, Any] = module.__dict__
    world.update({"np": np, "autolab": autolab, "F": F, "Variable": Variable, "folder": folder})
    sys.modules[module.__name__] = module
    folder.mkdir(exist_ok=True)
    results: list[Any] = []
    with _as_it_was(), warnings.catch_warnings(record=True) as heard:
        np.seterr(all="ignore")
        warnings.simplefilter("always")
        exec(compile(setup, "setup", "exec"), world)
        exec(compile(function, "function", "exec"), world)
        f = wrap(world["f"])
        for world["i"] in range(calls):
            if world["i"] >= 3:
                exec(compile(change, "change", "exec"), world)
            x = Variable(np.array([0.5, 2.0]) + world["i"])
            try:
                y = f(x)
                slope = autolab.grad(F.sum(y), x) if isinstance(y, Variable) and y.requires_grad else None
                results.append((bits(y), bits(slope), bits(x)))
            except Exception as error:
                results.append(f"{type(error).__name__}: {error}")
    with suppress(KeyError):
        del sys.modules[module.__name__]
    lines = [(one.filename, one.lineno) for one in heard if one.category is CompileWarning]
    return Told(results, getattr(f, "refusals", []), lines, world)
