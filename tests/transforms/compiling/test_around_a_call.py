"""What may happen around a compiled call: checks, interrupts, threads, errors, and who looks on."""

from __future__ import annotations

import gc
import os.path
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits
from helpers.interrupts import Interrupter, leaves_enter
from helpers.training_steps import T, Tied, X
from numpy.testing import assert_array_equal

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L
from autolab import optimizers as O
from autolab.transforms.compiling import CompileWarning


def chain(x: Any) -> Any:
    return F.sum(F.tanh(x * 2 + 1) * F.exp(-x))


def broken(compiled: Any) -> None:
    """Let one step of its program give other numbers."""
    program = compiled.programs[-1]
    names = program.forward.run.__globals__
    name = next(name for name, one in names.items() if one is np.exp)
    program.forward.run.__globals__[name] = np.cos


def inputs(i: int) -> Variable:
    return Variable(np.random.default_rng(i).normal(size=(3, 4)))


@pytest.mark.parametrize("calls", [1, 5])
def test_a_broken_program_is_found_by_the_next_check(calls: int) -> None:
    compiled = autolab.compile(chain, check_every=5)
    for i in range(calls):
        compiled(inputs(i))
    broken(compiled)
    wrong = 0
    with pytest.warns(CompileWarning, match="different bits"):
        for i in range(calls, 7):
            wrong += bits(compiled(inputs(i))) != bits(chain(inputs(i)))
    assert wrong == (0 if calls == 1 else 1)  # the first run is a check, and so is the sixth
    assert compiled.refusals and not compiled.programs
    assert bits(compiled(inputs(9))) == bits(chain(inputs(9)))


def test_what_the_garbage_collector_calls_meanwhile_is_not_the_functions() -> None:
    heard: list[str] = []

    def told(phase: str, info: dict[str, int]) -> None:
        heard.append(os.path.basename(phase))

    gc.callbacks.append(told)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        compiled = autolab.compile(chain)
        compiled(inputs(0))
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(told)
    assert heard and compiled.programs


def test_every_thousandth_call_is_a_check_unless_switched_off() -> None:
    for every, found in ((1000, True), (None, False)):
        compiled = autolab.compile(chain, check_every=every)
        x = Variable(np.ones(2))
        for _ in range(1000):
            compiled(x)
        broken(compiled)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            compiled(x), compiled(x)
        assert bool(heard) is found


def test_a_backward_that_is_wrong_is_found() -> None:
    compiled = autolab.compile(chain)
    compiled(inputs(0))
    backward = compiled.programs[0].backward
    name = next(name for name, one in backward.run.__globals__.items() if one is np.multiply)
    backward.run.__globals__[name] = np.subtract
    with pytest.warns(CompileWarning, match="different bits"):
        x = inputs(1)
        compiled(x).backward()
    y = inputs(1)
    chain(y).backward()
    assert bits(x.grad) == bits(y.grad)


def stepping() -> tuple[Any, Any, Callable[[Any], Any]]:
    rng = np.random.default_rng(3)
    with autolab.using_config("rng", rng):
        net = Tied()
        net(X[0])
    optimizer = O.Adam(lr=0.01).setup(net)

    def step(x: Any) -> Any:
        net.cleargrads()
        loss = F.softmax_cross_entropy(F.dropout(net(x), 0.2), T[0])
        loss.backward()
        optimizer.update()
        return loss

    return net, optimizer, step


def state(net: Any, optimizer: Any) -> Any:
    return bits([[p.data for p in net.params()], optimizer.state(), optimizer.t])


@pytest.mark.parametrize("before", [0, 1, 2, 4], ids=["traced", "traced again", "checked", "run"])
@pytest.mark.parametrize("part", [pytest.param(i, marks=[] if i == 0 else pytest.mark.full) for i in range(20)])
def test_an_interrupt_leaves_the_old_state_or_the_new(before: int, part: int) -> None:
    def prepared() -> tuple[Any, Any, Any]:
        net, optimizer, step = stepping()
        compiled = autolab.compile(step)
        for i in range(before):
            compiled(X[i])
        return net, optimizer, compiled

    def run(compiled: Any) -> Callable[[], Any]:
        return lambda: compiled(X[9])

    with autolab.using_config("rng", np.random.default_rng(1)):
        net, optimizer, compiled = prepared()
        old = state(net, optimizer)
        counter = Interrupter(None)
        counter.run(run(compiled))
        new = state(net, optimizer)
    rng = np.random.default_rng([before, part])
    for at in rng.integers(1, counter.count, 3):
        with autolab.using_config("rng", np.random.default_rng(1)):
            net, optimizer, compiled = prepared()
            Interrupter(int(at), None, leaves_enter).run(run(compiled))
            assert state(net, optimizer) in (old, new)
            assert all([type(p.data) is np.ndarray for p in net.params()])
            assert np.isfinite(compiled(X[3]).data)


