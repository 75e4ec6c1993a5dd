"""``chainerx`` as Chainer has it without its extension: programs ask whether it is there, and go on without it."""

from __future__ import annotations

from typing import Any

__all__ = ["is_available", "ndarray"]


def is_available() -> bool:
    """Always False: there are NumPy and CuPy, but no ChainerX."""
    return False


class ndarray:
    """The type of ChainerX's arrays: nothing is an instance."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        raise RuntimeError("chainerx is not available here: use NumPy, or CuPy on a GPU")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"chainerx.{name}: ChainerX is not available, as chainerx.is_available() says")
