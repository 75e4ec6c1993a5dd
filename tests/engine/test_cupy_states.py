"""AutoLab with CuPy absent, broken, half removed or without a driver, each in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from helpers import strict_module
from helpers.strict_array import Traffic, ndarray

import autolab
from autolab import Parameter
from autolab import links as L

NO_DRIVER = """
class CUDARuntimeError(RuntimeError): pass
class runtime:
    CUDARuntimeError = CUDARuntimeError
    def getDeviceProperties(i): raise CUDARuntimeError("cudaErrorInsufficientDriver")
class cuda: runtime = runtime
class ndarray: pass
__version__ = "14.2.0"
"""

STATES = {
    "absent": (None, "CuPy is not installed; everything runs on the CPU"),
    "broken": ("raise ImportError('libcuda.so.1: cannot open')", "cannot be imported: libcuda.so.1: cannot open"),
    "half removed": ("", "CuPy is installed in part only: it has no cupy.cuda"),
    "no driver": (NO_DRIVER, "CuPy 14.2.0 finds no usable GPU: cudaErrorInsufficientDriver"),
}

PROGRAM = """
import io, sys
if sys.argv[1] == "absent":  # also on a machine that has it
    import importlib.util
    real = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *rest: None if name == "cupy" else real(name, *rest)
import numpy as np
import autolab
assert "cupy" not in sys.modules
x = autolab.Variable(np.ones(3))
assert autolab.grad((x * x).sum(), x).data.tolist() == [2, 2, 2]
assert autolab.get_array_module(x, np.ones(2)) is np and autolab.to_cpu([np.ones(2)])[0].sum() == 2
kernel = autolab.elementwise_kernel("T x", "T y", "y = x", "same")
for call in (lambda: autolab.to_gpu(np.ones(2)), lambda: autolab.device(0), lambda: kernel(np.ones(2)),
             lambda: autolab.links.Linear(2, 3).to_gpu()):
    try:
        call()
    except RuntimeError as error:
        print(error)
from autolab.app.doctor import doctor
out = io.StringIO()
code = doctor(out)
from importlib.util import find_spec
assert code == 0 or find_spec("ipywidgets") is None  # without it there is more to say
print(out.getvalue())
"""


@pytest.mark.source("CO-12", "CO-13")
@pytest.mark.parametrize("state", list(STATES))
def test_everything_else_works_and_the_reason_is_told(state: str, tmp_path: Path) -> None:
    if state == "half removed" and find_spec("cupy") is not None:
        pytest.skip("a whole CuPy comes before what is left of one")
    source, reason = STATES[state]
    if source is not None:
        (tmp_path / "cupy").mkdir()
        if source:
            (tmp_path / "cupy" / "__init__.py").write_text(source)
        else:
            (tmp_path / "cupy" / "left.txt").write_text("")
    path = os.pathsep.join([str(tmp_path), str(Path(autolab.__file__).parent.parent)])
    program = [sys.executable, "-W", "error", "-c", PROGRAM, state]
    done = subprocess.run(program, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert told.count(reason) == 5, done.stdout  # four errors and the doctor


@pytest.fixture
def traffic() -> Iterator[Traffic]:
    with strict_module.installed() as seen:
        yield seen


def test_batches_and_what_moves_itself(traffic: Traffic) -> None:
    batch = {"x": [np.ones(2), 3], "t": (np.zeros(1, int), 0.5)}
    there = autolab.to_gpu(batch)
    assert type(there["x"][0]) is type(there["t"][0]) is ndarray and there["x"][1] == 3 and there["t"][1] == 0.5
    assert type(there["t"]) is tuple and type(batch["x"][0]) is np.ndarray
    assert autolab.to_gpu(there)["x"][0] is there["x"][0]
    back = autolab.to_cpu(there)
    assert back["x"][0].tolist() == [1, 1] and back["t"][0].dtype == int
    parameter, link = Parameter(1.0, (2,)), L.Linear(2, 3)
    assert autolab.to_gpu(parameter) is parameter and parameter.device == "cuda:0"
    assert autolab.to_gpu(link) is link and link.W.device == "cuda:0"
    assert autolab.to_cpu(link) is link and link.W.device == "cpu"
    with pytest.raises(TypeError, match="to_gpu: got a str; expected an array, a Variable"):
        autolab.to_gpu("x")


def test_a_gpu_is_chosen_for_a_while(traffic: Traffic) -> None:
    with autolab.device(0) as chosen:
        assert chosen.id == strict_module.Device.current == 0
    for wrong in (1, -1, "0", True):
        with pytest.raises(ValueError, match=r"device: got .*; expected a number from 0 to 0"):
            autolab.device(wrong)
