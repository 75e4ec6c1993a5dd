"""The libraries that are compared: the columns of the tables of `engine.py`.

A class imports its library when it is made; this module imports NumPy and little else, as the cold start counts it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from speed.library import Functional, Library, Run, WithArrays, count_reachable
from speed.rows import LIMIT, OURS


def muladd_of(base: Any) -> Callable[..., Any]:
    """A user's MulAdd on Chainer's `FunctionNode` or on AutoLab's: the same code works with both."""

    class MulAdd(base):  # type: ignore[misc]
        def forward(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            x, y, z = inputs
            self.retain_inputs((0, 1))
            w = x * y
            w += z
            return (w,)

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
            x, y = self.get_retained_inputs()
            (g,) = grad_outputs
            return g * y, g * x, g

    return lambda x, y, z: MulAdd().apply((x, y, z))[0]


class AutoLab(Library):
    name = "autolab"

    def __init__(self) -> None:
        import autolab
        import autolab.functions as F

        class Linear(autolab.FunctionNode):
            def forward(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
                self.retain_inputs((0, 1))
                return (inputs[0].dot(inputs[1].T),)

            def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
                x, w = self.get_retained_inputs()
                (g,) = grad_outputs
                return g @ w, g.T @ x

        self.lab = autolab
        self.take(F)
        self.muladd = muladd_of(autolab.FunctionNode)
        self._fused: dict[Any, Callable[..., Any]] = {}
        self.linear = F.linear
        self.own_linear = lambda x, w: Linear().apply((x, w))[0]

    def fused(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        if fn not in self._fused:  # no functools.cache: it counts its hits, which no compiled program does
            self._fused[fn] = self.lab.fuse(fn)
        return self._fused[fn]

    def gradcheck(self, fn: Callable[..., Any], leaves: Sequence[Any]) -> bool:
        from autolab.gradcheck import gradcheck

        return gradcheck(fn, tuple(leaves))

    def leaf(self, array: np.ndarray) -> Any:
        return self.lab.Variable(array)

    def constant(self, array: np.ndarray) -> Any:
        return self.lab.Variable(array, requires_grad=False)

    def differentiate(self, y: Any, x: Any, seed: Any) -> Any:
        return self.lab.grad(y, x, seed, create_graph=True)

    def nodes(self, y: Any) -> int | None:
        return count_reachable(y.node, lambda node: [p for p in node.parents if p.order])


class Compiled(AutoLab):
    """AutoLab with each training step compiled as a whole: forward, backward and update."""

    name = "compiled"

    def __init__(self) -> None:
        super().__init__()
        self._steps: dict[Any, Callable[..., Any]] = {}
        self._waiting: Any = None

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        return [run, leaves]

    def backward(self, tape: Any, seed: Any) -> None:
        self._waiting = tape, seed

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        self._done(rate)

    def clear(self, leaves: Sequence[Any]) -> None:
        self._done()
        super().clear(leaves)

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        self._done()
        return super().gradients(tape, leaves)

    def value(self, tape: Any) -> np.ndarray:
        self._done()
        return super().value(tape[2] if isinstance(tape, list) else tape)

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        if order not in self._steps:
            self._steps[order] = self.lab.compile(lambda x, seed: AutoLab.derivative(self, x, seed, order))
        return self._steps[order](x, seed)

    def _done(self, rate: float | None = None) -> None:
        if self._waiting is None:
            return
        (tape, seed), self._waiting = self._waiting, None
        run, leaves = tape
        key = id(run), rate
        if key not in self._steps:
            self._steps[key] = self.lab.compile(self._step(run, rate))
        tape.append(self._steps[key](leaves, seed))

    def _step(self, run: Run, rate: float | None) -> Callable[..., Any]:
        def step(leaves: Any, seed: Any) -> Any:
            y = run(leaves)
            y.backward(seed)
            if rate is not None:
                for v in leaves:
                    v.data -= rate * v.grad.data
            return y

        return step


class Torch(Library):
    name = "torch"

    def __init__(self) -> None:
        import torch

        class MulAdd(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any, y: Any, z: Any) -> Any:
                ctx.save_for_backward(x, y)
                return torch.mul(x, y).add_(z)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                x, y = ctx.saved_tensors
                return g * y, g * x, g

        class Linear(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any, w: Any) -> Any:
                ctx.save_for_backward(x, w)
                return x.mm(w.t())

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                x, w = ctx.saved_tensors
                return g.mm(w), g.t().mm(x)

        torch.set_num_threads(1)
        self.torch = torch
        self.take(torch)
        self.muladd = MulAdd.apply
        self.linear, self.own_linear = torch.nn.functional.linear, Linear.apply

    def gradcheck(self, fn: Callable[..., Any], leaves: Sequence[Any]) -> bool:
        return self.torch.autograd.gradcheck(fn, tuple(leaves))

    def leaf(self, array: np.ndarray) -> Any:
        return self.torch.tensor(array, requires_grad=True)

    def constant(self, array: np.ndarray) -> Any:
        return self.torch.tensor(array)

    def backward(self, tape: Any, seed: Any) -> None:
        tape.backward(seed)

    def value(self, tape: Any) -> np.ndarray:
        return tape.detach().numpy()

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [v.grad.numpy() for v in leaves]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        with self.torch.no_grad():
            for v in leaves:
                v.add_(v.grad, alpha=-rate)

    def clear(self, leaves: Sequence[Any]) -> None:
        for v in leaves:
            v.grad = None

    def differentiate(self, y: Any, x: Any, seed: Any) -> Any:
        return self.torch.autograd.grad(y, x, seed, create_graph=True)[0]

    def nodes(self, y: Any) -> int | None:
        return count_reachable(y.grad_fn, lambda node: [n for n, _ in node.next_functions if n and n.next_functions])


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
        self.take(F)
        self.muladd = lambda x, y, z: MulAdd()(x, y, z)

    def leaf(self, array: np.ndarray) -> Any:
        return self.dezero.Variable(array)

    constant = leaf

    def differentiate(self, y: Any, x: Any, seed: Any) -> Any:
        y.grad = seed
        y.backward(create_graph=True)
        found, x.grad = x.grad, None
        return found

    def nodes(self, y: Any) -> int | None:
        return count_reachable(y.creator, lambda f: [x.creator for x in f.inputs if x.creator is not None])


class Chainer(WithArrays):
    name = "chainer"

    def __init__(self) -> None:
        # Chainer 7.8.1 asks NumPy for a table that NumPy 2 dropped; its Protocol Buffers need the slow implementation.
        np.sctypes = {"int": [np.int8, np.int16, np.int32, np.int64], "float": [np.float16, np.float32, np.float64]}
        os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
        import chainer
        import chainer.functions as F

        self.chainer = chainer
        self.take(F)
        self.muladd = muladd_of(chainer.FunctionNode)

    def leaf(self, array: np.ndarray) -> Any:
        return self.chainer.Variable(array)

    def differentiate(self, y: Any, x: Any, seed: Any) -> Any:
        return self.chainer.grad([y], [x], [self.chainer.as_variable(seed)], enable_double_backprop=True)[0]

    def nodes(self, y: Any) -> int | None:
        made_by = lambda f: [x.creator_node for x in f.inputs if x.creator_node is not None]  # noqa: E731
        return count_reachable(y.creator_node, made_by)


class MyGrad(WithArrays):
    name = "mygrad"

    def __init__(self) -> None:
        import mygrad
        from mygrad.operation_base import Operation

        class MulAdd(Operation):
            def __call__(self, x: Any, y: Any, z: Any) -> np.ndarray:
                self.variables = x, y, z
                w = x.data * y.data
                w += z.data
                return w

            def backward_var(self, grad: np.ndarray, index: int, **kwargs: Any) -> np.ndarray:
                x, y, _ = self.variables
                return (grad * y.data, grad * x.data, grad)[index]

        self.take(mygrad)
        self.muladd = lambda x, y, z: mygrad.execute_op(MulAdd, x, y, z)
        self.leaf = mygrad.tensor  # type: ignore[method-assign]

    def backward(self, tape: Any, seed: Any) -> None:
        tape.backward(seed)

    def clear(self, leaves: Sequence[Any]) -> None:
        for v in leaves:
            v.null_grad()


class Autograd(Functional):
    name = "autograd"

    def __init__(self) -> None:
        import autograd
        import autograd.numpy as anp
        from autograd.extend import defvjp, primitive

        @primitive
        def muladd(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
            w = x * y
            w += z
            return w

        defvjp(
            muladd,
            lambda w, x, y, z: lambda g: g * y,
            lambda w, x, y, z: lambda g: g * x,
            lambda w, x, y, z: lambda g: g,
        )
        self.make_vjp, self.differentiate = autograd.make_vjp, autograd.elementwise_grad
        self.take(anp)
        self.muladd = muladd

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        pullback, value = self.make_vjp(run)(tuple(leaves))
        return [value, pullback, ()]

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        f = self.tanh
        for _ in range(order):
            f = self.differentiate(f)
        return [f(x)]


class NumPy(Functional):
    """No library: the programs that `workloads.py` writes by hand."""

    name = "numpy"
    by_hand = True

    @staticmethod
    def muladd(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Any:
        w = x * y
        w += z
        return w, lambda g: (g * y, g * x, g)


class Limit(NumPy):
    """The products that a workload lists, with none of what is between them."""

    name = LIMIT


OURSELVES = Compiled if Compiled.name == OURS else AutoLab
_ENTRANTS = OURSELVES, Torch, DeZero, Chainer, MyGrad, Autograd, NumPy, Limit
LIBRARIES: dict[str, type[Library]] = {entrant.name: entrant for entrant in _ENTRANTS}
