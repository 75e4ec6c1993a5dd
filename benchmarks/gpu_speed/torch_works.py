"""The same in PyTorch, eager, where it is installed with a GPU."""

from __future__ import annotations

from typing import Any

from .clock import Work


def muladd_works(torch: Any, size: int) -> dict[str, Work]:
    """Product and sum, forward and with the gradients of all three."""
    xs = [torch.linspace(low, 1, size, device="cuda", requires_grad=True) for low in (0.1, 0.2, 0.3)]
    ones = torch.ones(size, device="cuda")

    def forward() -> Any:
        with torch.no_grad():
            return xs[0] * xs[1] + xs[2]

    return {
        "forward": forward,
        "forward and backward": lambda: torch.autograd.grad(xs[0] * xs[1] + xs[2], xs, ones),
    }


def layers(torch: Any, width: int, batch: int) -> Work:
    """A step of gradients through three layers, in full float32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    ws = [(torch.randn(width, width, device="cuda") / width**0.5).requires_grad_() for _ in range(3)]
    bs = [torch.zeros(width, device="cuda", requires_grad=True) for _ in range(3)]
    x = torch.randn(batch, width, device="cuda")

    def step() -> Any:
        y = x
        for w, b in zip(ws, bs, strict=True):
            y = torch.relu(torch.nn.functional.linear(y, w, b))
        return torch.autograd.grad(y.sum(), [*ws, *bs])

    return step
