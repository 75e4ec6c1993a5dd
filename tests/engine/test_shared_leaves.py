"""Threads that share leaves: whichever way their passes go, every gradient is in the sum, as in a single thread."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT
from helpers.each import each

import autolab
from autolab import Parameter, Variable
from autolab import functions as F
from autolab import links as L
from autolab import optimizers as O
from autolab.compat import chainer, torch
from autolab.engine import store

THREADS, PASSES = 6, 20
Pass = Callable[[Any], None]


def _loss(w: Any) -> Any:
    return F.sum(w * 2.0)


def _compiled(w: Any) -> Pass:
    step = autolab.compile(lambda: _loss(w).backward())
    step(), step()
    w.cleargrad()
    return lambda _: step()


def _hooked(w: Any) -> Pass:
    w.register_hook(lambda g: g * 1.0)
    return lambda w: _loss(w).backward()


def _added(w: Any) -> Pass:
    other = chainer.Variable(np.ones(3))
    other.grad = np.full(3, 2.0)
    return lambda w: w.addgrad(other)


WAYS: dict[str, Callable[[Any], Pass]] = {
    "backward": lambda w: lambda w: _loss(w).backward(),
    "an upstream gradient": lambda w: lambda w: (w * 2.0).backward(np.ones(3)),
    "one that is set": lambda w: lambda w: _from_own_gradient(w * 1.0),
    "retain_grad": lambda w: lambda w: _loss(w).backward(retain_grad=True),
    "create_graph": lambda w: lambda w: _loss(w).backward(create_graph=True),
    "a part": lambda w: lambda w: F.sum(F.concatenate([w[:1], w[1:]], axis=0) * 2.0).backward(),
    "a graph that is shared": lambda w: (lambda y: lambda w: y.backward())(_loss(w)),
    "compiled": _compiled,
    "compiled in each thread": lambda w: lambda w: autolab.compile(lambda: _loss(w).backward())(),
    "a hook": _hooked,
    "addgrad": _added,
    "PyTorch": lambda w: lambda w: (w * 2.0).sum().backward(),
    "PyTorch, inputs=": lambda w: lambda w: (w * 2.0).sum().backward(inputs=[w]),
}
LEAVES = {"addgrad": chainer.Parameter, "PyTorch": torch.tensor, "PyTorch, inputs=": torch.tensor}


def _from_own_gradient(y: Variable) -> None:
    y.grad = np.full(3, 2.0)
    y.backward()


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[], None]) -> None:
    start = threading.Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(lambda: (start.wait(60), work())) for _ in range(THREADS)]:
            done.result()


def _leaf(way: str) -> Any:
    if LEAVES.get(way) is torch.tensor:
        return torch.ones(3, dtype=torch.float64, requires_grad=True)
    return LEAVES.get(way, Parameter)(np.ones(3))


@pytest.mark.filterwarnings("ignore::autolab.transforms.compiling.CompileWarning")
@each("way", WAYS)
def test_no_gradient_is_lost(way: str) -> None:
    for _ in range(3):
        w = _leaf(way)
        one = WAYS[way](w)
        together(lambda w=w, one=one: [one(w) for _ in range(PASSES)] and None)
        np.testing.assert_array_equal(np.asarray(w.grad.data), [2.0 * THREADS * PASSES] * 3)


@pytest.mark.parametrize("to_none", [True, False])
@pytest.mark.parametrize("kind", [O.SGD, O.MomentumSGD, O.Adam, O.AdamW, O.RMSprop])
def test_rounds_of_threads_train_as_one_thread_does(kind: Any, to_none: bool) -> None:
    def trained(run: Callable[[Callable[[], None]], None]) -> np.ndarray:
        model = L.Linear(3, 2, initialW=0.5)
        optimizer = kind(lr=0.125).setup(model)
        for _ in range(3):
            run(lambda: F.sum(model(np.ones((4, 3), np.float32))).backward())
            optimizer.update()
            optimizer.zero_grad(set_to_none=to_none)
        return np.concatenate([p.data.ravel() for p in model.params()])

    np.testing.assert_array_equal(trained(together), trained(lambda work: [work() for _ in range(THREADS)] and None))


ALONE = """
import threading, traceback
import numpy as np
from autolab import Parameter, functions as F
from autolab.engine import store
from autolab.engine.observe import observe

w, others = Parameter(np.ones(3)), []

def work(*_):
    F.sum(w * w).backward(create_graph=True)

def meanwhile(event):  # in the middle of adding, another thread comes for the first time
    inside = {(frame.f_globals["__name__"], frame.f_code.co_name) for frame, _ in traceback.walk_stack(None)}
    if not others and store.UNGUARDED.items() & inside:
        others.append(threading.Thread(target=work))
        others[0].start()
        others[0].join(0.2)

work()
work()
assert not store.guards, "a single thread pays for the lock"
with observe(meanwhile):
    work()
others[0].join(60)
assert store.guards and w.grad.data.tolist() == [8.0] * 3, w.grad
"""


def test_a_second_thread_waits_until_the_first_has_added() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_functions_that_hold_no_lock_have_these_names() -> None:
    for module, name in store.UNGUARDED.items():
        owner = importlib.import_module(module)
        assert hasattr(owner, name) or hasattr(owner.CompiledProgram, name)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_forked_while_another_thread_adds_goes_on() -> None:
    together(lambda: _loss(Parameter(np.ones(3))).backward())
    is_held, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store.guards[0]:
            is_held.set()
            leave.wait(60)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        is_held.wait(60)
        child = os.fork()
        if not child:
            signal.alarm(30)
            _loss(Parameter(np.ones(3))).backward()
            os._exit(0)
        leave.set()
        held.result()
    assert os.waitpid(child, 0)[1] == 0
