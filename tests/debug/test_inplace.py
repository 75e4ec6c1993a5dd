"""R4: every way to change a value in place between forward and backward is reported in the checked mode."""

from __future__ import annotations

import ctypes
import io
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.garbage import collector_off
from helpers.state import leaked_state
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from autolab import DamagedValueError, Parameter, Variable, check_inplace, grad, no_grad
from autolab import functions as F
from autolab.engine.backward import watched_nodes

pytestmark = pytest.mark.goal(id="R4")

START = [[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]]


class Scene:
    """A value that is needed, and what a program may hold of its memory: a view from before the forward, a buffer."""

    def __init__(self, folder: Path) -> None:
        self.buffer = bytearray(np.array(START).tobytes())
        self.earlier = np.frombuffer(self.buffer).reshape(2, 3)
        self.x = Parameter(self.earlier[:], name="x")
        self.file = np.memmap(folder / "values", np.float64, "w+", shape=(2, 3))
        self.file[...] = START
        self.a = self.x.data


def _thread(call: Callable[[], Any]) -> None:
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def _iterate(a: np.ndarray) -> None:
    with np.nditer(a, op_flags=["readwrite"]) as values:
        for value in values:
            value[...] = 2 * value


def _update(scene: Scene) -> None:
    (g,) = grad((scene.x * 2).sum(), (scene.x,))
    scene.x.data -= 0.1 * g.data


def _swap(a: np.ndarray) -> None:
    a[[0, 1]] = a[[1, 0]]


MUTATIONS: dict[str, Callable[[Scene], Any]] = {
    "augmented assignment": lambda s: s.a.__iadd__(1),
    "one element": lambda s: s.a.__setitem__((0, 1), 9.0),
    "one bit": lambda s: s.a.__setitem__((0, 0), np.nextafter(s.a[0, 0], 9)),
    "a slice": lambda s: s.a.__setitem__((slice(None), 1), 0.0),
    "a mask": lambda s: s.a.__setitem__(s.a < 0, 0.0),
    "rows change places": lambda s: _swap(s.a),
    "an earlier view": lambda s: s.earlier.__setitem__((1, 1), 7.0),
    "a later view": lambda s: s.a.reshape(-1).__setitem__(3, 1.0),
    "a transposed view": lambda s: s.a.T.__imul__(2),
    "a strided view": lambda s: as_strided(s.a, (6,), (8,)).__setitem__(0, 1.0),
    "a window": lambda s: sliding_window_view(s.a, (2, 2), writeable=True).__setitem__((0, 0, 0, 0), 1.0),
    "real part": lambda s: s.a.real.__setitem__(0, 1.0),
    "out= of a ufunc": lambda s: np.multiply(s.a, 3, out=s.a),
    "out= of a reduction": lambda s: np.cumsum(s.a, axis=1, out=s.a),
    "out= of matmul": lambda s: np.matmul(np.eye(2) * 2, s.a.copy(), out=s.a),
    "out= of clip": lambda s: np.clip(s.a, 0, 1, out=s.a),
    "out= of a generator": lambda s: np.random.default_rng(0).random(out=s.a),
    "ufunc.at": lambda s: np.add.at(s.a, 0, 1.0),
    "copyto": lambda s: np.copyto(s.a, 1.0),
    "shuffle": lambda s: np.random.default_rng(0).shuffle(s.a, axis=1),
    "sort": lambda s: s.a.sort(),
    "partition": lambda s: s.a.partition(0),
    "fill": lambda s: s.a.fill(2.0),
    "fill_diagonal": lambda s: np.fill_diagonal(s.a, 0),
    "flat": lambda s: s.a.flat.__setitem__(2, 5.0),
    "nditer": lambda s: _iterate(s.a),
    "put": lambda s: np.put(s.a, [0], 8.0),
    "put_along_axis": lambda s: np.put_along_axis(s.a, np.array([[0], [1]]), 8.0, 1),
    "place": lambda s: np.place(s.a, s.a > 0, 8.0),
    "putmask": lambda s: np.putmask(s.a, s.a > 0, 8.0),
    "byteswap": lambda s: s.a.byteswap(inplace=True),
    "setfield": lambda s: s.a.setfield(1.0, np.float64),
    "another dtype": lambda s: s.a.view(np.int64).__iadd__(1),
    "memoryview": lambda s: memoryview(s.a).__setitem__((0, 0), 1.0),
    "bytes beneath": lambda s: s.buffer.__setitem__(7, 0),
    "struct": lambda s: struct.pack_into("d", s.a, 8, 1.0),
    "readinto": lambda s: io.BytesIO(bytes(48)).readinto(s.a),
    "ctypes": lambda s: ctypes.memset(s.a.ctypes.data, 1, 8),
    "another thread": lambda s: _thread(lambda: s.a.__imul__(2)),
    "an update before backward": _update,
}


