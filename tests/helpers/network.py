"""A network whose blocks repeat, for the tests of plans."""

from __future__ import annotations

import numpy as np

import autolab
from autolab import links as L
from autolab.recording import Recording

BLOCKS = 6


class Block(autolab.Link):
    """Two layers around which the value passes."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.up, self.down = L.Linear(size, 2 * size), L.Linear(2 * size, size)

    def forward(self, x: autolab.Variable) -> autolab.Variable:
        h = np.tanh(self.up(x))
        return x + self.down(h)


class Net(autolab.Link):
    """Blocks in a row, and a layer before and after them."""

    def __init__(self, size: int = 4, blocks: int = BLOCKS) -> None:
        super().__init__()
        self.inside, self.head = L.Linear(3, size), L.Linear(size, 2)
        self.blocks = L.ChainList(*[Block(size) for _ in range(blocks)])

    def forward(self, x: autolab.Variable) -> autolab.Variable:
        h = self.inside(x)
        for block in self.blocks:
            h = block(h)
        return (self.head(h) ** 2).sum()


def recorded(size: int = 4, blocks: int = BLOCKS) -> Recording:
    """A run of it."""
    return autolab.record(Net(size, blocks), np.ones((5, 3)))
