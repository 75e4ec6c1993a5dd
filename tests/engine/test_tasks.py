"""R13 for asyncio: every task has modes of its own, whatever other tasks of its thread do meanwhile."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.state import leaked_state

import autolab
from autolab import Variable, config, no_grad, using_config
from autolab.engine.modes import modes, overrides, watchers
from autolab.engine.observe import observe
from autolab.links.reporter import Reporter, report

RNG = np.random.default_rng(3)


def records() -> bool:
    """Whether a step joins the graph, by the fast path and by the general way."""
    x = Variable(2.0)
    short, general = (x * 2).requires_grad, (x**2).requires_grad
    assert short is general
    return short


def heard() -> int:
    """How many observers hear a step."""
    before = len(EVENTS)
    Variable(2.0) * 3
    return len(EVENTS) - before


def marks() -> list[str]:
    return [mark.label for mark in modes().marks]


def reported() -> bool:
    VALUES.clear()
    report({"loss": 1.0})
    return bool(VALUES)


@contextmanager
def assigned() -> Iterator[None]:
    config.train = False
    yield
    del config.train


@contextmanager
def scoped() -> Iterator[None]:
    with observe(lambda event: None), autolab.named_scope("mine"):
        yield


EVENTS: list[Any] = []
VALUES: dict[str, Any] = {}
MODES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "no_grad": (no_grad, records),
    "test_mode": (autolab.test_mode, lambda: config.train),
    "rng": (lambda: using_config("rng", RNG), lambda: config.rng is RNG),
    "observe": (lambda: observe(EVENTS.append), heard),
    "scope": (scoped, marks),
    "assigned": (assigned, lambda: config.train),
    "report": (lambda: Reporter().scope(VALUES), reported),
}
EVERY_MODE = pytest.mark.parametrize("mode", MODES)


def run(main: Awaitable[Any]) -> Any:
    """In a thread: where a browser has been used in this process, its event loop is that of the main thread."""

    async def whole() -> Any:
        return await main

    with ThreadPoolExecutor(1) as executor:
        return executor.submit(copy_context().run, asyncio.run, whole()).result()


async def steps(look: Callable[[], Any], times: int = 3) -> list[Any]:
    """What a task sees while others run in between."""
    seen = []
    for _ in range(times):
        await asyncio.sleep(0)
        seen.append(look())
    return seen


@EVERY_MODE
def test_a_task_does_not_see_the_mode_of_another(mode: str) -> None:
    block, look = MODES[mode]
    outside = look()

    async def inside() -> list[Any]:
        with block():
            seen = await steps(look)
        return [*seen, look()]

    async def main() -> tuple[list[Any], list[Any], list[Any]]:
        return await asyncio.gather(inside(), steps(look, 6), inside())

    first, other, second = run(main())
    assert first == second == [first[0]] * 3 + [outside] and first[0] != outside
    assert other == [outside] * 6
    assert leaked_state() == []


@EVERY_MODE
@each("ending", ["error", "cancel"])
def test_a_block_that_ends_early_leaves_nothing_to_anybody(mode: str, ending: str) -> None:
    block, look = MODES[mode]
    outside = look()

    async def failing() -> None:
        with block(), no_grad():
            await asyncio.sleep(0)
            if ending == "error":
                raise ValueError("early")
            await asyncio.sleep(60)

    async def main() -> list[Any]:
        task = asyncio.create_task(failing())
        seen = await steps(look)
        task.cancel()
        with pytest.raises((ValueError, asyncio.CancelledError)):
            await task
        return [*seen, look()]

    assert run(main()) == [outside] * 4
    gc.collect()  # a task and its error hold each other
    assert leaked_state() == []


@EVERY_MODE
def test_what_is_started_in_a_block_has_its_mode_to_the_end(mode: str) -> None:
    """Tasks and `asyncio.to_thread` begin with the modes of whoever started them, threads of a pool with the defaults.

    The task goes on after the block, where nothing but its own modes can tell the engine that it must ask for them.
    """
    block, look = MODES[mode]
    outside = look()

    async def main(pool: ThreadPoolExecutor) -> None:
        with block():
            inside = look()
            task = asyncio.create_task(steps(look))
            assert await asyncio.to_thread(look) == inside
            assert await asyncio.get_running_loop().run_in_executor(pool, look) == outside
        assert look() == outside
        assert await task == [inside] * 3 and inside != outside
        async with asyncio.TaskGroup() as group:
            with block():
                members = [group.create_task(steps(look)) for _ in range(2)]
        assert [member.result() for member in members] == [[inside] * 3] * 2
        assert look() == outside

    with ThreadPoolExecutor(1) as pool:
        run(main(pool))
    gc.collect()  # the loop and its tasks
    assert leaked_state() == []


def test_while_only_a_task_of_an_earlier_block_runs_the_engine_still_asks_for_its_modes() -> None:
    async def main() -> None:
        with no_grad(), observe(EVENTS.append):
            task = asyncio.create_task(steps(records))
        assert overrides and watchers
        assert await task == [False] * 3
        del task
        await asyncio.sleep(0)  # until now the loop held it, to hand its result over
        assert not overrides and not watchers

    run(main())


def test_blocks_of_two_tasks_nest_as_each_has_them() -> None:
    async def nested(depth: int, value: bool) -> None:
        with using_config("enable_backprop", value):
            await asyncio.sleep(0)
            assert records() is value
            if depth:
                await nested(depth - 1, not value)
                assert records() is value
            await asyncio.sleep(0)
            assert records() is value

    async def main() -> None:
        frozen = no_grad()  # one object for all
        with frozen:
            await asyncio.gather(*(nested(depth, depth % 2 == 0) for depth in range(5)))
            async with asyncio.TaskGroup() as group:
                for _ in range(3):
                    group.create_task(again(frozen))
            assert not records()
        assert records()

    async def again(frozen: Any) -> None:
        with frozen:
            await asyncio.sleep(0)
            assert not records()
        await asyncio.sleep(0)
        assert not records(), "the creator's block was left by a task"

    run(main())
    gc.collect()
    assert leaked_state() == []


def test_a_generator_shares_the_modes_of_whoever_asks() -> None:
    """Python gives it no context of its own; one that is closed elsewhere neither fails nor changes modes there."""

    async def numbers() -> AsyncIterator[int]:
        with no_grad():
            yield 1
            yield 2

    async def main() -> None:
        with pytest.warns(UserWarning, match="the generator numbers waits at a yield inside its no_grad"):
            async for _ in numbers():
                assert not records()
        assert records()
        source = numbers()
        await asyncio.create_task(anext(source))
        assert records()
        with using_config("train", False):
            await source.aclose()
            assert records() and not config.train

    run(main())
    gc.collect()
    assert leaked_state() == []


def test_gradients_of_tasks_that_take_turns_are_right() -> None:
    async def train(start: float) -> float:
        x = Variable(start)
        for _ in range(20):
            y = x * x
            await asyncio.sleep(0)
            x.cleargrad()
            y.backward()
            with no_grad():
                await asyncio.sleep(0)
                x = Variable(x.data - 0.1 * x.grad.data)
        return x.item()

    async def main() -> list[float]:
        return await asyncio.gather(*map(train, (1.0, 2.0, 3.0)))

    assert run(main()) == pytest.approx([0.8**20 * start for start in (1.0, 2.0, 3.0)])
