"""Arrays and devices, on a machine without a GPU: a second array type stands in for CuPy's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, get_array_module, grad
from autolab import functions as F
from autolab.engine import backend
from autolab.engine.arrays import to_cpu
from autolab.engine.backend import GpuStatus, device_name, gpu_status


class Other(np.ndarray):
    """An array type of another module; NumPy itself must never be called on it by name."""

    device = SimpleNamespace(id=0)


class OtherModule:
    """Wraps NumPy, and remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> object:
        function = getattr(np, name)
        if isinstance(function, type):
            return function
        self.asked.append(name)

        def call(*args: object, **kwargs: object) -> object:
            if name != "asarray" and any(type(a) is np.ndarray for a in args):
                raise TypeError(f"{name}: unsupported type numpy.ndarray")  # as CuPy says
            plain = [np.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
            result = function(*plain, **kwargs)
            return np.asarray(result).view(Other) if isinstance(result, np.ndarray | np.generic) else result

        return call


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtherModule]:
    module = OtherModule()
    monkeypatch.setitem(backend.modules, Other, module)
    yield module


def test_the_other_module_does_the_work(other: OtherModule) -> None:
    x = Variable(np.linspace(0.5, 2, 6).reshape(2, 3).view(Other))
    y = F.sum(F.tanh(x * x + 1.5) / F.exp(x))
    assert type(y.data) is Other
    g = grad(y, x)
    assert type(g.data) is Other and {"tanh", "exp", "multiply", "true_divide"} <= set(other.asked)
    plain = Variable(np.asarray(x.data))
    expected = grad(F.sum(F.tanh(plain * plain + 1.5) / F.exp(plain)), plain)
    np.testing.assert_array_equal(np.asarray(g.data), expected.data)


def test_numbers_and_lists_go_where_the_array_is(other: OtherModule) -> None:
    x = Variable(np.array([1.0, 2.0], np.float32).view(Other))
    for value, dtype in ((2.0, np.float32), (3, np.float32), (np.float64(2), np.float64), ([1.0, 2.0], np.float64)):
        for y in (x * value, value - x, F.pow(x, value)):
            assert type(y.data) is Other and y.dtype == dtype
            assert type(grad(F.sum(y), x).data) is Other


def test_get_array_module(other: OtherModule) -> None:
    mine = np.ones(2).view(Other)
    assert get_array_module() is get_array_module(1.0, None, np.ones(2)) is np
    assert get_array_module(mine, 2.0) is get_array_module(None, Variable(mine)) is other
    with pytest.raises(TypeError, match="argument 0 on cuda:0, argument 1 on cpu; expected one device: move"):
        get_array_module(mine, np.ones(2))


@pytest.mark.source("CO-13")
def test_without_cuda_the_answer_is_numpy() -> None:
    assert get_array_module(np.ones(1), Variable(1.0), "text") is np


def test_devices_are_not_mixed_silently(other: OtherModule) -> None:
    mine, plain = Variable(np.ones(2).view(Other)), Variable(np.ones(2))
    for call in (lambda: mine * plain, lambda: plain * mine.data, lambda: plain @ mine):
        with pytest.raises(
            TypeError,
            match=r"a is on (cpu|cuda:0), b is on (cpu|cuda:0): expected all on one device; move them with to_gpu",
        ):
            call()


@pytest.mark.source("CO-06", "CN-03")
def test_forward_gpu_serves_the_other_type(other: OtherModule) -> None:
    other.cuda = None  # what tells a GPU's module from others

    class Both(FunctionNode):
        def forward_cpu(self, inputs):
            return (inputs[0] * 2,)

        def forward_gpu(self, inputs):
            return (inputs[0] * 3,)

        def backward(self, target_input_indexes, grad_outputs):
            return grad_outputs

    assert Both().apply((Variable(1.0),))[0].item() == 2.0
    assert Both().apply((Variable(np.ones(1).view(Other)),))[0].item() == 3.0


def test_to_cpu_and_device_name() -> None:
    a = np.ones(2)
    assert to_cpu(a) is a and device_name(a) == "cpu"


@pytest.mark.parametrize("state", ["absent", "broken", "no driver"])
def test_to_gpu_says_what_is_missing(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "gpu_status", lambda: GpuStatus(state, "the reason"))
    monkeypatch.setattr(backend, "modules", {np.ndarray: np})  # no array of a GPU was seen yet
    with pytest.raises(RuntimeError, match="to_gpu: the reason"):
        autolab.to_gpu(np.ones(2))


def test_gpu_status_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert gpu_status() == GpuStatus("absent", "CuPy is not installed; everything runs on the CPU")


def test_gpu_status_with_a_broken_cupy(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cupy.py").write_text("raise ImportError('libcuda is missing')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    assert gpu_status().state == "broken" and "libcuda is missing" in gpu_status().detail


@pytest.mark.source("CO-12")
def test_differentiating_loads_no_views_and_no_cupy() -> None:
    program = """
import sys, autolab
x = autolab.Variable(2.0)
autolab.grad(x ** 2 + autolab.functions.exp(x), x)
views = {"ipywidgets", "anywidget", "IPython", "matplotlib", "PIL", "executing", "tqdm", "graphviz"}
heavy = {*views, "cupy", "numpy.random"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_import_puts_off() -> None:
    program = """
import gc, inspect, numpy, sys
before, collected, read = set(sys.modules), [], []
gc.callbacks.append(lambda phase, info: collected.append(phase))
reader = inspect.Signature.from_callable
inspect.Signature.from_callable = lambda function, **options: read.append(function) or reader(function, **options)
import autolab
late = {"dataclasses", "numpy.fft", "string"} & (set(sys.modules) - before)
assert not late and len(read) < 10 and collected.count("start") <= 2 and gc.isenabled(), (late, read, collected)
print(inspect.signature(autolab.functions.expm1), len(read) > 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(x: 'Array', /) True"
