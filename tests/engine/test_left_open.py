"""A generator that waits at a yield inside no_grad: who loops over its values is warned, and nobody else is."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.state import leaked_state

import autolab
from autolab import Variable, config, grad, no_grad, using_config
from autolab import functions as F

w = Variable(np.array(2.0))


def batches(count: int = 3) -> Iterator[Any]:
    with no_grad():
        for i in range(count):
            F.tanh(w * i)  # a step of its own
            yield float(i)


def by_stack() -> Iterator[Any]:
    with ExitStack() as stack:
        stack.enter_context(no_grad())
        yield 1.0


@contextmanager
def frozen() -> Iterator[None]:
    with no_grad():
        yield


@contextmanager
def frozen_too() -> Iterator[None]:
    yield from _frozen_inside()


def _frozen_inside() -> Iterator[None]:
    with no_grad():
        yield


def by_manager() -> Iterator[Any]:
    with frozen():
        yield 1.0


def delegating() -> Iterator[Any]:
    yield from batches()


def passing_on() -> Iterator[Any]:
    for x in batches():
        yield w * x


def with_more() -> Iterator[Any]:
    with no_grad(), autolab.test_mode():
        yield 1.0


def loop(values: Any) -> None:
    for x in values:
        w * x


def general(values: Any) -> None:
    for _ in values:
        F.softmax(w)


def summed(values: Any) -> None:
    sum(w * x for x in values)


def taken_once(values: Any) -> None:
    x = next(values)
    w * x


def helped(values: Any) -> None:
    for x in values:
        loop([x])


class Doubled(autolab.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 2,)

    def backward(self, indexes, gs):
        return (gs[0] * 2,)


def own_function(values: Any) -> None:
    for _ in values:
        Doubled().apply((w,))


def watched(values: Any) -> None:
    with autolab.check_inplace():
        loop(values)


def _warnings(function: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        function()
    if leaked_state():  # a generator in a cycle is not closed yet
        gc.collect()
    assert leaked_state() == []
    return told


@each("use", [loop, general, summed, taken_once, helped, own_function, watched])
@each("source", [batches, by_stack, by_manager, delegating, with_more])
def test_who_asks_for_values_is_warned_once(use: Any, source: Any) -> None:
    (told,) = _warnings(lambda: use(source()))
    assert told.category is UserWarning and told.filename == __file__
    text = str(told.message)
    assert source is delegating or f"the generator {source.__name__} waits" in text
    assert text.startswith("this step is not recorded") and "test_left_open.py, line" in text and len(text) <= 300


def test_each_block_warns_of_its_own() -> None:
    assert len(_warnings(lambda: [loop(batches()) for _ in range(3)])) == 3
    assert len(_warnings(lambda: loop(batches()) or loop(zip(batches(), batches(), strict=True)))) == 2


def test_a_generator_that_takes_steps_between_is_warned_as_well() -> None:
    (told,) = _warnings(lambda: list(passing_on()))
    assert "the generator batches waits" in str(told.message)
    assert told.lineno == passing_on.__code__.co_firstlineno + 2


def test_the_line_is_that_of_the_step() -> None:
    (told,) = _warnings(lambda: helped(batches()))
    assert told.lineno == loop.__code__.co_firstlineno + 2


def test_the_cell_after_one_that_keeps_a_generator_is_warned() -> None:
    names: dict[str, Any] = {"batches": batches, "w": w}

    def cells() -> None:
        for text in ("values = batches()\nx = next(values)", "y = w * x", "z = w * x", "values.close()"):
            exec(compile(text, __file__, "exec"), names)

    (told,) = _warnings(cells)
    assert not names["z"].requires_grad and "the generator batches waits" in str(told.message)


def _as_manager(manager: Callable[[], Any]) -> None:
    with manager():
        assert not (w * 2).requires_grad and not F.softmax(w).requires_grad
        assert not config.enable_backprop


class ByHand:
    """A context manager by hand, as pytest's fixtures are run."""

    def __enter__(self) -> None:
        self._values = batches(1)
        next(self._values)

    def __exit__(self, *error: object) -> None:
        assert next(self._values, None) is None


def _own_block(values: Any) -> None:
    for x in values:
        with no_grad():
            w * x


def _around(values: Any) -> None:
    with no_grad():
        loop(values)


def _switched_on(values: Any) -> None:
    for x in values:
        with using_config("enable_backprop", True):
            assert (w * x).requires_grad


def _constants(values: Any) -> None:
    for x in values:
        data = Variable(np.array([x, x]), requires_grad=False)
        F.softmax(F.tanh(data) * x)
        assert not config.enable_backprop


def _values_only(values: Any) -> None:
    found = list(values)
    assert (w * found[0]).requires_grad


def _gradients(values: Any) -> None:
    y = w * w
    for _ in values:
        grad(y, w)


@pytest.mark.parametrize("manager", [frozen, frozen_too, ByHand, no_grad])
def test_a_context_manager_is_not_warned(manager: Any) -> None:
    assert _warnings(lambda: _as_manager(manager)) == []


@each("use", [_own_block, _around, _switched_on, _constants, _values_only, _gradients])
@each("source", [batches, by_stack, by_manager, delegating, with_more])
def test_who_means_it_or_takes_no_such_step_is_not_warned(use: Any, source: Any) -> None:
    assert _warnings(lambda: use(source())) == []


def test_a_decorated_function_in_a_generator_is_not_warned() -> None:
    predict = no_grad(lambda x: F.softmax(w * x))

    def predictions() -> Iterator[Any]:
        yield predict(1.0)
        yield predict(2.0)

    assert _warnings(lambda: loop(predictions())) == []


def test_tasks() -> None:
    async def numbers() -> AsyncIterator[float]:
        with no_grad():
            yield 1.0
            await asyncio.sleep(0)
            yield 2.0

    @asynccontextmanager
    async def held() -> AsyncIterator[None]:
        with no_grad():
            yield

    async def asked() -> None:
        async for x in numbers():
            w * x

    async def managed() -> None:
        async with held():
            await asyncio.sleep(0)
            assert not (w * 2).requires_grad

    def run(task: Coroutine[Any, Any, None]) -> None:
        """Also where this thread has a running loop already, that of a browser."""
        with ThreadPoolExecutor(1) as executor:
            executor.submit(asyncio.run, task).result()

    (told,) = _warnings(lambda: run(asked()))
    assert "the generator numbers waits" in str(told.message)
    assert _warnings(lambda: run(managed())) == []


def test_a_generator_that_nobody_holds_is_closed_at_once() -> None:
    """What is remembered keeps neither the generator nor a frame."""

    def first_of(values: Any) -> None:
        kept = values
        for _ in kept:
            break

    gc.disable()
    try:
        for source in (batches, by_stack, by_manager, delegating, with_more):
            first_of(source())
            assert (w * 2).requires_grad, source
    finally:
        gc.enable()


def test_as_an_error_it_stops_the_step() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="waits at a yield inside its no_grad"):
            loop(batches())
    assert (w * 2).requires_grad
