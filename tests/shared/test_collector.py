"""The collector of cyclic garbage waits while a recording becomes data, and goes on afterwards, whatever happens."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest

import autolab
from autolab.shared.collector import collector_waits


@pytest.fixture
def collections() -> Iterator[Callable[[], int]]:
    """How many collections there were since the last look."""
    times = [0]

    def count(phase: str, _: object) -> None:
        times[0] += phase == "start"

    def look() -> int:
        seen, times[0] = times[0], 0
        return seen

    gc.callbacks.append(count)
    yield look
    gc.callbacks.remove(count)


def test_nothing_is_collected_in_the_block_and_something_behind_it(collections: Callable[[], int]) -> None:
    with collector_waits():
        collections()
        first = [[k] for k in range(50_000)]
        assert collections() == 0
    second = [[k] for k in range(50_000)]
    assert collections() > 0
    assert len(first) == len(second)


def test_it_goes_on_after_an_error_and_stays_off_where_it_was_off() -> None:
    with pytest.raises(KeyError), collector_waits():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_waits():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_works_while_the_users_function_runs() -> None:
    seen = []

    class Watched(autolab.FunctionNode):
        def forward(self, inputs):  # type: ignore[no-untyped-def]
            seen.append(gc.isenabled())
            return (inputs[0] * 2.0,)

        def backward(self, target_input_indexes, grad_outputs):  # type: ignore[no-untyped-def]
            seen.append(gc.isenabled())
            return (grad_outputs[0] * 2.0,)

    autolab.record(lambda x: Watched().apply((x,)), 3.0)
    assert seen == [True, True] and gc.isenabled()


@pytest.mark.parametrize("first_out", [0, 1])
def test_two_threads_that_let_it_wait_at_once_leave_it_on(first_out: int) -> None:
    blocks = [collector_waits(), collector_waits()]  # entered and left as two threads do it
    for block in blocks:
        block.__enter__()
    assert not gc.isenabled()
    for block in (blocks[first_out], blocks[1 - first_out]):
        block.__exit__(None, None, None)
    assert gc.isenabled()
