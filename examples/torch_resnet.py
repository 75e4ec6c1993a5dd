"""A small ResNet in PyTorch learns handwritten digits; then a plot shows how much gradient reaches each layer.

    python examples/torch_resnet.py --out result --seconds 60

With ``--plain`` it has no residual connections: compare the two plots of the gradient.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import autolab
from autolab import data


class Block(nn.Module):
    """Two convolutions with a residual connection."""

    def __init__(self, channels: int, plain: bool) -> None:
        super().__init__()
        self.plain = plain
        self.conv1, self.conv2 = [nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2)]
        self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x: Any) -> Any:
        h = F.relu(self.bn1(self.conv1(x)))
        h = self.bn2(self.conv2(h))
        return F.relu(h if self.plain else x + h)


class ResNet(nn.Module):
    """Blocks at two resolutions, global average pooling, and a score for each digit."""

    def __init__(self, channels: int = 16, blocks: int = 4, plain: bool = False) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.blocks = nn.ModuleList([Block(channels, plain) for _ in range(blocks)])
        self.head = nn.Linear(channels, 10)

    def forward(self, x: Any, t: Any) -> Any:
        x = F.relu(self.stem(x))
        for i, block in enumerate(self.blocks):
            x = block(F.avg_pool2d(x, 2) if i == len(self.blocks) // 2 else x)
        return F.cross_entropy(self.head(x.mean(dim=(2, 3))), t)


def train(model: ResNet, images: Any, labels: Any, seconds: float) -> None:
    """Train for some time."""
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    end, update = time.monotonic() + seconds, 0
    while time.monotonic() < end or not update:
        chosen = torch.randint(0, len(labels), (64,))
        loss = model(images[chosen], labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update += 1
        if update % 50 == 1:
            print(f"update {update}: loss {loss.item():.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("result"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--plain", action="store_true", help="without shortcuts")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)

    (digits, numbers), _ = [part[:] for part in data.get_digits()]
    images = torch.from_numpy(np.asarray(digits, np.float32).reshape(-1, 1, 8, 8))
    labels = torch.from_numpy(np.asarray(numbers, np.int64))
    model = ResNet(plain=options.plain)
    train(model, images, labels, options.seconds)

    recording = autolab.record(model, images[:8], labels[:8])
    print(recording.flow())
    recording.flow().save(options.out / "flow.html")
    recording.memory().save(options.out / "memory.html")


if __name__ == "__main__":
    main()
