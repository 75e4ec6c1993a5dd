"""What a diagnosis must leave as it was: parameters, buffers, gradients, modes, optimizers, data, generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autolab import Link, Variable, config
from autolab.optimizers import Optimizer

State = dict[str, Any]


def state_of(args: list[Any]) -> State:
    """Copies of everything by name."""
    found = {"NumPy's generator": str(np.random.get_state()), "config.rng": str(config.rng.bit_generator.state)}
    for i, arg in enumerate(args):
        found |= {f"{type(arg).__name__} {i}{name}": _copy(value) for name, value in _parts(arg)}
    return found


def differences(before: State, after: State) -> list[str]:
    """The names of what changed."""
    names = {*before, *after}
    return sorted(n for n in names if n not in before or n not in after or not _same(before[n], after[n]))


def _parts(arg: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(arg, Variable):
        yield from (("", arg.array), (".grad", None if arg.grad is None else arg.grad.array))
    elif isinstance(arg, Link):
        for name, parameter in arg.namedparams():
            yield from ((name + part, value) for part, value in _parts(parameter))
    elif isinstance(arg, Optimizer):
        yield ".t", arg.t
    elif isinstance(arg, np.ndarray):
        yield "", arg
    elif isinstance(arg, dict):
        for key, value in arg.items():
            yield from ((f"[{key!r}]{part}", inner) for part, inner in _parts(value))
    elif isinstance(arg, list | tuple):
        yield from _parts(dict(enumerate(arg)))
    elif type(arg).__module__.startswith("torch") or hasattr(arg, "named_parameters"):
        yield from _torch_parts(arg)
    elif hasattr(arg, "__array__"):
        yield "", np.asarray(arg)


def _torch_parts(arg: Any) -> Iterator[tuple[str, Any]]:
    import torch

    yield " PyTorch's generator", torch.get_rng_state().numpy()
    if isinstance(arg, torch.Tensor):
        yield from (("", arg.detach().numpy()), (".grad", None if arg.grad is None else arg.grad.numpy()))
    elif isinstance(arg, torch.nn.Module):
        for name, value in (*arg.named_parameters(), *arg.named_buffers()):
            yield from ((f".{name}{part}", inner) for part, inner in _torch_parts(value))
            yield f".{name} requires_grad", value.requires_grad
        for name, module in arg.named_modules():
            yield f".{name} training", module.training
    elif isinstance(arg, torch.optim.Optimizer):
        yield " state", str(arg.state_dict())
        yield " holds", [id(p) for group in arg.param_groups for p in group["params"]]


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return type(a) is type(b) and a == b