def test_there_are_enough_distinct_mutations() -> None:
    assert len(MUTATIONS) >= 30


@each("mutation", MUTATIONS)
def test_damage(mutation: str, tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    x = scene.x
    with check_inplace():
        y = (x * x).sum()
        MUTATIONS[mutation](scene)
        with pytest.raises(DamagedValueError) as caught:
            y.backward()
    line = test_damage.of_one_case.__code__.co_firstlineno + 5
    assert str(caught.value) == (
        f"input 'x' of mul (test_inplace.py, line {line}) was changed in place after the forward pass. "
        "Use x = x + 1, or copy."
    )
    assert x.grad is None and leaked_state() == []


@each("mutation", MUTATIONS)
def test_without_it_the_same_mutation_goes_unnoticed(mutation: str, tmp_path: Path) -> None:
    """Control: what the bare engine gives is a gradient, and a wrong one."""
    scene = Scene(tmp_path)
    y = (scene.x * scene.x).sum()
    MUTATIONS[mutation](scene)
    y.backward()
    assert scene.x.grad.data.tobytes() != (2 * np.array(START)).tobytes()


def test_a_mapped_file_written_through_another_map(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    x = Variable(scene.file, name="x")
    with check_inplace():
        y = (x * x).sum()
    other = np.memmap(tmp_path / "values", np.float64, "r+", shape=(2, 3))
    other[0] = 0
    other.flush()
    with pytest.raises(DamagedValueError, match="input 'x' of mul"):
        y.backward()


def test_another_shape_is_damage_too() -> None:
    x = Variable(np.arange(6.0), name="x")
    with check_inplace():
        y = (x * x).sum()
    x.data.resize((3,), refcheck=False)
    with pytest.raises(DamagedValueError, match="input 'x' of mul"):
        y.backward()


LARGE = 1_000_000
LARGE_MUTATIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "one bit": lambda a: a.view(np.uint64).__ixor__(np.arange(LARGE, dtype=np.uint64) == 777_777),
    "two elements change places": lambda a: a.__setitem__([1, 400_001], a[[400_001, 1]]),
    "what is added here is taken there": lambda a: a.__iadd__(np.eye(1, LARGE, 5)[0] - np.eye(1, LARGE, 900_000)[0]),
    "shuffle": lambda a: np.random.default_rng(0).shuffle(a),
    "sort": lambda a: a.sort(),
    "reversed": lambda a: a.__setitem__(slice(None), a[::-1].copy()),
    "rows change places": lambda a: _swap(a.reshape(1000, 1000)),
    "the last element": lambda a: a.__setitem__(-1, 0.0),
}


@each("layout", [(1000, 1000), (1_000_000,)], ids=str)
@each("mutation", LARGE_MUTATIONS)
def test_damage_of_a_large_value(mutation: str, layout: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).normal(size=LARGE)
    x = Variable(array.reshape(layout).T)
    with check_inplace():
        y = F.sum(x * x)
    LARGE_MUTATIONS[mutation](array)
    with pytest.raises(DamagedValueError):
        grad(y, x)


@each("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@each("n", [0, 1, 1000, 1001, 5000])
def test_damage_of_every_precision_and_size(dtype: type, n: int) -> None:
    x = Variable(np.ones(2 * n + 1, dtype)[::2])
    for i in range(0, n, max(1, n // 3)):
        with check_inplace():
            y = F.sum(x * x)
        grad(y, x)
        x.data[i] = -2
        with pytest.raises(DamagedValueError):
            grad(y, x)


# ---------------------------------------------------------------------- what is watched, and what is not
def _index() -> tuple[Variable, Any]:
    index = np.array([0, 0, 2])
    x = Variable(np.ones(3), name="x")
    return x, index


def test_a_result_an_attribute_and_one_of_many_inputs_are_named() -> None:
    x, index = _index()
    with check_inplace():
        y = F.tanh(x)
        taken = x[index]
        z = F.einsum(x, y, x * 1, subscripts="i,i,i->")
    y.data[0] = 9
    with pytest.raises(DamagedValueError, match=r"^result 'y' of tanh \("):
        grad(y.sum(), x)
    with pytest.raises(DamagedValueError, match=r"^input 'operands\[1\]' of einsum"):
        grad(z, x)
    index[0] = 1
    with pytest.raises(DamagedValueError, match=r"^attribute 'index' of getitem"):
        grad(taken.sum(), x)


def test_a_list_is_watched_too() -> None:
    x, _ = _index()
    times = [1, 2, 1]
    with check_inplace():
        y = F.repeat(x, repeats=times)
    times[0] = 2
    with pytest.raises(DamagedValueError, match="attribute 'repeats' of repeat"):
        grad(y.sum(), x)


def test_only_what_a_rule_keeps_is_watched() -> None:
    x, c = Variable(np.ones(3)), Variable(np.ones(3), requires_grad=False)
    with check_inplace():
        y, z = x + 1, x * c
        (y.sum() + z.sum() + F.exp(x).sum()).backward()
        x.data += 1  # sums keep nothing, exp keeps its result, the product keeps c alone
        (y.sum() + z.sum()).backward()
    assert x.grad.data.tolist() == [1 + 1 + np.e + 1 + 1] * 3


def test_what_nobody_asks_for_may_change() -> None:
    """Only the nodes that backward comes through are looked at."""
    x = Variable(np.ones(3))
    with check_inplace():
        h = x * x
        y = x + 1
    h.data += 1
    x.data += 1
    assert grad(y.sum(), x).data.tolist() == [1, 1, 1]


def test_training_updates_in_place_between_passes() -> None:
    """No alarm, also while the graphs of earlier passes are still held."""
    w, losses = Parameter(np.ones(3)), []
    with check_inplace():
        for _ in range(3):
            losses.append(F.sum(w * w))
            w.cleargrad()
            losses[-1].backward()
            w.data -= 0.1 * w.grad.data
        with pytest.raises(DamagedValueError):
            losses[0].backward()
    np.testing.assert_allclose(w.data, 0.8**3)


def test_a_value_that_was_put_back_is_no_damage() -> None:
    x = Variable(np.ones(3))
    with check_inplace():
        y = F.sum(x * x)
    x.data[0] = 5
    x.data[0] = 1
    y.backward()


def test_other_data_is_no_damage() -> None:
    x = Variable(np.ones(3))
    with check_inplace():
        y = F.sum(x * x)
    x.data = np.zeros(3)
    y.backward()
    assert x.grad.data.tolist() == [2, 2, 2]


def test_higher_orders() -> None:
    x = Variable(np.array([1.0, 2.0]), name="x")
    with check_inplace():
        first = grad(F.sum(x * x * x), x, create_graph=True)
    x.data[0] = 3
    with pytest.raises(DamagedValueError, match="of mul"):
        grad(F.sum(first), x)


# ---------------------------------------------------------------------- cost and life
def new(before: dict[Any, Any]) -> list[Any]:
    """What is watched by now; tracebacks of earlier tests may hold a graph."""
    return [watch for node, watch in watched_nodes.items() if node not in before]


def test_nothing_is_watched_outside() -> None:
    before, x = dict(watched_nodes), Variable(np.ones(3))
    y = F.tanh(x * x)
    assert new(before) == []
    with collector_off(), check_inplace(), check_inplace():
        z = F.tanh(y)
        assert [watch.step for watch in new(before)] == ["tanh"]
        del z
        assert new(before) == []


def test_steps_that_keep_the_same_value_share_its_print() -> None:
    held, x = dict(watched_nodes), Variable(np.ones(3))
    with check_inplace():
        y, z = x * x, x / 2 * x  # the number 2 cannot change and is not watched
        before = [watch.prints for watch in new(held)]
        x.data += 1
        w = x * x
    prints = [next(p for _, name, p in found if p.value is x.data) for found in before]
    assert len(prints) == 2 and prints[0] is prints[1]
    # a print is never older than the step that took it
    assert grad(w.sum(), x).data.tolist() == [4, 4, 4]
    with collector_off():
        del prints, before, y, z, w
        assert new(held) == []


def test_threads_check_for_themselves() -> None:
    """R13: of 64 threads that all damage a value, those in the checked mode hear of it, and no other."""
    threads = 64
    barrier = threading.Barrier(threads, timeout=60)

    def work(number: int) -> bool:
        x = Variable(np.ones(3))
        with check_inplace() if number % 2 else nullcontext():
            barrier.wait()
            y = F.sum(x * x)
            barrier.wait()
            x.data += 1
            try:
                y.backward()
            except DamagedValueError:
                return True
        return False

    with ThreadPoolExecutor(threads) as pool:
        assert list(pool.map(work, range(threads))) == [bool(number % 2) for number in range(threads)]


def test_without_a_graph_nothing_is_watched() -> None:
    before, x = dict(watched_nodes), Variable(np.ones(3))
    with check_inplace(), no_grad():
        F.sum(x * x)
        assert new(before) == []
