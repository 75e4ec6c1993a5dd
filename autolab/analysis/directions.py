"""The two directions of a loss surface."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .loss_space import CALLER, Space, joined

Chosen = Literal["axes", "random", "path", "given"]


def directions_of(space: Space, given: Any, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if given is None:
        given = "axes" if space.start.size == 2 else "path" if len(way) > 2 else "random"
    if isinstance(given, str):
        return _named(space, given, way, seed)
    if not isinstance(given, list | tuple) or len(given) != 2 or all([isinstance(one, int | float) for one in given]):
        expected = "'axes', 'random', 'path' or a pair of arrays or structures"
        told = f"how far to go round a point is said by span: {CALLER}(f, (0.0, 0.0), span=2)"
        raise TypeError(f"{CALLER}: directions is {given!r:.60}; expected {expected}; {told}")
    first, second = (space.flat(one, f"direction {i}") for i, one in enumerate(given, 1))
    return "given", *_apart(first, second)


def _named(space: Space, kind: str, way: list[np.ndarray], seed: int) -> tuple[Chosen, np.ndarray, np.ndarray]:
    if kind == "axes":
        if space.start.size != 2:
            raise ValueError(f"{CALLER}: directions is 'axes', but params holds {space.start.size} numbers and not 2")
        return "axes", np.array([1.0, 0.0]), np.array([0.0, 1.0])
    if kind == "path":
        if len(way) < 3:
            raise ValueError(f"{CALLER}: directions is 'path', but the path has {len(way)} points; it needs 3")
        axes = np.linalg.svd(np.stack(way) - space.start, full_matrices=False)[2]
        return "path", axes[0], axes[1]
    if kind == "random":
        rng = np.random.default_rng(seed)
        first, second = (_normalised(space, rng.normal(size=space.start.size)) for _ in range(2))
        return "random", *_apart(first, second)
    raise ValueError(f"{CALLER}: directions is {kind!r:.60}; expected 'axes', 'random', 'path' or a pair")


def _normalised(space: Space, flat: np.ndarray) -> np.ndarray:
    """A direction with each row scaled to the norm of the parameter's own row; a one-dimensional array is one row."""
    scaled = []
    for part, own in zip(space.parts(flat), space.parts(space.start), strict=True):
        rows = part.reshape(len(part), -1) if part.ndim > 1 else part.reshape(1, -1)
        size = np.linalg.norm(own.reshape(rows.shape), axis=1, keepdims=True)
        norm = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled.append(rows * size / np.where(norm > 0, norm, 1.0))
    return joined(scaled)


def _apart(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    if not lengths > 0 or abs(first @ second) > (1 - 1e-9) * lengths:
        raise ValueError(f"{CALLER}: the two directions span no plane: one is zero, or both are parallel")
    return first, second
