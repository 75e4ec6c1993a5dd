"""The GPU's benchmark is ready: its works are right on a stand-in for a GPU, its rows fail alone, and it says what it
needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import strict_module

from autolab import functions as F
from autolab.engine.backend import gpu_status

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
SECONDS = {"copy": 2.0, "forward": 4.0, "both": 18.0}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(import_module("gpu_works"), "torch_or_none", lambda: None)  # PyTorch's rows need a real GPU
    yield import_module("gpu")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("gpu", "gpu_works")]:
        sys.modules.pop(name)


def clock(work: Any, times: int) -> float:
    work()
    return SECONDS.get(work.__name__, 1.0)


def tiny(gpu: Any) -> Any:
    return gpu.Options(exponent=10, width=4, small=4, pixels=2000, rounds=2)


def test_the_works_compute_what_they_say(gpu: Any) -> None:
    works = import_module("gpu_works")
    with strict_module.installed() as traffic:
        every = {name: work for name, (work, _) in works.muladd_works(8).items()}
        x, y, z = [np.linspace(low, 1, 8, dtype=np.float32) for low in (0.1, 0.2, 0.3)]
        traffic.clear()
        copy, forward, *gradients = [every[name]() for name in every]
        assert not traffic.down and not traffic.up
        np.testing.assert_array_equal(copy.get(), x)
        np.testing.assert_allclose(forward.get(), x * y + z, rtol=1e-6)
        for found in gradients:
            for g, expected in zip(found, (y, x, np.ones(8)), strict=True):
                np.testing.assert_allclose(g.get(), expected, rtol=1e-6)
        for name, (ours, raw) in works.operations().items():
            np.testing.assert_allclose(ours().data.get(), raw().get(), rtol=1e-6, err_msg=name)
        assert [g.shape for g in works.layers(3, 5)()] == [(3, 3)] * 3 + [(3,)] * 3
        assert works.heatmap(2000)().startswith("<svg")


def test_the_fused_step_moves_only_what_it_must(gpu: Any) -> None:
    from helpers.strict_array import launches

    works = import_module("gpu_works")
    with strict_module.installed():
        (both, arrays) = works.muladd_works(8)["forward and backward"]
        with launches() as launched:
            both()
    assert launched == ["autolab_muladd", "autolab_muladd_backward"] and arrays == 9


def test_each_declared_function_is_one_kernel_in_each_direction(gpu: Any) -> None:
    from helpers.strict_array import launches

    with strict_module.installed():
        works = import_module("gpu_works").kernel_works(8)
        for name, (work, _) in list(works.items())[1:]:
            with launches() as launched:
                work()
            assert len(launched) == 1, name


def test_ratios_are_of_the_same_run(gpu: Any) -> None:
    with strict_module.installed():
        found = list(gpu.figures(tiny(gpu), 60, clock))
    by_name = {figure.name: figure for figure in found}
    assert by_name["muladd 2^10, forward"].ratio == 1.0 and by_name["muladd 2^10, forward"].holds
    assert by_name["muladd 2^10, forward and backward"].ratio == 0.5
    assert by_name["muladd 2^10, forward and backward"].holds is False
    assert by_name["add"].ratio == 1.0 and "NOT REACHED" in gpu.line(by_name["muladd 2^10, forward and backward"])
    assert by_name["heatmap of 2e+03 elements"].ratio is not None


def test_a_row_that_fails_says_so_and_the_others_go_on(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(size: int) -> Any:
        raise MemoryError("out of memory")

    monkeypatch.setattr(import_module("gpu_works"), "heatmap", no_room)
    with strict_module.installed():
        found = list(gpu.figures(tiny(gpu), 60, clock))
        late = list(gpu.figures(tiny(gpu), -1, clock))
    broken = found[-3]
    assert broken.name == "picture" and broken.error == "MemoryError: out of memory" and broken.seconds is None
    assert "no figure. MemoryError" in gpu.line(broken)
    assert {figure.error for figure in late} == {"left out: -1 seconds were over"} and len(late) == len(gpu.ROWS)


def test_where_products_cannot_be_captured_sums_are(gpu: Any) -> None:
    works = import_module("gpu_works")
    with strict_module.installed():
        refused, found = gpu.small_network_captured(tiny(gpu), clock)
        by_products, by_sums = [works.layers(3, 5, linear)() for linear in (F.linear, works.linear_by_sums)]
        for a, b in zip(by_products, by_sums, strict=True):
            np.testing.assert_allclose(b.get(), a.get(), rtol=1e-5, atol=1e-6)
    assert refused.seconds is None and "cuBLAS API during stream capture" in refused.error
    assert found.name == "three layers of 4, by sums, as a CUDA graph" and found.seconds == 1.0


def test_beside_pytorch_the_ratios_have_goals(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    works = import_module("gpu_works")
    work = {"forward": lambda: None, "forward and backward": lambda: None}
    monkeypatch.setattr(works, "torch_muladd_works", lambda torch, size: work)
    monkeypatch.setattr(works, "torch_layers", lambda *args: lambda: None)
    monkeypatch.setattr(works, "torch_or_none", lambda: SimpleNamespace())
    with strict_module.installed():
        found = [*gpu.bandwidth(tiny(gpu), clock), *gpu.network(tiny(gpu), clock)]
    goals = {(f.name, f.most): f.ratio for f in found if f.to == "x PyTorch eager"}
    assert goals == {
        ("muladd 2^10, forward", 0.72): 4.0,
        ("muladd 2^10, forward and backward", 0.8): 18.0,
        ("three layers of 4", 1.05): 1.0,
    }


def test_the_whole_program_runs(
    gpu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also rows without a goal are printed, and the clock is the program's own."""
    sizes = ["--exponent", "8", "--width", "8", "--pixels", "2000", "--rounds", "2"]
    monkeypatch.setattr(sys, "argv", ["gpu.py", *sizes, "--folder", str(tmp_path)])
    with strict_module.installed():
        assert gpu.main() == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].startswith("copy ") and printed[1].endswith(" 1.000 of the copy's bandwidth")
    (kept,) = tmp_path.glob("*.json")
    names = [row["name"] for row in json.loads(kept.read_text())["figures"]]
    assert len(names) == 22
    assert all([line.startswith(name) for line, name in zip(printed[1:-1], names, strict=True)])


def test_results_carry_the_name_of_the_machine(gpu: Any, tmp_path: Path) -> None:
    with strict_module.installed():
        found = [gpu.Figure("add", 1e-6, 1.2, "x CuPy alone", most=1.3), gpu.Figure("late", error="left out")]
        path = gpu.save(found, tiny(gpu), tmp_path / "results")
    kept = json.loads(path.read_text())
    assert path.name == "gpu-a-strict-array-on-the-cpu.json" and kept["machine"]["gpu"] == "a strict array on the CPU"
    assert [row["holds"] for row in kept["figures"]] == [True, None] and kept["options"]["exponent"] == 10


@pytest.mark.skipif(gpu_status().state == "ok", reason="there is a GPU")
def test_without_a_gpu_one_sentence_says_so() -> None:
    program = [sys.executable, BENCHMARKS / "gpu.py"]
    environment = {**os.environ, "PYTHONPATH": str(BENCHMARKS.parent)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("gpu.py: this benchmark needs a GPU. CuPy ") and done.stderr.count("\n") == 1
