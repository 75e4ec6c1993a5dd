"""``torch.func``: AutoLab's transforms, for functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import transforms  # noqa: F401  # for table.txt
from ...transforms.trees import tree_map
from ..table import fill
from ._tensor import plain, result
from .autograd.functional import _seen


def _of_tensors(transform: Callable[..., Any], func: Callable[..., Any], *how: Any) -> Callable[..., Any]:
    made = transform(_seen(func), *how)
    return lambda *args: tree_map(result, made(*tree_map(plain, args)))


__getattr__ = fill(__name__)
