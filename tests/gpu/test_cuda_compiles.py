"""Every kernel that AutoLab generates goes through NVIDIA's own compilers: `make test-cuda-compile`, without a GPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import test_device_kernels
import test_random_fusions
import test_user_kernel
from helpers import cuda, strict_module
from helpers.cuda import Compiled, Source

import autolab
from autolab import Variable, to_gpu
from autolab import functions as F

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nvidia") is None or importlib.util.find_spec("cupy_backends") is None,
    reason="needs NVIDIA's compilers: make test-cuda-compile",
)
DTYPES = ("float16", "float32", "float64")
FORMULAS = range(200)
AT_ONCE = 60


def declared() -> list[Source]:
    """Both directions of every declared function that works element by element."""
    with strict_module.installed():
        for dtype in DTYPES:
            for row in test_device_kernels.ELEMENTWISE:
                test_device_kernels._run(row, dtype)
        return sorted(set(strict_module.Kernel.made))


def fused() -> list[Source]:
    """Both directions of random formulas."""
    with strict_module.installed():
        for seed in FORMULAS:
            function = autolab.fuse(test_random_fusions.program(seed))
            xs = [Variable(to_gpu(np.ones(3, DTYPES[seed % 3]))) for _ in range(3)]
            autolab.grad(F.sum(function(*xs)), xs)
        return sorted(set(strict_module.Kernel.made))


def written() -> list[Source]:
    """Kernels in a line of C, as users write them, in every dtype."""
    muladd = [test_user_kernel.FORWARD, test_user_kernel.BACKWARD, (*test_user_kernel.TWICE, "muladd_twice")]
    sources = [autolab.elementwise_kernel(*one)._source for one in muladd]
    return [
        (ins.replace("T ", f"{dtype} "), outs.replace("T ", f"{dtype} "), operation, name)
        for dtype in DTYPES
        for ins, outs, operation, name in sources
    ]


def all_compiled(sources: list[Source], folder: Path) -> Iterator[Compiled]:
    for target in cuda.TARGETS:
        for first in range(0, len(sources), AT_ONCE):
            yield from cuda.compiled(sources[first : first + AT_ONCE], target, folder)


@pytest.mark.parametrize(("collect", "least"), [(declared, 250), (fused, 300), (written, 9)])
def test_each_element_is_loaded_and_stored_once_and_nothing_spills(
    collect: Callable[[], list[Source]], least: int, tmp_path: Path
) -> None:
    sources = collect()
    assert len(sources) >= least
    for one in all_compiled(sources, tmp_path):
        named, outputs = cuda.used_inputs(one.source), len(cuda.parameters(one.source[1]))
        loops, rest = divmod(one.stores, outputs)  # the compiler may write the loop several times, for several cases
        assert loops and not rest, one
        if collect is fused:  # a formula may not need what it names: x > x
            assert one.loads <= named * loops, one
        else:
            assert (one.loads, loops) == (named, 1), one
        assert one.spilled == 0, one


def test_a_warning_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="never referenced"):
        cuda.compiled([("float32 x", "float32 y", "int unused = 3; y = x;", "careless")], "90", tmp_path)


def test_what_is_loaded_twice_is_seen(tmp_path: Path) -> None:
    twice = ("float32 x", "float32 y, float32 z", "y = 1; z = x; y = x + z", "careless")
    (one,) = cuda.compiled([twice], "90", tmp_path)
    assert (one.loads, one.stores) != (1, 2)
