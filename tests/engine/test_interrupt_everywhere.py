"""R7: Ctrl-C at every bytecode of backward() and grad(): gradients are all there or all as before, and modes return."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.interrupts import Interrupter, every_point, leaves_enter, real_interrupt
from helpers.state import leaked_state, reset_state

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.engine.observe import observe

pytestmark = pytest.mark.goal(id="R7")

FULL = pytest.mark.full
EVERY = pytest.mark.parametrize(
    ("create_graph", "step"),
    [(False, 5), (True, 61), pytest.param(False, 1, marks=FULL), pytest.param(True, 1, marks=FULL)],
)

SOME = pytest.mark.parametrize("step", [23, pytest.param(1, marks=FULL)])


class Parts(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return inputs[0] * inputs[1], inputs[0] + inputs[1]

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        product, total = grad_outputs
        return product * y + total, product * x + total


class Program:
    """A small graph with everything in it: broadcasting, a diamond, several results, matmul."""

    def __init__(self) -> None:
        self.x, self.w = Variable([[1.0, 2.0]]), Variable([[0.5], [1.5]])
        h = self.x @ self.w
        a, b = Parts().apply((self.x, self.x * h))
        self.h, self.y = h, F.sum(F.tanh(a) * b + h)
        self.values = (self.x, self.w, self.h)

    def gradients(self) -> list[Any]:
        return [None if v.grad is None else v.grad.data.tolist() for v in self.values]


def finished(create_graph: bool, times: int = 1) -> list[Any]:
    program = Program()
    for _ in range(times):
        program.y.backward(retain_grad=True, create_graph=create_graph)
    gradients = program.gradients()
    for v in program.values:
        v.cleargrad()
    return gradients


@EVERY
def test_backward_publishes_all_or_nothing(create_graph: bool, step: int) -> None:
    once, twice = finished(create_graph), finished(create_graph, times=2)
    program = Program()
    program.y.backward(retain_grad=True, create_graph=create_graph)

    def make() -> Callable[[], None]:
        for v, g in zip(program.values, once, strict=True):
            v.grad = np.array(g)
        return lambda: program.y.backward(retain_grad=True, create_graph=create_graph)

    before = after = 0
    for at in every_point(make, step):
        gradients = program.gradients()
        assert gradients in (once, twice), f"torn at opcode {at}"
        before += gradients == once
        after += gradients == twice
        assert leaked_state() == [], f"at opcode {at}"
    assert before > 100 and (after > 0 or step > 1)
    make()()
    assert program.gradients() == twice
    for v in program.values:
        v.cleargrad()


@EVERY
def test_grad_leaves_nothing_behind(create_graph: bool, step: int) -> None:
    program = Program()
    expected = [g.data.tolist() for g in grad(program.y, program.values)]
    points = 0
    for _ in every_point(lambda: lambda: grad(program.y, program.values, create_graph=create_graph), step):
        points += 1
        assert program.gradients() == [None, None, None]
        assert leaked_state() == []
    assert points > 100
    again = grad(program.y, program.values, create_graph=create_graph)
    assert [g.data.tolist() for g in again] == expected
    assert again[0].requires_grad is create_graph


@SOME
def test_modes_of_the_surroundings_return(step: int) -> None:
    program = Program()

    def call() -> None:
        grad(program.y, program.x, create_graph=True)

    counter = Interrupter(None)
    with autolab.no_grad():
        assert not counter.run(call)
    for at in range(1, counter.count + 1, step):
        with autolab.no_grad():
            Interrupter(at).run(call)
        assert leaked_state() == [], f"interrupted at opcode {at}, then left no_grad"


BLOCKS = pytest.mark.parametrize("block", [autolab.no_grad, lambda: observe(print)], ids=["no_grad", "observe"])


@BLOCKS
def test_an_interrupt_on_the_way_in_is_raised_and_undone(block: Callable[[], Any]) -> None:
    def make() -> Callable[[], None]:
        return block().__enter__

    counter = Interrupter(None)
    opened = block()
    assert not counter.run(opened.__enter__)
    opened.__exit__(None, None, None)
    assert counter.count > 20
    spared = 0
    for at in range(1, counter.count + 1):
        interrupted = Interrupter(at, spare=leaves_enter).run(make())
        spared += not interrupted
        assert not interrupted or leaked_state() == [], f"at opcode {at}"
        reset_state()
    assert 1 <= spared <= 2, "an interrupt was swallowed"


@BLOCKS
def test_an_interrupt_on_the_way_out_leaves_the_block_all_the_same(block: Callable[[], Any]) -> None:
    """From the first instruction on that Python code can guard."""

    def make() -> Callable[[], None]:
        opened = block()
        opened.__enter__()
        return lambda: opened.__exit__(None, None, None)

    counter = Interrupter(None)
    assert not counter.run(make())
    assert counter.count > 25
    unguarded = 0
    for at in range(1, counter.count + 1):
        assert Interrupter(at).run(make()), f"the interrupt at opcode {at} was swallowed"
        unguarded = at if leaked_state() else unguarded
        reset_state()
    assert unguarded <= 4  # RESUME, LOAD_CONST, STORE_FAST, NOP


@pytest.mark.parametrize("times", [50, pytest.param(2_000, marks=FULL)])
def test_real_signals_while_blocks_open_and_close(times: int) -> None:
    """None falls where `leaves_enter` says so. A block stays open only if one falls on the first instruction of
    ``__exit__``."""

    def enter_and_leave() -> None:
        while True:
            with autolab.no_grad():
                pass

    rng, open_blocks = np.random.default_rng(0), 0
    for _ in range(times):
        where = real_interrupt(enter_and_leave, rng.uniform(0, 0.003))
        assert where is not None
        if leaked_state():
            assert where == ("__exit__", "RESUME")
            open_blocks += 1
            reset_state()
    assert open_blocks < times // 2  # also where a loop does nothing else


@SOME
def test_observers_of_the_surroundings_stay(step: int) -> None:
    program, events = Program(), []
    counter = Interrupter(None)
    with observe(events.append):
        assert not counter.run(program.y.backward)
    for at in range(1, counter.count + 1, step):
        with observe(events.append):
            Interrupter(at).run(program.y.backward)
        assert leaked_state() == [], f"at opcode {at}"


def test_forward_makes_a_whole_step_or_none() -> None:
    x = Variable([1.0, 2.0])
    made: list[Variable] = []
    points = 0
    for _ in every_point(lambda: lambda: made.append(F.tanh(x * 2 + x**2) @ x), step=5):
        points += 1
        assert leaked_state() == []
    assert points > 100 and len(made) == 2  # those that nobody interrupted: before, and to count
    assert (x * 2).requires_grad


@pytest.mark.parametrize("times", [10, pytest.param(200, marks=FULL)])
def test_real_interrupts(times: int) -> None:
    """Signals, wherever they fall: the gradients are those before or those after, and the next pass is right."""
    once, twice = finished(False), finished(False, times=2)
    program, rng = Program(), np.random.default_rng(0)
    program.y.backward(retain_grad=True)
    ready = [False]

    def passes() -> None:
        while True:
            ready[0] = False
            for v, g in zip(program.values, once, strict=True):
                v.grad = np.array(g)
            ready[0] = True
            program.y.backward(retain_grad=True)

    judged = 0
    for _ in range(times):
        assert real_interrupt(passes, rng.uniform(0, 0.01))
        assert leaked_state() == []
        if ready[0]:
            judged += 1
            assert program.gradients() in (once, twice)
    assert judged > times // 4
    for v, g in zip(program.values, once, strict=True):
        v.grad = np.array(g)
    program.y.backward(retain_grad=True)
    assert program.gradients() == twice


def straight_on(x: int) -> int:
    a = x + 1
    b = [a, x]
    return len(b) * a


def test_the_interrupter_sees_every_instruction() -> None:
    """Positive control: as many as the code has; a pass of `backward` alone has more than a thousand."""
    for times in range(3):  # also when the interpreter has specialised it
        counter = Interrupter(None, __file__)
        assert not counter.run(lambda: straight_on(3))
        around = len(list(dis.get_instructions((lambda: straight_on(3)).__code__)))
        inside = len(list(dis.get_instructions(straight_on)))
        first_two = 2  # RESUME is seen or not, depending on the version
        assert inside + around - first_two <= counter.count <= inside + around, times
    counter, program = Interrupter(None), Program()
    assert not counter.run(program.y.backward)
    assert counter.count > 1000


def test_the_interrupter_finds_a_torn_update() -> None:
    """Positive control: a store in two steps is torn at every point between them, and at no other."""

    class Torn:
        def __init__(self) -> None:
            self.one = self.two = 0

        def update(self) -> None:
            self.one += 1
            self.two += 1

    torn = whole = 0
    objects: list[Torn] = []

    def make() -> Callable[[], None]:
        objects.append(Torn())
        return objects[-1].update

    trace = sys.gettrace()
    for _ in every_point(make, extra=__file__):
        between = objects[-1].one != objects[-1].two
        torn, whole = torn + between, whole + (not between)
    stores = [i for i, step in enumerate(dis.get_instructions(Torn.update)) if step.opname == "STORE_ATTR"]
    assert torn == stores[1] - stores[0] and whole >= 4
    assert sys.gettrace() is trace
