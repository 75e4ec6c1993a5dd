"""Chainer and DeZero, which was made after it: a variable knows the function that made it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from speed.library import Library, count_reachable, muladd_of


class DeZero(Library):
    name = "dezero"

    def __init__(self) -> None:
        np.int = int  # type: ignore[attr-defined]  # dezero still uses the name that NumPy 1.24 dropped
        import dezero
        import dezero.functions as F

        class MulAdd(dezero.Function):
            def forward(self, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
                w = x * y
                w += z
                return w

            def backward(self, g: Any) -> tuple[Any, ...]:
                x, y, _ = self.inputs
                return g * y, g * x, g

        self.dezero = dezero
        self.exp, self.log, self.tanh, self.sum, self.matmul = F.exp, F.log, F.tanh, F.sum, F.matmul
        self.muladd = lambda x, y, z: MulAdd()(x, y, z)

    def leaf(self, array: np.ndarray) -> Any:
        return self.dezero.Variable(array)

    constant = leaf

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        y = self.tanh(x)
        for _ in range(order):
            y.grad = seed
            y.backward(create_graph=True)
            y, x.grad = x.grad, None
        return y

    def nodes(self, y: Any) -> int | None:
        return count_reachable(y.creator, lambda f: [x.creator for x in f.inputs if x.creator is not None])


class Chainer(Library):
    name = "chainer"

    def __init__(self) -> None:
        # Chainer 7.8.1 asks NumPy for a table that NumPy 2 dropped; its Protocol Buffers need the slow implementation.
        np.sctypes = {"int": [np.int8, np.int16, np.int32, np.int64], "float": [np.float16, np.float32, np.float64]}
        os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
        import chainer
        import chainer.functions as F

        self.chainer = chainer
        self.exp, self.log, self.tanh, self.sum, self.matmul = F.exp, F.log, F.tanh, F.sum, F.matmul
        self.muladd = muladd_of(chainer.FunctionNode)

    def leaf(self, array: np.ndarray) -> Any:
        return self.chainer.Variable(array)

    def constant(self, array: np.ndarray) -> Any:
        return array

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [v.grad for v in leaves]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        for v in leaves:
            v.array -= rate * v.grad

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        y, seed = self.tanh(x), self.chainer.as_variable(seed)
        for _ in range(order):
            (y,) = self.chainer.grad([y], [x], [seed], enable_double_backprop=True)
        return y

    def nodes(self, y: Any) -> int | None:
        made_by = lambda f: [x.creator_node for x in f.inputs if x.creator_node is not None]  # noqa: E731
        return count_reachable(y.creator_node, made_by)