def test_threads_get_the_eager_results() -> None:
    compiled = autolab.compile(chain)
    found: dict[int, Any] = {}
    start = threading.Barrier(6)

    def work(number: int) -> None:
        start.wait()
        for i in range(30):
            x = inputs(100 * number + i)
            y = compiled(x)
            y.backward()
            found[100 * number + i] = bits((y, x.grad))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 180
    for i, told in found.items():
        x = inputs(i)
        y = chain(x)
        y.backward()
        assert told == bits((y, x.grad))


def test_a_floating_point_error_is_the_eager_one() -> None:
    def function(x: Any) -> Any:
        F.log(x)  # nobody needs it
        return F.sum(x * 2)

    compiled = autolab.compile(function)
    for i in range(4):
        compiled(Variable(np.ones(3) + i))
    with np.errstate(all="raise"):
        compiled(Variable(np.ones(3)))
        with pytest.raises(FloatingPointError, match="log"):
            compiled(Variable(np.zeros(3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            compiled(Variable(np.zeros(3)))


def test_an_error_is_that_of_the_function_and_leaves_what_was_there() -> None:
    def function(x: Any) -> Any:
        return np.linalg.inv(x) * 2

    compiled = autolab.compile(function)
    for i in range(3):
        compiled(np.eye(2) * (i + 1))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        compiled(np.zeros((2, 2)))
    assert_array_equal(compiled(np.eye(2) * 4), np.eye(2) / 2)
    with pytest.raises(np.linalg.LinAlgError):
        compiled(np.zeros((2, 3)))
    assert not any(["other" in why for why in compiled.refusals])


def test_who_looks_on_sees_the_true_graph() -> None:
    compiled = autolab.compile(chain)
    for i in range(4):
        compiled(inputs(i))
    plain, through = autolab.record(chain, inputs(5)), autolab.record(compiled, inputs(5))
    assert [step.name for step in through.steps] == [step.name for step in plain.steps]
    with autolab.check_inplace():
        x = inputs(5)
        y = compiled(x)
        y.backward()


def test_the_first_update_is_not_made_twice_where_tracing_fails() -> None:
    _, optimizer, step = stepping()
    with pytest.warns(CompileWarning, match="float"):
        autolab.compile(lambda x: float(step(x).data))(X[0])
    assert optimizer.t == 1


def exchanged(x: Any, held: Any) -> Any:
    held["a"][0], held["a"][1] = held["a"][1], held["a"][0]
    return x * held["a"][0]


def appended(x: Any, held: Any) -> Any:
    held["a"].append(1.0)
    return x * 2


def replaced(x: Any, held: Any) -> Any:
    held["a"][0] = x.data * 2
    return x * held["b"][0]


def named(x: Any, held: Any) -> Any:
    held["last"] = held["a"]
    return x * 2


@pytest.mark.parametrize("function", [exchanged, appended, replaced, named])
def test_a_list_or_dict_that_is_given_is_changed_at_each_call(function: Callable[..., Any]) -> None:
    compiled = autolab.compile(function)
    ours, plain = ({"a": [1.0, 2.0], "b": (np.ones(2), 3)} for _ in range(2))
    lists = ours["a"], ours["b"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)
        for i in range(5):
            x = Variable(np.array([1.0, 2.0]) + i)
            assert bits(compiled(x, ours)) == bits(function(x, plain))
            assert repr(ours) == repr(plain)
    assert "it changes an argument" in compiled.refusals
    assert ours["a"] is lists[0] and ours["b"] is lists[1]


def test_what_is_only_read_is_as_it_was() -> None:
    given = {"a": [np.ones(2), 3.0], "b": (np.full(2, 2.0),)}
    inner = given["a"], given["b"], given["a"][0], given["b"][0]
    compiled = autolab.compile(lambda held: held["a"][0] * held["b"][0] + held["a"][1])
    for _ in range(3):
        assert_array_equal(compiled(given), [5.0, 5.0])
    assert not compiled.refusals and compiled.programs[0].calls == 2
    assert all([a is b for a, b in zip((given["a"], given["b"], given["a"][0], given["b"][0]), inner, strict=True)])


def _normalized() -> tuple[Callable[[Any], Any], Callable[[], Any], dict[str, Callable[[], Any]]]:
    """A function of a buffer, what it leaves behind, and what may come into the buffer's place."""
    link = L.BatchNormalization(3)

    def function(x: Any) -> Any:
        with autolab.test_mode():
            return link(x)

    made = {"dtype": lambda: np.full(3, 2.0), "strides": lambda: np.arange(6, dtype="f4")[::2]}
    return function, lambda: link.gamma, {kind: partial(setattr, link, "avg_mean", new()) for kind, new in made.items()}


def _summed() -> tuple[Callable[[Any], Any], Callable[[], Any], dict[str, Callable[[], Any]]]:
    """A function that adds to a gradient, that gradient, and what may be there before."""
    w, z = Variable(np.ones((4, 3), "f4")), Variable(np.ones((4, 3)))

    def function(x: Any) -> Any:
        y = F.sum(w * x)
        y.backward()
        return y

    made = {"graph": lambda: z * 2, "strides": lambda: np.ones((3, 4), "f4").T}
    return function, lambda: w.grad, {kind: lambda new=new: setattr(w, "grad", new()) for kind, new in made.items()}


@pytest.mark.parametrize("make", [_normalized, _summed])
def test_state_of_another_kind_is_noticed(make: Any) -> None:
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("f4")
    (function, left, changes), (plain, as_written, same_changes) = make(), make()
    compiled = autolab.compile(function)
    for kind in (None, *changes, *changes):
        for how in (changes, same_changes) if kind else ():
            how[kind]()
        for _ in range(3):
            found, expected = (compiled(x), left()), (plain(x), as_written())
            for a, b in zip(found, expected, strict=True):
                assert (a.dtype, a.node is None, bits(a)) == (b.dtype, b.node is None, bits(b)), kind
    assert compiled.programs


@pytest.mark.parametrize("function", [lambda x: F.relu(x) * 2, lambda x: autolab.functions.relu(x) * 2])
def test_a_function_of_a_library_that_is_replaced_is_noticed(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = Variable(np.array([-1.0, 2.0]))
    compiled = autolab.compile(function)
    for other in (None, F.tanh, F.exp):
        if other is not None:
            monkeypatch.setattr(F, "relu", other)
        for _ in range(3):
            assert bits(compiled(x)) == bits(function(x))
    assert not compiled.refusals


def test_a_gradient_that_a_step_leaves_in_a_graph_says_that_none_is_kept() -> None:
    class Held:
        last: Any = None

    w, held = Variable(np.ones(3)), Held()
    held.last = None

    @autolab.compile
    def step(x: Any) -> None:
        w.cleargrad()
        held.last = y = F.sum(F.tanh(w * x))
        y.backward(create_graph=True)

    for _ in range(5):
        step(np.arange(3.0))
    assert not step.refusals and step.programs[-1].calls > 1
    for value in (F.sum(w.grad), held.last):
        with pytest.raises(RuntimeError, match="a compiled step, which keeps no graph"):
            value.backward()


def test_a_backward_that_does_more_than_gradients_is_named() -> None:
    class Told(autolab.FunctionNode):
        def forward(self, inputs: Any) -> Any:
            return (inputs[0] * 2,)

        def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
            print("backward")
            return (grad_outputs[0] * 2,)

    compiled = autolab.compile(lambda x: F.sum(Told().apply((x,))[0]))
    with pytest.warns(CompileWarning, match="it calls print"):
        compiled(Variable(np.ones(2)))


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (lambda x: x.retain_grad(), "keeps its gradient"),
        (lambda x: x.register_hook(lambda g: g), "has a hook"),
    ],
)
def test_what_makes_every_call_run_as_it_is_written_is_told(start: Any, told: str) -> None:
    doubled = autolab.compile(lambda x: x * 2)
    x = Variable(np.ones(2))
    watched = x * 1 if "gradient" in told else x
    held = start(watched)
    doubled(x)
    assert told in doubled.report().refusals[0] and told in str(doubled.report())
    assert not doubled.programs
    del watched, x, held
    doubled(Variable(np.ones(2)))
    assert doubled.programs and not doubled.report().refusals


def test_a_callable_whose_owner_has_no_value_is_walked_over() -> None:
    """Functions that Cython made, such as those of pandas, have ``__self__`` without a value."""

    class Made:
        scale = 2.0

        @property
        def __self__(self) -> Any:
            raise AttributeError("__self__")

        def __call__(self, x: Any) -> Any:
            return self.scale * x

    made = Made()
    compiled = autolab.compile(eval("lambda x: made(x)", {"made": made}))
    for made.scale in (2.0, 2.0, 3.0):
        assert compiled(np.ones(2)).tolist() == [made.scale] * 2
