"""The state of a link, its parameters and buffers as arrays by name, and how it is loaded."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import Array, Parameter, as_array, get_array_module
from ..shared.state_layout import Slot, check_entry, check_names, is_handed_over

if TYPE_CHECKING:
    from .link import Link


def places(link: Link) -> Iterator[tuple[str, Any, str, Array | None]]:
    """Path, object, attribute and value of everything in the state; the value is None while it has no size."""
    for path, parameter in link.namedparams():
        yield path, parameter, "_data", parameter._data if parameter.is_initialized else None
    for prefix, owner in link.namedlinks():
        for name, kind in owner._kinds.items():
            if kind == "buffer":
                yield f"{prefix.rstrip('/')}/{name}", owner, name, owner.__dict__[name]


def state_layout(link: Link) -> dict[str, Slot]:
    """The shape and dtype of each entry that a state must have, by name."""
    found = {}
    for path, owner, _, before in places(link):
        if before is not None:
            found[path[1:]] = Slot(before.shape, np.dtype(before.dtype))
        else:
            found[path[1:]] = Slot(None, np.dtype(np.float32) if isinstance(owner, Parameter) else None, empty=True)
    return found


OWN_NAMES = {
    "weight": ("W", "gamma"),
    "bias": ("b", "beta"),
    "running_mean": ("avg_mean",),
    "running_var": ("avg_var",),
}
"""PyTorch's names of parameters and buffers -> AutoLab's."""


def own_name(wanted: Container[str], name: str) -> str:
    """AutoLab's name, ``fc1/W``, of a parameter or buffer that PyTorch calls ``fc1.weight``; other names stay."""
    name = name.lstrip("/")
    *path, last = name.split(".")
    own = ["/".join([*path, new]) for new in (last, *OWN_NAMES.get(last, ()))]
    return name if name in wanted else next((there for there in own if there in wanted), name)


_PARTS = {"self_attn.": "attention.", "linear1.": "wide.", "linear2.": "narrow.", "out_proj.": "out."}
_PACKED = re.compile(r"(.*?)(in_proj|(?:weight|bias)_(?:ih|hh))(?:_(weight|bias))?(?:_l(\d+)(_reverse)?)?")


def unpacked(wanted: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """A state in which the arrays that PyTorch's attention and recurrent layers pack into one are separate, as here.

    Where PyTorch's layer adds two biases and AutoLab's has only one, it is their sum.
    """
    links = {name[: place.start()] for name in wanted for place in re.finditer("/", name)}
    found: dict[str, Any] = {}
    for name, value in state.items():
        names = [name]
        for theirs, ours in _PARTS.items():
            names += [other.replace(theirs, ours) for other in names]
        name = next((n for n in names if n.rpartition(".")[0].replace(".", "/") in links), name)
        packed = None if own_name(wanted, name) in wanted else _PACKED.fullmatch(name)
        if packed is None:
            found[name] = value
            continue
        at, what, kind, layer, back = packed.groups()
        array = np.asarray(getattr(value, "array", value))
        if what == "in_proj":
            parts = zip(("query", "key", "value"), np.split(array, 3), strict=True)
            found |= {f"{at}{part}.{kind}": rows for part, rows in parts}
            continue
        kind, side = what.split("_")
        ways = 1 + (f"{at}weight_ih_l0_reverse" in state)
        cell = at if layer is None else f"{at}runs.{int(layer) * ways + bool(back)}.cell."
        has_gates = own_name(wanted, f"{cell}W_r.weight") in wanted
        for part, rows in zip(("_r", "_z", "_h"), np.split(array, 3), strict=True) if has_gates else [("", array)]:
            own = f"{cell}{'W' if side == 'ih' else 'U'}{part}.{kind}"
            own = own if own_name(wanted, own) in wanted else f"{cell}W{part}.{kind}"
            found[own] = found.get(own, 0) + rows
    return found


def in_own_names(wanted: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """A state of PyTorch's, under AutoLab's names."""
    counts = [name for name in state if name.rpartition(".")[2] == "num_batches_tracked"]
    kept = {name: state[name] for name in state if name not in counts or own_name(wanted, name) in wanted}
    return {own_name(wanted, name): getattr(value, "array", value) for name, value in unpacked(wanted, kept).items()}


def planned(link: Link, state: Mapping[str, Any]) -> list[tuple[Any, str, Array]]:
    """The assignments that load ``state`` into the link; raises before anything has changed."""
    who, wanted, own = f"{type(link).__name__}.load_state", state_layout(link), is_handed_over(state)
    if not wanted.keys() >= set(state):
        state = in_own_names(wanted, state)
    check_names(who, wanted, state)
    stores = []
    for path, owner, attribute, before in places(link):
        name = path[1:]
        value = state[name]
        array = None if value is None else as_array(value, who)
        check_entry(who, name, wanted[name], array)
        if array is not None:
            copy = array if own else array.copy()
            stores.append((owner, attribute, _fitted(f"{who}: {name!r:.100}", copy, owner, before)))
    return stores


def _fitted(what: str, value: Array, owner: Any, before: Array | None) -> Array:
    """``value`` converted to replace ``before``: to its dtype, on its device.

    A parameter that has no size yet takes the dtype of ``value``, but only a floating-point one; otherwise float32.
    """
    if before is None:
        whole = isinstance(owner, Parameter) and value.dtype.kind != "f"
        return value.astype(np.float32) if whole else value
    xp = get_array_module(before)
    with np.errstate(over="ignore"):  # the error below reports it
        fitted: Array = xp.asarray(value, dtype=before.dtype)
    if fitted.dtype != value.dtype and _is_lost(value, fitted):
        raise ValueError(f"{what} has numbers that are too large for {fitted.dtype}; nothing was loaded")
    return fitted


def _is_lost(value: Array, fitted: Array) -> bool:
    """Whether the conversion overflowed or changed an integer; rounding is no loss."""
    xp = get_array_module(fitted)
    given = xp.asarray(value)
    changed = xp.isinf(fitted) != xp.isinf(given) if fitted.dtype.kind == "f" else fitted != given
    return bool(changed.any())
