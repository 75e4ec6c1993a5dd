"""Runs lines of PyTorch code by the original and by the facade, and says where they differ."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

LINES = Path(__file__).with_name("torch_one_liners.txt")

_FLOATS: dict[str, Any] = {
    "x": [[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]],
    "y": [[1.1, 0.4, -0.6], [-2.0, 0.9, 1.3]],
    "p": [[0.2, 0.9, 0.45], [0.7, 0.1, 0.33]],
    "big": [[-200.0, 30.0, 3.0], [100.0, -0.5, 0.0]],
    "v": [0.4, -1.5, 2.2],
    "w": [1.5, 0.25, 3.0],
    "m": [[2.0, -1.0, 0.5], [0.3, 1.7, 0.8], [-0.6, 0.2, 1.4]],
    "s": [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]],
    "k": [[[0.1 * ((7 * i + 3 * j + 5 * r) % 11) - 0.4 for r in range(3)] for j in range(2)] for i in range(2)],
    "seq": [[[float(np.sin(1.7 * i + 0.9 * j + 0.37 * r)) for r in range(6)] for j in range(4)] for i in range(2)],
    "img": [
        [
            [[float(np.cos(1.3 * i + 2.1 * j + 0.7 * r + 0.31 * n)) for n in range(6)] for r in range(6)]
            for j in range(4)
        ]
        for i in range(2)
    ],
    "ker": [
        [[[float(np.sin(i + 2 * j + 3 * r + n)) for n in range(3)] for r in range(3)] for j in range(4)]
        for i in range(2)
    ],
    "c": 1.75,
}
_CONSTANTS: dict[str, tuple[str, Any]] = {
    "nan": ("float32", [[1.0, float("nan"), 3.0], [2.0, 0.5, -1.0]]),
    "wild": ("float32", [float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 1e30, -1e-30]),
    "d": ("float64", [[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]]),
    "h": ("float16", [[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]]),
    "i": ("int64", [[3, -2, 5], [0, 7, -4]]),
    "z": ("int64", [[1, 0, 2], [0, -3, 1]]),
    "t": ("int64", [2, 0]),
    "j": ("int32", [[3, -2, 5], [0, 7, -4]]),
    "u": ("uint8", [[250, 3, 7], [0, 200, 9]]),
    "i8": ("int8", [[100, -3, 7], [0, 120, 9]]),
    "b": ("bool", [[True, False, True], [False, False, True]]),
    "e": ("float32", [[], []]),
    "n0": ("float32", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
}


def lines() -> Iterator[tuple[str, str, bool]]:
    """Each line, what the error of the facade must contain if it is to refuse it, and whether PyTorch alone refuses."""
    for line in LINES.read_text("utf-8").splitlines():
        code, _, refused = line.removesuffix("  #+").partition("  #! ")
        if code.strip() and not code.startswith("#"):
            yield code, refused, line.endswith("  #+")


class Outcome:
    """What a computation gave: its results, and the gradients of leaves by name; or an error."""

    def __init__(self, torch: Any, leaves: dict[str, Any], compute: Callable[[], Any]) -> None:
        self.results: list[Any] = []
        self.gradients: dict[str, Any] = {}
        self.error: Exception | None = None
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found = list(_flat(compute()))
                tensors = [one for one in found if isinstance(one, torch.Tensor)]
                with_graph = [one for one in tensors if one.requires_grad and one.numel()]
                if with_graph:
                    torch.autograd.backward(with_graph, [_upstream(torch, one) for one in with_graph])
            self.results = [_told(torch, one) for one in found]
            self.gradients = {name: _told(torch, leaf.grad) for name, leaf in leaves.items() if leaf.grad is not None}
        except Exception as error:
            self.error = error


def of_line(torch: Any, code: str) -> Outcome:
    """What a line gives with one of the libraries."""
    leaves = {name: torch.tensor(given, requires_grad=True) for name, given in _FLOATS.items()}
    others = {name: torch.tensor(given, dtype=getattr(torch, kind)) for name, (kind, given) in _CONSTANTS.items()}
    names = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "np": np, **leaves, **others}
    names |= {"steps": partial(_steps, torch), "rates": partial(_rates, torch)}
    before, _, last = code.rpartition("; ")

    def compute() -> Any:
        exec(before, names)
        return eval(last, names)

    return Outcome(torch, leaves, compute)


def _steps(torch: Any, make: Callable[[Any], Any]) -> list[Any]:
    """Where an optimizer has gone with a curved function, after each of four steps."""
    x, places = torch.tensor([0.4, -1.5, 2.2], requires_grad=True), []
    optimizer = make([x])
    for _ in range(4):
        optimizer.zero_grad()
        (x**4 - x * 3).sum().backward()
        optimizer.step()
        places.append(x.detach().clone())
    return places


def _rates(torch: Any, make: Callable[[Any], Any]) -> list[float]:
    """The learning rates of six epochs."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    scheduler, rates = make(optimizer), []
    for _ in range(6):
        rates += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    return rates


def _upstream(torch: Any, one: Any) -> Any:
    """Numbers that differ from each other, so that gradients that are mixed up are seen."""
    count = one.numel()
    return torch.tensor([1.0 + 0.5 * (n % 5) - 2.0 * (n % 3) for n in range(count)]).reshape(one.shape).to(one.dtype)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _flat(one)
    elif isinstance(value, list | tuple) and not hasattr(value, "numel"):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _told(torch: Any, value: Any) -> Any:
    """A value as something that both libraries have: type, shape and numbers."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), np.array(value.detach().numpy())
    if isinstance(value, torch.Size):
        return "Size", tuple(value), None
    return type(value).__name__, repr(value) if not callable(value) else "", None


def difference(original: Outcome, facade: Outcome, floor: float = 1e-6) -> str:
    """How two outcomes differ; nothing where they are equal, ``raises ...`` where the facade alone refuses.

    Arrays whose elements are all below ``floor`` are compared as if they reached it.
    """
    if original.error is not None:
        return "" if facade.error is not None else f"PyTorch raises {original.error!r:.100}, the facade does not"
    if facade.error is not None:
        return f"raises {type(facade.error).__name__}: {facade.error}"
    if len(original.results) != len(facade.results):
        return f"{len(facade.results)} results, not {len(original.results)}"
    pairs = [("", *pair) for pair in zip(original.results, facade.results, strict=True)]
    if original.gradients.keys() != facade.gradients.keys():
        return f"gradients of {sorted(facade.gradients)}, not of {sorted(original.gradients)}"
    pairs += [(f"gradient of {n}: ", g, facade.gradients[n]) for n, g in original.gradients.items()]
    return "; ".join([said for what, a, b in pairs if (said := _apart(what, a, b, floor))])


def _apart(what: str, a: Any, b: Any, floor: float) -> str:
    if a[:2] != b[:2]:
        if a[0] == b[0] == "float" and np.isclose(float(a[1]), float(b[1]), rtol=1e-6, equal_nan=True):
            return ""
        return f"{what}{b[0]} {b[1]}, not {a[0]} {a[1]}"
    if a[2] is None or a[2].size == 0:
        return ""
    x, y = a[2], b[2]
    wide = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}.get(str(x.dtype), 0.0)
    finite = np.abs(x[np.isfinite(x)].astype(np.float64))
    least = wide * max(float(finite.max(initial=0.0)), floor)
    if not np.allclose(x.astype(np.float64), y.astype(np.float64), wide, least, equal_nan=True):
        return f"{what}{y.ravel()[:6].tolist()}, not {x.ravel()[:6].tolist()}"
    return ""
