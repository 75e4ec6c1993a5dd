"""A random generator whose draws are recorded on a tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from .call_tape import CallTape
from .references import plain

_IN_PLACE = ("shuffle", "spawn")


def _noted(name: str) -> Callable[..., Any]:
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        found = getattr(np.random.Generator(self.bit_generator), name)(*plain(args), **plain(options))
        tape: CallTape = self.tape
        if name in _IN_PLACE or options.get("out") is not None:
            tape.refuse(f"it calls {name} of a generator, which writes into an array")
            return found
        if not isinstance(found, np.ndarray):
            tape.refuse(f"it draws a number for Python: {name}")
            return found
        return tape.draw(name, found, args, options)

    return draw


class RecordedGenerator(np.random.Generator):
    """``config.rng`` while a function is traced: it draws from the same bit generator."""

    tape: CallTape

    @classmethod
    def of(cls, rng: np.random.Generator, tape: CallTape) -> Self:
        made = cls(rng.bit_generator)
        made.tape = tape
        return made


for _name in dir(np.random.Generator):
    if _name[0] != "_" and callable(getattr(np.random.Generator, _name)):
        setattr(RecordedGenerator, _name, _noted(_name))
