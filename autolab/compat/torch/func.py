"""``torch.func``: AutoLab's transforms, for functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import transforms
from ...links.func import functional_call as _functional_call  # noqa: F401  # for table.txt
from ...transforms.trees import tree_map
from ..table import fill
from ._tensor import result
from .autograd.functional import _seen


def _of_tensors(transform: Callable[..., Any], func: Callable[..., Any], *how: Any) -> Callable[..., Any]:
    made = transform(_seen(func), *how)
    return lambda *args: tree_map(result, made(*args))


def _gradient_first(func: Callable[..., Any], *how: Any) -> Callable[..., Any]:
    made = transforms.value_and_grad(func, *how)
    return lambda *args: made(*args)[::-1]


def _pulling(value: Any, pull: Callable[..., Any], *others: Any) -> tuple[Any, ...]:
    return tree_map(result, value), lambda *given: tree_map(result, pull(*given)), *tree_map(result, others)


__getattr__ = fill(__name__)
