"""What the tables of bad inputs are made of: calls that must be refused, and what is looked at afterwards."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.engine.modes import modes
from helpers.state import leaked_state


class World:
    """What the calls work on: a vector, a number, a matrix, all leaves with gradients, and a value made from them."""

    def __init__(self) -> None:
        self.x = Variable([1.0, 2.0, 3.0], name="x")
        self.s = Variable(2.0, name="s")
        self.m = Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name="m")
        self.c = Variable([1.0, 2.0, 3.0], requires_grad=False)
        self.array = np.array([1.0, 2.0, 3.0])
        F.sum(self.x * self.s + self.m).backward()
        self.y = F.tanh(self.x * self.s)

    def state(self) -> list[Any]:
        """Everything that an error must leave as it was."""
        found: list[Any] = [self.array.tobytes(), pickle.dumps(autolab.config.rng.bit_generator.state), leaked_state()]
        found += [autolab.config.train, autolab.config.enable_backprop, modes().hooks]
        for v in (self.x, self.s, self.m, self.c, self.y):
            grad = None if v.grad is None else v.grad.data.tobytes()
            found.append((v.name, v.shape, v.dtype, v.data.tobytes(), id(v.data), v.node, v.requires_grad, grad))
        return found


@dataclass(frozen=True)
class Refusal:
    """A call that raises ``error``, with a message that holds all the words.

    ``function`` and ``argument`` say where, ``got`` what came, ``expected`` what to do about it.
    """

    call: Callable[[World], Any]
    error: type[BaseException]
    function: str
    argument: str
    got: str
    expected: str

    @property
    def words(self) -> tuple[str, ...]:
        return self.function, self.argument, self.got, self.expected
