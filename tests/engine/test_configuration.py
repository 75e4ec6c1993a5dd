"""Modes: a process default with a thread override; and the fixture that fails a test which leaks one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from helpers.state import leaked_state, reset_state

import autolab
from autolab import Variable, config, global_config, no_grad, using_config
from autolab.engine.modes import overrides
from autolab.engine.observe import observe


def records() -> bool:
    """Whether a function that is applied now joins the graph, by the fast path and by the general way."""
    x = Variable(2.0)
    short, general = (x * 2).requires_grad, (x**2).requires_grad
    assert short is general
    return short


def in_thread(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


@pytest.mark.source("CO-18", "DZ-13", "CN-19")
def test_no_grad_records_nothing_and_restores() -> None:
    x = Variable(2.0)
    with no_grad():
        y = x * 3
        assert not config.enable_backprop and y.creator is None and y.item() == 6.0
        with using_config("enable_backprop", True):
            assert records()
        assert not records()
    assert records() and config.enable_backprop


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("outer", [None, True, False])
def test_a_mode_returns_after_an_exception(error: type[BaseException], outer: bool | None) -> None:
    with ExitStack() as stack:
        if outer is not None:
            stack.enter_context(using_config("enable_backprop", outer))
        with pytest.raises(error), no_grad(), using_config("train", False):
            raise error
        assert records() is (outer is not False) and config.train


def test_one_object_may_be_entered_again_and_again() -> None:
    frozen = no_grad()
    for _ in range(2):
        with frozen:
            with frozen, using_config("enable_backprop", True):
                assert records()
            assert not records()
        assert records()


def test_one_object_may_serve_two_threads_at_once() -> None:
    frozen, inside, leave = no_grad(), threading.Event(), threading.Event()

    def other() -> list[bool]:
        with using_config("enable_backprop", True):
            with frozen:
                inside.set()
                leave.wait(10)
                states = [records()]
            return [*states, records()]

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(other)
        inside.wait(10)
        with frozen:
            leave.set()
            assert answer.result(10) == [False, True]
            assert not records()
    assert records()


def test_blocks_may_be_left_in_any_order() -> None:
    def waiting(block: Any) -> Iterator[None]:
        with block:
            yield

    for make in (no_grad, lambda: observe(print)):
        first, second = waiting(make()), waiting(make())
        next(first), next(second)
        first.close()
        second.close()
        assert leaked_state() == [] and records()
    third = waiting(no_grad())
    in_thread(lambda: next(third))
    third.close()
    assert records() and not overrides, "the modes of a thread that has ended are still counted"


@pytest.mark.source("CO-18", "CO-19")
def test_train() -> None:
    def dropout(x: Variable) -> Variable:
        return x * 2 if config.train else x

    assert config.train and dropout(Variable(1.0)).item() == 2.0
    with autolab.test_mode():
        assert dropout(Variable(1.0)).item() == 1.0
        assert in_thread(lambda: config.train)
    assert config.train


def test_assigning_sets_this_thread_alone() -> None:
    config.enable_backprop = False
    try:
        assert not records() and in_thread(records) and global_config.enable_backprop
        with using_config("enable_backprop", True):
            assert records()
        assert not records()
    finally:
        del config.enable_backprop
    assert records()


def test_global_config_sets_every_thread_that_has_not_set_it() -> None:
    try:
        global_config.enable_backprop = False
        global_config.train = False
        assert not records() and not in_thread(records) and not in_thread(lambda: config.train)
        with using_config("enable_backprop", True):
            assert records() and not in_thread(records)
    finally:
        global_config.enable_backprop = global_config.train = True
    assert records() and in_thread(records)


def test_rng_belongs_to_the_config() -> None:
    mine = np.random.default_rng(7)
    expected = np.random.default_rng(7).random()
    assert isinstance(config.rng, np.random.Generator) and config.rng is config.rng is global_config.rng
    with using_config("rng", mine):
        assert config.rng is mine and config.rng.random() == expected
        assert in_thread(lambda: config.rng) is not mine


UNKNOWN = [
    (
        lambda: config.dtype,
        AttributeError,
        r"config: there is no mode 'dtype'; the modes are enable_backprop, train, rng",
    ),
    (lambda: setattr(config, "enabel_backprop", False), AttributeError, "no mode 'enabel_backprop'"),
    (lambda: global_config.dtype, AttributeError, "global_config: there is no mode 'dtype'"),
    (lambda: setattr(global_config, "grad", True), AttributeError, "no mode 'grad'"),
    (lambda: using_config("grad", True), AttributeError, "using_config: there is no mode 'grad'"),
    (lambda: using_config("train", None), TypeError, r"using_config\.train: got None; expected a bool"),
    (lambda: setattr(config, "train", 1), TypeError, r"config\.train: got 1; expected a bool"),
    (lambda: setattr(global_config, "rng", 42), TypeError, r"global_config\.rng: got 42; expected a Generator"),
]


@pytest.mark.parametrize(("call", "error", "message"), UNKNOWN)
def test_unknown_modes_and_values_are_refused(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.source("X10")
@pytest.mark.goal(id="R13")
def test_threads_do_not_hear_of_each_others_modes() -> None:
    """R13: 64 threads, each with modes of its own, meet at every step."""
    threads, rounds = 64, 5
    barrier = threading.Barrier(threads, timeout=60)

    def work(number: int) -> list[str]:
        wrong, heard = [], []
        with ExitStack() as stack:
            if number % 4 == 1:
                stack.enter_context(no_grad())
            if number % 4 == 2:
                stack.enter_context(using_config("enable_backprop", True))
            if number % 4 == 3:
                stack.enter_context(observe(heard.append))
            x = Variable(float(number))
            for step in range(rounds):
                barrier.wait()
                heard.clear()
                y = x * x + step
                if y.requires_grad is (number % 4 == 1):
                    wrong.append(f"{number}: recording is {y.requires_grad}")
                if number % 4 == 3 and [event.outputs[0].item() for event in heard] != [number**2, number**2 + step]:
                    wrong.append(f"{number}: heard {len(heard)} events")
                if y.requires_grad:
                    x.cleargrad()
                    y.backward()
                    if x.grad.item() != 2 * number:
                        wrong.append(f"{number}: gradient {x.grad}")
        return wrong

    with ThreadPoolExecutor(threads) as pool:
        assert [wrong for wrongs in pool.map(work, range(threads)) for wrong in wrongs] == []
    assert leaked_state() == []


def test_a_worker_thread_sees_the_process_default_while_a_cell_runs() -> None:
    """RELIABILITY.md, finding 1: widget callbacks run on subshell threads, also while the main thread is busy."""
    with no_grad(), using_config("train", False), observe(lambda event: pytest.fail("heard another thread")):
        answer = in_thread(lambda: (records(), config.train, autolab.grad(Variable(3.0) ** 2, [])))
    assert answer == (True, True, ())


@pytest.fixture
def clean() -> Iterator[None]:
    yield
    reset_state()


LEAKS = [
    lambda: no_grad().__enter__(),
    lambda: setattr(config, "train", False),
    lambda: setattr(config, "rng", np.random.default_rng(0)),
    lambda: setattr(global_config, "train", False),
    lambda: setattr(global_config, "enable_backprop", False),
    lambda: observe(print).__enter__(),
    lambda: overrides.add(object()),
]


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("leak", LEAKS)
def test_every_kind_of_leak_is_noticed(leak: Callable[[], None]) -> None:
    assert leaked_state() == []
    leak()
    assert leaked_state() != []
    reset_state()
    assert leaked_state() == [] and records()
