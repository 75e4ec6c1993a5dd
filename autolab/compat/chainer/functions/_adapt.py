"""Adapters for the engine's functions: results are Variables, and invalid arguments raise an InvalidType."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ....engine import is_array, watchers
from ....engine.configuration import named_scope
from ....engine.variable import Variable as _Engines
from ..configuration import config, refuse_nan
from ..utils.type_check import InvalidType
from ..variable import Variable, as_variable, tagged


def adapted(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """A function of the engine, unchanged, under Chainer's ``name``."""
    call = _answering(function, function)
    call.__name__ = call.__qualname__ = name or function.__name__
    call.__module__ = sys._getframe(1).f_globals["__name__"]  # where pickle finds it: a model may be pickled
    return call


def composed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that consists of several steps of the engine; recordings group them under its name."""

    def steps(*args: Any, **keywords: Any) -> Any:
        given = [_constant(x) for x in args]  # NumPy would turn intermediate arrays without axes into numbers
        if not watchers:
            return function(*given, **keywords)
        with named_scope(function.__name__):
            return function(*given, **keywords)

    return _answering(steps, function)


def _answering(compute: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, computed by ``compute``, with Chainer's results and errors."""

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            y = compute(*args, **keywords)
        except InvalidType:
            raise
        except (TypeError, ValueError, IndexError) as error:
            said = str(error)
            raise InvalidType("", msg=said if call.__name__ in said else f"{call.__name__}: {said}") from error
        if type(y) is _Engines:
            y.__class__ = Variable
            return y
        if config.debug:  # with arrays only, the engine notifies nobody
            refuse_nan(y if isinstance(y, tuple | list) else (y,), "forward", call.__name__)
        return _result(y)

    return call


def _constant(x: Any) -> Any:
    return as_variable(x) if is_array(x) and x.dtype.kind == "f" else x


def _result(y: Any) -> Any:
    """A result as Chainer returns it: always a Variable, also for arrays."""
    if isinstance(y, tuple | list):
        return tuple([_result(item) for item in y])
    if is_array(y) or isinstance(y, np.generic):
        return Variable(np.asarray(y) if isinstance(y, np.generic) else y, requires_grad=False)
    return tagged(y)


def reduced(loss: Any, reduce: str, **ways: Callable[[Any], Any]) -> Any:
    """A loss per example, or reduced by one of the ``ways``."""
    if reduce not in (*ways, "no"):
        raise ValueError(f"reduce is {reduce!r:.60}; expected {', '.join(map(repr, ways))} or 'no'")
    return loss if reduce == "no" else ways[reduce](loss)
