"""Thirty programs: every value, gradient and share of a recording is JAX's own, computed without AutoLab."""

from __future__ import annotations

import pytest

jax = pytest.importorskip("jax", reason="needs JAX: make test-bridges")

import jax_programs as programs
import numpy as np
from jax import numpy as jnp

from autolab.bridges.jax import record
from autolab.recording import Recording, Step


def close(kept, array):
    assert kept.dtype == str(array.dtype)
    expected = np.asarray(array.astype(jnp.float32))
    eps = 5e-2 if array.dtype == jnp.bfloat16 else 3e-5
    np.testing.assert_allclose(kept.values, expected, rtol=eps, atol=eps * np.abs(expected).max(initial=0.0))


def is_float(array):
    return jnp.issubdtype(array.dtype, jnp.floating)


def test_there_are_thirty_programs():
    assert len(programs.PROGRAMS) >= 30


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_every_number_is_jaxs(name):
    fn, args = programs.PROGRAMS[name]
    recording = record(fn, *args)
    outputs = jax.tree_util.tree_leaves(fn(*args))
    for step, y in zip(recording.outputs, outputs, strict=True):
        close(recording.steps[step].value, y)
    gradients = jax.grad(
        lambda *a: sum(y.sum() for y in jax.tree_util.tree_leaves(fn(*a)) if is_float(y)), range(len(args))
    )
    for step, g in zip(recording.inputs, jax.tree_util.tree_leaves(gradients(*args)), strict=True):
        if recording.steps[step].grad is None:
            assert not g.any()
        else:
            close(recording.steps[step].grad, g)
    consistent(recording)


def consistent(recording: Recording):
    """What autodiff is: a value's gradient is the sum of its uses' shares, and what began there."""
    starts = dict(zip(recording.outputs, recording.upstream, strict=True))
    for step in recording.steps:
        if step.grad is None or step.kind == "constant":
            continue
        shares = [
            use.contribution.values.astype(float) for use in uses(recording, step) if use.contribution is not None
        ]
        start = starts.get(step.id)
        shares += [] if start is None else [start.values.astype(float)]
        total, size = sum(shares), max([float(np.abs(share).max(initial=0.0)) for share in shares])
        np.testing.assert_allclose(
            step.grad.values, total, rtol=1e-4, atol=1e-2 * size if "bfloat16" in step.grad.dtype else 1e-5 * size
        )


def uses(recording: Recording, of: Step):
    return [use for step in recording.steps for use in step.operands if use.step == of.id]


def summed(g: np.ndarray, shape: tuple[int, ...]):
    """A gradient of something that was broadcast from ``shape``."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 < g.shape[i]), keepdims=True)


SLOPES = {
    "sin": lambda g, x: [g * np.cos(x)],
    "tanh": lambda g, x: [g * (1 - np.tanh(x) ** 2)],
    "exp": lambda g, x: [g * np.exp(x)],
    "mul": lambda g, x, y: [g * y, g * x],
    "add": lambda g, x, y: [g, g],
    "sub": lambda g, x, y: [g, -g],
    "div": lambda g, x, y: [g / y, -g * x / y**2],
}


@pytest.mark.parametrize(
    "name", ["muladd", "numbers", "network", "recurrent", "reversed_loop", "branches", "attention"]
)
def test_the_shares_are_those_of_the_formulas(name):
    fn, args = programs.PROGRAMS[name]
    recording, seen = record(fn, *args), 0
    for step in recording.steps:
        if step.function in SLOPES and step.grad is not None:
            operands = [
                np.float64(use.constant) if use.step is None else recording.steps[use.step].value.values
                for use in step.operands
            ]
            expected = SLOPES[step.function](step.grad.values, *operands)
            for use, share in zip(step.operands, expected, strict=True):
                if use.contribution is not None:
                    share = summed(np.asarray(share), use.contribution.shape)
                    np.testing.assert_allclose(use.contribution.values, share, rtol=1e-4, atol=1e-6)
                    seen += 1
    assert seen > 3
