"""The arrays that `heatmap` was given, by their names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ...engine import Variable, as_array, check_real
from ...recording.model import Snapshot
from ...recording.positions import found_at
from ..draw import clean
from ..draw.heatmap_data import Heat

MAX_ARRAYS = 12

Letters = Mapping[str, str]
"""For some arrays, by name: one letter per axis."""


@dataclass(frozen=True, eq=False)
class NamedArray:
    """An array or a Variable with its name."""

    name: str
    source: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The current shape; that of an empty array for a parameter that has no shape yet."""
        data = self.source.data if isinstance(self.source, Variable) else self.source
        return (0,) if data is None else tuple(data.shape)

    def offers(self, which: str) -> bool:
        """Whether ``which`` applies: a plain array has no gradient."""
        return which == "value" or isinstance(self.source, Variable)

    def read(self, which: str) -> Heat | None:
        """The current value or gradient; None if there is none."""
        found = self.source
        if isinstance(found, Variable):
            found = found.grad if which == "gradient" else found
            return None if found is None or found.data is None else Heat(found.data)
        return None if which == "gradient" else Heat(found)


def gather(arrays: tuple[Any, ...], named: Mapping[str, Any], caller: FrameType | None = None) -> list[NamedArray]:
    """Everything that is to be shown, with its name: its own, or else the expression in the call of ``caller``.

    Raises
    ------
    TypeError
        If an argument is not an array of real numbers.
    ValueError
        If there are no arrays, or too many.
    """
    found: list[NamedArray] = []
    for given, written in zip(arrays, _written(caller, len(arrays)), strict=True):
        if isinstance(given, Mapping):
            found += [_named(str(name), value) for name, value in given.items()]
        else:
            found.append(_named(getattr(given, "name", None) or written or f"array {len(found) + 1}", given))
    found += [_named(name, value) for name, value in named.items()]
    if not 1 <= len(found) <= MAX_ARRAYS:
        raise ValueError(f"heatmap: got {len(found)} arrays; expected 1 to {MAX_ARRAYS}")
    return [NamedArray("array", found[0].source)] if [entry.name for entry in found] == ["array 1"] else found


def _written(caller: FrameType | None, count: int) -> list[str | None]:
    """The names of the arrays in the source of the call, such as ``W`` or ``net.W``; None for any other expression."""
    node = getattr(None if caller is None else found_at(caller), "node", None)
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("heatmap"):
        return [None] * count
    texts = [ast.unparse(one) for one in node.args]
    is_each = len(texts) == count and not any([text.startswith("*") for text in texts])
    return [text if text.replace(".", "").isidentifier() else None for text in texts] if is_each else [None] * count


def _named(name: str, value: Any) -> NamedArray:
    if isinstance(value, Variable):
        return NamedArray(clean(name), value)
    what = f"heatmap: {clean(name, 60)}"
    if isinstance(value, Snapshot):
        if not value.is_whole:
            raise TypeError(f"{what}: the recording kept {value.shape} reduced; record with a larger budget of bytes")
        value = value.values
    return NamedArray(clean(name), check_real(as_array(value, what), what))


def check_axes(axes: Letters, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Check that axes with the same letter have the same length."""
    lengths: dict[str, int] = {}
    for name, letters in axes.items():
        shape = shapes.get(name)
        if shape is None:
            raise ValueError(f"heatmap: axes names {name!r:.60}; the arrays are {', '.join(shapes):.150}")
        if not isinstance(letters, str) or len(letters) != len(shape):
            raise ValueError(f"heatmap: axes of {name:.60} are {letters!r:.40}; expected a letter for each of {shape}")
        for letter, length in zip(letters, shape, strict=True):
            if lengths.setdefault(letter, length) != length:
                raise ValueError(
                    f"heatmap: axis {letter!r} of {name:.60} has length {length}; elsewhere {lengths[letter]}"
                )
