"""Look inside PyTorch: a small net with every value and gradient, and a wrong backward that is found.

    python examples/torch_net.py --out result

In a notebook, ``autolab.explore(net, x, t)`` shows the same live: move an input and everything follows. This script
saves two pages that open in a browser.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import nn

import autolab


class Net(nn.Module):
    """A network with two layers, and its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(2, 3), nn.Linear(3, 2)

    def forward(self, x: Any, t: Any) -> Any:
        h = torch.tanh(self.hidden(x))
        y = self.out(h)
        return nn.functional.cross_entropy(y, t)


class Swish(torch.autograd.Function):
    """x * sigmoid(x), with a backward that forgets one of the two paths from x to the result."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * torch.sigmoid(x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("result"))
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)

    recording = autolab.record(Net(), torch.tensor([[0.5, -1.0]]), torch.tensor([1]))
    print(recording)
    recording.save(folder / "net.svg")

    report = autolab.check_gradients(Swish, torch.tensor([0.5, -1.2, 2.0, 0.7]))
    print(report)
    autolab.export_html(report, folder / "swish.html")


if __name__ == "__main__":
    main()
