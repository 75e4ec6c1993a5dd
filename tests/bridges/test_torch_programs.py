"""Sixty programs: every value, gradient and share of a recording is PyTorch's own, computed without AutoLab."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import torch_programs as programs
from plain_torch import run

from autolab.bridges.torch import record
from autolab.recording import Recording, Step

EPS = {"float64": 1e-12, "float32": 2e-5, "float16": 5e-3, "bfloat16": 4e-2}


def array(tensor: Any) -> np.ndarray:
    tensor = tensor.detach().to_dense() if tensor.layout != torch.strided else tensor.detach()
    return (tensor if tensor.dtype not in (torch.bfloat16,) else tensor.float()).numpy()


def same(kept: Any, tensor: Any) -> None:
    """A snapshot (None for none) against a tensor."""
    if kept is None or tensor is None:
        assert kept is None or not kept.values.any()  # torch gives None where autograd materialised zeros, or nothing
        assert tensor is None or not array(tensor).any()
        return
    eps, expected = EPS.get(str(tensor.dtype).removeprefix("torch."), 0), array(tensor)
    assert kept.dtype == str(tensor.dtype).removeprefix("torch.")
    assert kept.shape == tuple(tensor.shape)
    size = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)) if expected.dtype.kind == "f" else 0.0
    np.testing.assert_allclose(kept.values, expected, rtol=eps, atol=eps * size)


def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    torch.manual_seed(len(name))
    return programs.PROGRAMS[name]()


def results_of(recording: Recording, call: Step) -> list[Step]:
    """The steps of a call's results that need a gradient."""
    parts = [s for s in recording.steps if s.kind == "part" and s.operands[0].step == call.id]
    return [s for s in parts or [call] if s.status not in ("constant", "integer")]


def test_there_are_sixty_programs():
    assert len(programs.PROGRAMS) >= 60


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_every_number_is_pytorchs(name: str):
    fn, args = made(name)
    plain = run(fn, args, seed=5, with_calls=name not in programs.IN_PLACE)
    torch.manual_seed(5)
    recording = record(fn, *args)
    for step, y in zip(recording.outputs, plain.outputs, strict=True):
        same(recording.steps[step].value, y)
    for step, x in zip(recording.inputs, plain.inputs, strict=True):
        same(recording.steps[step].value, x)
        same(recording.steps[step].grad, x.grad)
    leaves = {step.name: step for step in recording.steps if step.kind == "leaf"}
    for parameter, g in plain.parameters.items():
        if parameter in leaves:
            same(leaves[parameter].grad, g)
        else:
            assert g is None or parameter.endswith("weight")  # a shared one has the name of its first place
    compare_calls(recording, plain.calls)


def compare_calls(recording: Recording, calls: list[Any]) -> None:
    """Each call that needs a gradient: its results, their gradients, and the share of every use."""
    owned = ("Square", "SinCos", "grad")
    steps = [s for s in recording.steps if s.kind == "call" and s.function not in owned and results_of(recording, s)]
    if not calls:
        return
    assert len(steps) == len(calls)
    for step, call in zip(steps, calls, strict=True):
        results = results_of(recording, step)
        for result, y in zip(results, call.results, strict=True):
            same(result.value, y)
            same(result.grad, y.grad)
        upstream = [y.grad for y in call.results]
        needing = [use for use in step.operands if use.step is not None]
        needing = [u for u in needing if recording.steps[u.step].status not in ("constant", "integer")]
        shares = call.shares(upstream)
        assert len(needing) == len(shares), step
        for use, share in zip(needing, shares, strict=True):
            same(use.contribution, share)
