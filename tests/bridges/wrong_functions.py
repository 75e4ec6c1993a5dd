"""Functions with a wrong backward, as people write them, and the kind of finding that names each; None: only caught."""

from __future__ import annotations

from typing import Any

import torch

WRONG: dict[str, tuple[type, tuple[Any, ...], str | None]] = {}


def wrong(kind: str | None, *args: Any) -> Any:
    def register(cls: type) -> type:
        WRONG[cls.__name__] = cls, args, kind
        return cls

    return register


x, y = torch.tensor([0.5, -1.2, 2.0, 0.7]), torch.tensor([1.5, 0.3, -0.8, 2.2])
matrix, other = torch.arange(6.0).reshape(2, 3).sin() + 2, torch.arange(12.0).reshape(3, 4).cos()
square = (torch.arange(9.0) * 1.7).sin().reshape(3, 3)


class Function(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)


@wrong("wrong_sign", x)
class Cosine(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return torch.cos(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * torch.sin(ctx.saved_tensors[0])


@wrong("wrong_factor", x)
class Square(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.saved_tensors[0]


@wrong("upstream_ignored", x)
class Exponential(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return torch.exp(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return torch.exp(ctx.saved_tensors[0])


@wrong("swapped_inputs", x, y)
class Product(Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x * x * y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * x * x, g * 2 * x * y


@wrong("missing_dependency", x, y)
class Scaled(Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return torch.tanh(x) * y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y * (1 - torch.tanh(x) ** 2), None


@wrong("missing_term", x)
class Damped(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return torch.sin(x) * torch.exp(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * torch.cos(x) * torch.exp(x)


@wrong("wrong_function", x)
class Chained(Function):
    """The derivative of the inner square is forgotten."""

    @staticmethod
    def forward(x: Any) -> Any:
        return torch.sin(x**2)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * torch.cos(ctx.saved_tensors[0] ** 2)


@wrong("local_error", torch.tensor([0.5, -1.2, 2.0, -0.7, 1.1, -2.0]))
class LeakyRelu(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return torch.where(x > 0, x, 0.1 * x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * (ctx.saved_tensors[0] > 0)


@wrong("rearranged", square)
class Transposed(Function):
    @staticmethod
    def forward(a: Any) -> Any:
        return a.T * torch.arange(1.0, 10.0, dtype=a.dtype).reshape(3, 3)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * torch.arange(1.0, 10.0, dtype=g.dtype).reshape(3, 3)


@wrong("wrong_shape", matrix, other)
class MatrixProduct(Function):
    @staticmethod
    def forward(a: Any, b: Any) -> Any:
        return a @ b

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        a, b = ctx.saved_tensors
        return (g @ b.T).T, a.T @ g


@wrong("wrong_shape", x, y)
class TooFew(Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


@wrong("inplace", x)
class ChangesUpstream(Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.mul_(2)


@wrong("missing_term", square)
class Softmax(Function):
    """Only the diagonal of the Jacobian."""

    @staticmethod
    def forward(a: Any) -> Any:
        return torch.softmax(a, dim=1)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        y = torch.softmax(ctx.saved_tensors[0], dim=1)
        return g * y * (1 - y)
