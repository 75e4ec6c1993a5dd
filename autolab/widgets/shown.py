"""What a heatmap shows: named arrays, with the gradients of those that are Variables, read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..display.escape import clean
from ..display.heat import Heat
from ..engine.backend import as_array, check_real
from ..engine.variable import Variable

MAX_ARRAYS = 12


@dataclass(frozen=True, eq=False)
class Shown:
    """A name, and the array or the Variable that it stands for."""

    name: str
    source: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as it is now; that of an array of no elements for a parameter without a size."""
        data = self.source.array if isinstance(self.source, Variable) else self.source
        return (0,) if data is None else tuple(data.shape)

    def offers(self, which: str) -> bool:
        """Whether it is to be asked for that: an array has no gradient to speak of."""
        return which == "value" or isinstance(self.source, Variable)

    def read(self, which: str) -> Heat | None:
        """The value or the gradient as it is now; None where there is none."""
        found = self.source
        if isinstance(found, Variable):
            found = found.grad if which == "gradient" else found
            return None if found is None or found.array is None else Heat(found.array)
        return None if which == "gradient" else Heat(found)


def gather(arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Shown]:
    """Everything that is to be shown, with its name.

    Raises
    ------
    TypeError
        If something is no array of real numbers.
    ValueError
        If there is nothing, or too much.
    """
    found: list[Shown] = []
    for given in arrays:
        if isinstance(given, Mapping):
            found += [_shown(str(name), value) for name, value in given.items()]
        else:
            found.append(_shown(getattr(given, "name", None) or f"array {len(found) + 1}", given))
    found += [_shown(name, value) for name, value in named.items()]
    if not 1 <= len(found) <= MAX_ARRAYS:
        raise ValueError(f"heatmap: got {len(found)} arrays; expected 1 to {MAX_ARRAYS}")
    return [Shown("array", found[0].source)] if [shown.name for shown in found] == ["array 1"] else found


def _shown(name: str, value: Any) -> Shown:
    if isinstance(value, Variable):
        return Shown(clean(name), value)
    what = f"heatmap: {clean(name, 60)}"
    return Shown(clean(name), check_real(as_array(value, what), what))
