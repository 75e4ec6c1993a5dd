"""A computation in a thread of its own, and what it leaves behind in the interpreter."""

from __future__ import annotations

import contextvars
import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from autolab.views.live.computation import Computation

PROGRAM = """
import sys, time
from autolab.views.live.computation import Computation

results = []
def run(work, stop):
    before = len(results)
    computation = Computation(work, lambda c, result: results.append(result))
    computation.start()
    if stop:
        computation.stop("asked")
        computation.guard()
    while len(results) == before:
        time.sleep(0.001)

def endless(check):
    while True:
        time.sleep(0.01)

run(lambda check: 1, False)
run(endless, True)  # from outside, as it never calls check

def trace(frame, event, arg):
    frame.f_trace_opcodes = True
    return trace

def traced(n):
    for k in range(3):
        n += k
    return n

sys.settrace(trace)
n = traced(1)
sys.settrace(None)
print(n, results)
"""


def test_a_debugger_works_after_a_computation_and_after_one_that_was_stopped_from_outside() -> None:
    """CPython 3.11 hangs under a tracer where an interruption of a thread was taken back."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.split() == ["4", "[1,", "None]"]


def computed(work: Callable[[Callable[[], None]], Any], stop: bool = False) -> Any:
    """What a computation gives, once its thread has nothing to do any more or has ended."""
    results: list[Any] = []
    computation = Computation(work, lambda _, result: results.append(result))
    computation.start()
    if stop:
        computation.stop("asked")
        computation.guard()
    late = time.monotonic() + 30
    while not results or "autolab-view" in {thread.name for thread in threading.enumerate()}:
        assert time.monotonic() < late, "the computation does not end"
        time.sleep(0.001)
    return results[0]


def endless(check: Callable[[], None]) -> None:
    while True:
        time.sleep(0.01)


def test_a_thread_takes_one_computation_after_another_until_it_is_interrupted() -> None:
    first = computed(lambda check: threading.get_ident())
    assert computed(lambda check: threading.get_ident()) == first
    assert threading.current_thread().ident != first

    inside: list[int] = []
    assert computed(lambda check: inside.append(threading.get_ident()) or endless(check), stop=True) is None
    assert inside == [first]
    for thread in [thread for thread in threading.enumerate() if thread.ident == first]:
        thread.join(30)
        assert not thread.is_alive()
    assert computed(lambda check: sum(range(10_000))) == sum(range(10_000))  # no interruption comes late


def test_computations_go_on_beside_each_other() -> None:
    here = threading.Barrier(3)
    results: list[int] = []
    both = [Computation(lambda check: here.wait(30), lambda _, result: results.append(result)) for _ in range(2)]  # type: ignore[arg-type, misc]
    for computation in both:
        computation.start()
    here.wait(30)
    for computation in both:
        computation.wait(30)


def test_a_computation_has_the_context_of_who_made_it_and_leaves_none() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nobody's")

    def look(check: Callable[[], None]) -> str:
        found = variable.get()
        variable.set("of a computation")
        return found

    token = variable.set("mine")
    assert computed(look) == "mine"
    variable.reset(token)
    assert computed(look) == "nobody's"


def test_a_thread_with_nothing_to_do_keeps_nothing() -> None:
    class Result:
        pass

    result = computed(lambda check: Result())
    seen = weakref.ref(result)
    del result
    gc.collect()
    assert seen() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = """
import os, sys
from autolab.views.live.computation import Computation
def run():
    computation = Computation(lambda check: 1, lambda c, result: None)
    computation.start()
    return computation._ended.wait(20)
assert run() and run()
child = os.fork()
if child == 0:
    os._exit(0 if run() else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
