"""The figures of PyTorch for the calls of `torch_calls`: one file, in the order of the calls."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from .torch_calls import lines

FILE = Path(__file__).parents[1] / "compat" / "torch_figures.npz"
Outcome = list[tuple[str, np.ndarray]] | str


def save(found: dict[str, Outcome]) -> None:
    """Write what the calls gave; numbers in single precision, which is as much as is compared."""
    given = [one for one in found.values() if not isinstance(one, str)]
    kinds = {one: n for n, one in enumerate(sorted({_kind(result) for one in given for result in one}))}
    arrays = [result[1].ravel() for one in given for result in one]
    np.savez_compressed(
        FILE,
        calls=np.frombuffer(_digest(found).encode(), np.uint8),
        counts=np.array([0 if isinstance(one, str) else 1 + len(one) for one in found.values()], np.uint8),
        kinds=np.array(list(kinds)),
        places=np.array([kinds[_kind(result)] for one in given for result in one], np.uint16),
        numbers=np.concatenate(arrays).astype(np.float32),
    )


def load() -> dict[str, Outcome]:
    """What each call gives in PyTorch; the name of an error is not kept."""
    with np.load(FILE) as file:
        calls, counts, kinds, places, numbers = [
            file[name] for name in ("calls", "counts", "kinds", "places", "numbers")
        ]
    found: dict[str, Outcome] = dict.fromkeys(lines(), "an error")
    assert bytes(calls).decode() == _digest(found), "the calls have changed: run tests/bridges/torch_figures.py"
    result, number = 0, 0
    for line, count in zip(found, counts.tolist(), strict=True):
        results = []
        for _ in range(count - 1):
            dtype, *shape = str(kinds[places[result]]).split()
            size = int(np.prod([int(n) for n in shape]))
            results.append((dtype, numbers[number : number + size].astype(np.float64).reshape([int(n) for n in shape])))
            result, number = result + 1, number + size
        if count:
            found[line] = results
    return found


def _kind(result: tuple[str, np.ndarray]) -> str:
    return " ".join([result[0], *map(str, result[1].shape)])


def _digest(calls: dict[str, Outcome]) -> str:
    return hashlib.sha256("\n".join(calls).encode()).hexdigest()
