"""A fused function that catches a floating-point error goes the way of the plain one, whatever is set when it is called
and whatever was set when it was called before."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, grad
from autolab import functions as F

zero, nought, tiny = 0.0, np.float64(0.0), np.float64(1e-300)


def told(kind: str, flag: int) -> None:
    raise ArithmeticError(kind)


class Log:
    def write(self, text: str) -> None:
        raise ArithmeticError(text)


def step(x):
    try:
        return F.log(x)
    except (FloatingPointError, RuntimeWarning):
        return x * 0.0 - 100.0


def unused_step(x):
    factor = 1.0
    try:
        F.sqrt(x)
    except Exception:
        factor = 2.0
    return x * factor


def helpers(x):
    return step(x) * 2 + unused_step(x)


def number(x):
    try:
        c = max(float(np.log(zero)), -9.0)
    except Exception:
        c = 7.0
    return x * c


def scalar(x):
    try:
        c = min(1.0 / nought, 50.0) + tiny * tiny
    except Exception:
        c = 7.0
    return x * c


def overflow(x):
    try:
        y = F.exp(x * 600.0)
        return y * y
    except Exception:
        return F.tanh(x)


def not_caught(x):
    return F.log(x) + F.exp(x * 800.0)


SETTINGS: dict[str, Callable[[], Any]] = {
    "usual": lambda: None,
    "raise": lambda: np.seterr(all="raise"),
    "divide": lambda: np.seterr(divide="raise"),
    "over": lambda: np.seterr(over="raise"),
    "under": lambda: np.seterr(under="raise"),
    "call": lambda: (np.seterr(all="call"), np.seterrcall(told)),
    "log": lambda: (np.seterr(all="log"), np.seterrcall(Log())),
    "warnings": lambda: warnings.simplefilter("error"),
    "one warning": lambda: warnings.filterwarnings("error", message="divide"),
    "ignored": lambda: (np.seterr(all="ignore"), warnings.simplefilter("error")),
}


@contextmanager
def _set(name: str) -> Iterator[None]:
    with np.errstate(all="warn", under="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SETTINGS[name]()
        yield


def _outcome(function: Any, forward: str, backward: str, order: int) -> Any:
    """The bits of the value and of a gradient, or the error that leads out of the function or of the backward."""
    x = Variable(np.array([-1.5, 0.0, 0.5, 2.0]))
    try:
        with _set(forward):
            y = F.sum(function(x))
        with _set(backward):
            for _ in range(order):
                y = F.sum(g := grad(y, x, create_graph=order > 1))  # None if a constant has none
    except (ArithmeticError, RuntimeWarning, TypeError) as error:
        return type(error)
    return y.data.tobytes(), g.data.tobytes()


@pytest.mark.parametrize("function", [step, unused_step, helpers, number, scalar, overflow, not_caught])
def test_it_goes_the_way_of_the_plain_function(function: Any) -> None:
    for first, then in itertools.product(SETTINGS, SETTINGS):
        fused = autolab.fuse(function)
        for case in [(first, first, 1), (then, then, 1), (first, then, 1), (then, first, 2), (first, first, 1)]:
            assert _outcome(fused, *case) == _outcome(function, *case), case
