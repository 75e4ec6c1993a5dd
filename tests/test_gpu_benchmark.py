"""The GPU's benchmark is ready: its works are right on a stand-in for a GPU, and without one it says what it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from helpers import strict_module

from autolab.engine.backend import gpu_status

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield import_module("gpu")
    sys.modules.pop("gpu")


def test_the_works_compute_what_they_say(gpu):
    with strict_module.installed() as traffic:
        works = {name: work for name, (work, _) in gpu.muladd(8).items()}
        x, y, z = [np.linspace(low, 1, 8, dtype=np.float32) for low in (0.1, 0.2, 0.3)]
        traffic.clear()
        copy, forward, gradients = [works[name]() for name in works]
        assert not traffic.down and not traffic.up
        np.testing.assert_array_equal(copy.get(), x)
        np.testing.assert_allclose(forward.get(), x * y + z, rtol=1e-6)
        for g, expected in zip(gradients, (y, x, np.ones(8)), strict=True):
            np.testing.assert_allclose(g.get(), expected, rtol=1e-6)
        for name, (ours, raw) in gpu.operations().items():
            np.testing.assert_allclose(ours().data.get(), raw().get(), rtol=1e-6, err_msg=name)


def test_ratios_are_of_the_same_run(gpu):
    seconds = {"copy": 2.0, "forward": 4.0, "both": 18.0}

    def clock(work, times):
        work()
        return seconds.get(work.__name__, 3.0 if work.__name__ == "step" else 1.0)

    with strict_module.installed():
        lines = gpu.table(1024, 4, 3, clock)
    assert [line.split("  ")[-1].strip() for line in lines[:3]] == [
        f"{ratio} of the copy's bandwidth" for ratio in ("1.00", "1.00", "0.50")
    ]
    assert "1.00 x CuPy alone" in lines[3] and "3.00 x its matrix products" in lines[-1]


@pytest.mark.skipif(gpu_status().state == "ok", reason="there is a GPU")
def test_without_a_gpu_one_sentence_says_so():
    program = [sys.executable, BENCHMARKS / "gpu.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("gpu.py: this benchmark needs a GPU. CuPy ") and done.stderr.count("\n") == 1
