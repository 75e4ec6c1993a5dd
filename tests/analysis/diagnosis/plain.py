"""Runs programs of the table without `diagnose`: once, or as a training that should lower the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import Link, config, optimizers
from diagnosis.case import Case
from diagnosis.state import state_of


def seed(case: Case) -> None:
    """Every program draws the same numbers each time."""
    np.random.seed(0)
    config.rng = np.random.default_rng(0)
    if case.library == "torch":
        import torch

        torch.manual_seed(0)


def made(case: Case) -> tuple[Any, ...]:
    """``fn, *args``."""
    seed(case)
    return case.make()


def run(case: Case) -> bool:
    """Run the program as its author does: one forward and backward, or its steps. Says if all is finite at the end."""
    fn, *args = made(case)
    loss: Any = None
    for _ in range(case.steps or 1):
        loss = fn(*args)
        if case.steps is None and case.library == "jax" and case.learns:
            args.append(_gradients(fn, args))
        elif case.steps is None and case.learns:
            loss.backward()
    numbers = [v for v in state_of([loss, *args]).values() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    return all([np.isfinite(v).all() for v in numbers])


def learned(case: Case, times: int = 60) -> tuple[float, float]:
    """The losses before and after a training."""
    fn, *args = made(case)
    step = (lambda: fn(*args)) if case.steps else _TRAININGS[case.library](fn, args)
    losses = [float(step()) for _ in range(times)]
    return losses[0], min(losses[-5:])


def _torch(fn: Callable[..., Any], args: list[Any]) -> Callable[[], Any]:
    import torch

    held = [p for a in args if isinstance(a, torch.nn.Module) for p in a.parameters() if p.requires_grad]
    held += [a for a in args if isinstance(a, torch.nn.Parameter)]
    held += [a for a in args if isinstance(a, torch.Tensor) and a.is_leaf and a.requires_grad]
    optimizer = torch.optim.Adam(held, lr=0.01)

    def step() -> Any:
        optimizer.zero_grad()
        loss = fn(*args)
        loss.backward()
        optimizer.step()
        return loss

    return step


def _autolab(fn: Callable[..., Any], args: list[Any]) -> Callable[[], Any]:
    fn(*args)  # sizes that come from the first input
    held = optimizers.Adam([p for a in args if isinstance(a, Link) for p in a.params()], lr=0.01)

    def step() -> Any:
        held.zero_grad()
        loss = fn(*args)
        loss.backward()
        held.step()
        return loss

    return step


def _gradients(fn: Callable[..., Any], args: list[Any]) -> Any:
    import jax

    return jax.grad(fn)(*args)


def _jax(fn: Callable[..., Any], args: list[Any]) -> Callable[[], Any]:
    import jax

    state: dict[str, Any] = {"params": args[0], "size": jax.tree.map(lambda p: 0 * p, args[0])}
    gradients = jax.jit(jax.value_and_grad(fn))

    def step() -> Any:  # RMSprop
        loss, grads = gradients(state["params"], *args[1:])
        state["size"] = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g * g, state["size"], grads)
        state["params"] = jax.tree.map(
            lambda p, g, s: p - 0.01 * g / (s**0.5 + 1e-8), state["params"], grads, state["size"]
        )
        return loss

    return step


_TRAININGS = {"torch": _torch, "autolab": _autolab, "jax": _jax}
