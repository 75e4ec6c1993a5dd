"""``w.add_(d)``, ``h.mul_(2)``, ``w.copy_(v)``: PyTorch's in-place methods, for leaves, gradients and computed values.

Like ``w -= d`` inside ``no_grad``, each gives the Variable a new array and, where a gradient can flow, the step that
made it. Whatever was computed from the old array stays correct.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import Variable, as_variable, backprop_enabled, config, unwrap
from ..engine.errors import ELEMENT, DetachError
from ..engine.numpy_functions import requires
from ..engine.parts import check_kept, check_named, check_whole_value
from .arrays.indexing import put
from .arrays.shape import broadcast_to
from .elementwise.selection import where
from .networks.rectifiers import relu


def set_elements(x: Variable, index: Any, value: Any) -> None:
    """``x[index] = value``: give the Variable a new array and, where a gradient can flow, the step that made it.

    Whatever was computed from the old array stays correct. Outside `no_grad`, leaves that require a gradient are
    refused. So are parts of another value, which NumPy's assignment would change as well.
    """
    records, index = backprop_enabled(), unwrap(index)
    if records and x.node is not None and x.creator is None:
        raise DetachError(ELEMENT)
    check_whole_value(x, "Variable: x[...] = v")
    check_named(x, "Variable: x[...] = v")
    if records and (x.node is not None or getattr(value, "requires_grad", False)):
        new = put(x, value, index=index)
        x._data, x.node = new._data, new.node
    else:
        x.data = put(x.data, unwrap(value), index=index)


def _changing(name: str, change: Callable[..., Any]) -> Callable[..., Variable]:
    def method(x: Variable, *args: Any, **settings: Any) -> Variable:
        records, who = backprop_enabled(), f"Variable.{name}"
        if records and x.requires_grad and x.creator is None:
            call = f"with autolab.no_grad(): {x.name or 'w':.40}.{name}(...)"
            raise TypeError(f"{who}: the leaf requires a gradient; an update is written {call}")
        check_whole_value(x, who)
        check_kept(x, who)
        if records and requires([x, *args, *settings.values()]):
            new = broadcast_to(as_variable(change(x, *args, **settings)), x.shape).astype(x.dtype)
            x._data, x.node = new._data, new.node
        else:
            new = change(x.data, *map(unwrap, args), **{key: unwrap(value) for key, value in settings.items()})
            x.data = np.broadcast_to(unwrap(new), x.shape).astype(x.dtype)
        return x

    method.__name__, method.__doc__ = name, f"Like PyTorch's `{name}`; returns the Variable itself."
    return method


add_ = _changing("add_", lambda a, other, alpha=1: a + alpha * other)
sub_ = _changing("sub_", lambda a, other, alpha=1: a - alpha * other)
mul_ = _changing("mul_", lambda a, other: a * other)
div_ = _changing("div_", lambda a, other: a / other)
copy_ = _changing("copy_", lambda a, other: other)
fill_ = _changing("fill_", lambda a, value: value)
zero_ = _changing("zero_", lambda a: 0)
clamp_ = _changing("clamp_", lambda a, min=None, max=None: np.clip(a, min, max))
masked_fill_ = _changing("masked_fill_", lambda a, mask, value: where(unwrap(mask), value, a))
relu_ = _changing("relu_", relu)
scatter_ = _changing("scatter_", lambda a, *given, **named: as_variable(a).scatter(*given, **named))  # type: ignore
uniform_ = _changing("uniform_", lambda a, start=0.0, end=1.0: config.rng.uniform(start, end, a.shape))
normal_ = _changing("normal_", lambda a, mean=0.0, std=1.0: config.rng.normal(mean, std, a.shape))
