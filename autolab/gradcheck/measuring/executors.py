"""Many independent evaluations, one after the other or distributed by an executor."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Executor
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ...engine import a_kind, config, using_config
from ...engine.undisturbed import FloatSetting, float_setting

Item = TypeVar("Item")
Result = TypeVar("Result")

_CHUNKS = 16
"""How many parts the work is split into: enough to keep the workers of a machine busy till the end, few enough that
sending the arrays along is cheap."""


def spread(executor: Executor | None, task: Callable[[Sequence[Item]], Result], items: Sequence[Item]) -> list[Result]:
    """``task`` of consecutive parts of ``items``, in their order; without an executor, of all of them at once.

    The task runs in the caller's mode of training or testing, with what the caller does about floating-point errors and
    warnings. If a part fails, those that have not begun are dropped. What a worker raises arrives here; Dask gives the
    part of a worker that died to another, and in the end names the last of those that died of it.
    """
    if executor is None or len(items) < 2:
        return [task(items)]
    size = -(-len(items) // _CHUNKS)
    run = partial(_in_mode, config.train, float_setting(), (os.getpid(), *warnings.filters), task)
    futures = [executor.submit(run, items[first : first + size]) for first in range(0, len(items), size)]
    try:
        return [future.result() for future in futures]
    except CancelledError:
        done = sum([future.done() and not future.cancelled() for future in futures])
        raise CancelledError(
            f"{done} of {len(futures)} parts were done when the others were cancelled: was the executor or its cluster "
            "closed? Open one and call again"
        ) from None
    finally:
        for future in futures:
            future.cancel()


def check_executor(caller: str, executor: Any) -> None:
    """Raise unless the argument is an executor."""
    if executor is not None and not isinstance(executor, Executor):
        raise TypeError(
            f"{caller}: executor is {a_kind(executor)}; expected a concurrent.futures.Executor, "
            "for Dask client.get_executor()"
        )


def _in_mode(
    train: bool,
    floats: FloatSetting,
    filters: tuple[Any, ...],
    task: Callable[[Sequence[Item]], Result],
    items: Sequence[Item],
) -> Result:
    with using_config("train", train), np.errstate(**floats), contextlib.ExitStack() as stack:
        if filters[0] != os.getpid():  # threads have the same filters
            stack.enter_context(warnings.catch_warnings())
            warnings.filters[:] = filters[1:]  # type: ignore[index]
        return task(items)
