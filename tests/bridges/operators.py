"""Runs the samples with which PyTorch tests its own operators, by the original and by the facade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Any

import torch
from one_liners import Outcome, difference
from torch.testing._internal.common_methods_invocations import op_db

from autolab.compat import torch as facade

_EACH, _LARGEST = 6, 500
"""So many samples of an operator are run, with tensors of so many elements."""

_RANDOM = {"bernoulli", "multinomial", "normal", "rand_like", "randn_like", "randint_like", "rand", "randn", "randint"}
_RANDOM |= {"randperm", "cauchy", "exponential", "geometric", "log_normal", "uniform", "nn.functional.dropout"}
_RANDOM |= {"nn.functional.dropout2d"}
_UNFILLED = {"empty", "empty_like", "new_empty"}
_NOT_UNIQUE = {"sort", "argsort", "topk", "msort", "linalg.eigh", "linalg.svd", "linalg.lstsq"}
_OTHER_ORDER = {"where"}
"""Operators whose samples are in another order than the arguments."""

_ROUNDED = {"nn.functional.hardsigmoid"}
"""Operators whose gradients PyTorch computes with a sixth in single precision."""

_LEFT_OUT = _RANDOM | _UNFILLED | _NOT_UNIQUE | _OTHER_ORDER | _ROUNDED


class NotThere(Exception):
    """The facade has no such tensors."""


@dataclass(frozen=True)
class Sample:
    """A call of an operator as a function, or as a method of its first argument, also one that works in place."""

    name: str
    original: Callable[..., Any]
    facade: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        shown = _mapped((self.args, self.kwargs), lambda x: f"{tuple(x.shape)}")
        return f"{self.name} {shown[0]} {shown[1]}"


def samples(dtype: str) -> Iterator[Sample]:
    """The samples of all operators that the facade has, with tensors of one dtype."""
    kind = getattr(torch, dtype)
    for operator in op_db:
        if operator.name in _LEFT_OUT or not operator.supports_dtype(kind, "cpu"):
            continue
        calls = list(_calls(operator))
        grad = operator.supports_autograd and kind.is_floating_point
        torch.manual_seed(0)
        for sample in islice(operator.sample_inputs("cpu", kind, requires_grad=grad), _EACH if calls else 0):
            args, sizes = (sample.input, *sample.args), []
            _mapped((args, sample.kwargs), lambda x: sizes.append(x.numel()))  # noqa: B023
            is_due = max(sizes, default=0) <= _LARGEST and not sample.kwargs.get("dropout_p")  # which draws
            for name, original, ours in calls if is_due else ():
                yield Sample(name, original, ours, args, sample.kwargs)


def _calls(operator: Any) -> Iterator[tuple[str, Any, Any]]:
    with suppress(AttributeError):  # which names it: other tests see to that
        yield operator.name, operator.op, reduce(getattr, operator.name.split("."), facade)
    method = operator.method_variant
    if method is not None and hasattr(facade.Tensor, method.__name__):
        yield f"Tensor.{method.__name__}", method, getattr(facade.Tensor, method.__name__)
    change = operator.inplace_variant
    name = getattr(change, "__name__", "")
    if name and hasattr(facade.Tensor, name):
        yield f"Tensor.{name}", _on_copy(change), _on_copy(getattr(facade.Tensor, name))


def _on_copy(change: Callable[..., Any]) -> Callable[..., Any]:
    """A method that works in place, on a copy: PyTorch refuses to change a leaf."""
    return lambda x, *args, **kwargs: change(x.clone(), *args, **kwargs)


def judged(sample: Sample) -> str:
    """``equal``, ``refused``, or how they differ."""
    original = _outcome(torch, sample.original, sample, lambda x: x.detach().clone().requires_grad_(x.requires_grad))
    if original.error is not None:
        return "refused"
    ours = _outcome(facade, sample.facade, sample, _ours)
    return "refused" if ours.error is not None else difference(original, ours, floor=1e-2) or "equal"


def _outcome(library: Any, call: Callable[..., Any], sample: Sample, convert: Callable[[Any], Any]) -> Outcome:
    leaves: dict[str, Any] = {}

    def leaf(x: Any) -> Any:
        return leaves.setdefault(f"tensor {len(leaves)}", convert(x))

    def compute() -> Any:
        args, kwargs = _mapped((sample.args, sample.kwargs), leaf, library)
        return call(*args, **kwargs)

    return Outcome(library, leaves, compute)


def _ours(x: Any) -> Any:
    if x.is_complex() or x.layout is not torch.strided or not hasattr(facade, str(x.dtype).removeprefix("torch.")):
        raise NotThere
    y = facade.tensor(x.detach().numpy(), dtype=_named(x.dtype, facade))
    return y.requires_grad_() if x.requires_grad else y


def _named(x: Any, library: Any) -> Any:
    return getattr(library, str(x).removeprefix("torch."))


def _mapped(value: Any, convert: Callable[[Any], Any], library: Any = torch) -> Any:
    """The same structure with every tensor converted, and dtypes as the library has them."""
    if isinstance(value, torch.Tensor):
        return convert(value)
    if isinstance(value, torch.dtype):
        return _named(value, library)
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)([_mapped(one, convert, library) for one in value])
    if isinstance(value, dict):
        return {name: _mapped(one, convert, library) for name, one in value.items()}
    return value
