"""Declared functions on a GPU: one kernel forward and one backward; and what a compiler says of all kernels' C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import kernel_text, strict_module
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row
from helpers.strict_array import Traffic, launches

import autolab
from autolab import Variable, to_gpu
from autolab import functions as F

ELEMENTWISE = [row for row in ROWS if hasattr(row.function, "function") and row.function.function.elementwise]

Source = tuple[str, str, str, str]


@pytest.fixture
def traffic() -> Iterator[Traffic]:
    with strict_module.installed() as seen:
        yield seen


def _inputs(row: Row, dtype: Any) -> list[Any]:
    """Variables of one shape, inside of the function's domain."""
    function = row.function.function
    low, high = function.domain or (0.5, 2)
    rng = np.random.default_rng(zlib.crc32(row.name.encode()))
    xs = [to_gpu(rng.uniform(low, high, (3, 5)).astype(dtype)) for _ in function.inputs]
    return [Variable(x) if name in function.declared else x for name, x in zip(function.inputs, xs, strict=True)]


def _run(row: Row, dtype: Any = np.float32) -> tuple[list[str], list[str]]:
    """What is started on the device forward, and by the backward step of the function itself."""
    attributes = {"dtype": np.float64} if row.name == "cast" else {}
    inputs = _inputs(row, dtype)
    with launches() as forward:
        y = row.function(*inputs, **attributes)
    backward: list[str] = []
    if isinstance(y, Variable) and y.node is not None:
        g = to_gpu(np.ones(y.shape, y.dtype))
        with launches() as backward:
            y.node.function.pull(y.node, g, False)
    return forward, backward


@each("row", ELEMENTWISE, ids=lambda row: row.name)
def test_each_direction_is_one_kernel(row: Row, traffic: Traffic) -> None:
    forward, backward = _run(row)
    assert len(forward) <= 1 and len(backward) <= 1, (forward, backward)
    assert all(name.startswith("autolab_") for name in backward)
    assert not traffic.down


def test_an_ordinary_backward_pass_is_a_kernel_per_function(traffic: Traffic) -> None:
    x, w = [Variable(to_gpu(np.linspace(0.1, 1, 6))) for _ in range(2)]
    loss = F.sum(F.tanh(x) * w / 2.0)
    for differentiate in (lambda: autolab.grad(loss, (x, w)), loss.backward):
        with launches() as launched:
            differentiate()
        own = [name for name in launched if name.startswith("autolab_")]
        assert own == [f"autolab_{name}_backward" for name in ("div", "mul", "tanh")]
        assert set(launched) - set(own) <= {"ones_like", "copy"}


def _sources() -> list[Source]:
    """The kernels of all declared functions and of some fused ones, in two dtypes."""
    with strict_module.installed():
        for dtype in (np.float32, np.float64):
            for row in ELEMENTWISE:
                _run(row, dtype)
        fused = autolab.fuse(lambda x, y: F.where(x > y, F.gelu(x) ** 3, F.elu(-y)) + F.minimum(x, 0.5) * F.round(y))
        for dtype in (np.float16, np.float32):
            x, y = [Variable(to_gpu(np.ones(3, dtype))) for _ in range(2)]
            autolab.grad(F.sum(fused(x, y)), [x, y])
        return sorted(set(strict_module.Kernel.made))


def _parameters(text: str) -> list[list[str]]:
    return [part.split() for part in text.split(",")]


_C = {"float32": "float", "float64": "double", "bool": "bool", "int64": "long long"}


def _function(source: Source, i: int, head: str, index: str) -> str:
    """A kernel as a C function of pointers."""
    ins, outs, operation, _ = source
    given = [f"const {_C[kind]} *p{name}" for kind, name in _parameters(ins)]
    given += [f"{_C[kind]} *p{name}" for kind, name in _parameters(outs)]
    body = [f"const {_C[kind]} {name} = p{name}[k];" for kind, name in _parameters(ins)]
    body += [f"{_C[kind]} {name};" for kind, name in _parameters(outs)]
    body += [operation, *[f"p{name}[k] = {name};" for _, name in _parameters(outs)]]
    return f'extern "C" {head} kernel{i}(long n, {", ".join(given)}) {{\n{index}\n' + "\n".join(body) + "\n}}\n"


def _plain(sources: list[Source]) -> list[Source]:
    """Those without half precision, which C++ does not have."""
    return [source for source in sources if "float16" not in source[0] + source[1]]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_compiler_reads_the_kernels_as_they_are_meant(tmp_path: Path) -> None:
    """Compiled by another hand, each computes what the tests' own reader of C says."""
    sources = _plain(_sources())
    assert len(sources) > 100
    loop = "for (long k = 0; k < n; k++) {"
    code = "#include <cmath>\nusing namespace std;\n"
    code += "".join([_function(source, i, "void", loop) for i, source in enumerate(sources)])
    (tmp_path / "kernels.cpp").write_text(code)
    options = ["-O0", "-w", "-shared", "-fPIC", "-ffp-contract=off"]
    subprocess.run(["g++", *options, "kernels.cpp", "-o", "kernels.so"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "kernels.so"))
    for i, source in enumerate(sources):
        _compare(getattr(library, f"kernel{i}"), source)


def _compare(compiled: Any, source: Source) -> None:
    ins, outs, operation, name = source
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, 0.5, -1.0, np.nan, np.inf, -np.inf, 7.0]
    size = 40 + len(special)
    values = {n: np.r_[rng.uniform(-2, 2, 40), rng.permutation(special)].astype(kind) for kind, n in _parameters(ins)}
    results = {n: np.zeros(size, kind) for kind, n in _parameters(outs)}
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*values.values(), *results.values())]
    compiled(ctypes.c_long(size), *pointers)
    expected = kernel_text.run(operation, dict(values))
    for label, found in results.items():
        tight = 1e-5 if found.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(found, expected[label] * np.ones(size), rtol=tight, atol=tight, err_msg=name)
