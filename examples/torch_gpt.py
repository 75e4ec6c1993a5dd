"""The GPT of `small_gpt.py` in PyTorch: trained, inspected, and compared with the same network in AutoLab's links.

    python examples/torch_gpt.py --out result --seconds 60

It saves two pages in the folder ``result``: the size of the gradient in each layer, and the memory kept for backward.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import small_gpt
import torch
from small_gpt import BLOCKS, HEADS, LENGTH, SIZE, Text
from torch import nn
from torch.nn import functional as F

import autolab


class Block(nn.Module):
    """A Transformer block: causal attention and a two-layer network per position, both with residual connections."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.fc, self.out = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x: Any) -> Any:
        count, length, size = x.shape
        shape = (count, length, self.heads, size // self.heads)
        q, k, v = [part.reshape(shape).transpose(1, 2) for part in self.qkv(self.ln1(x)).split(size, dim=-1)]
        scores = q @ k.transpose(-2, -1) / math.sqrt(shape[-1])
        later = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        att = torch.softmax(scores.masked_fill(later, -math.inf), dim=-1)
        y = (att @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.proj(y)
        return x + self.out(F.gelu(self.fc(self.ln2(x))))


class GPT(nn.Module):
    """Embeddings, blocks, and a score for every character at each position, with the weights of the embedding."""

    def __init__(self, letters: int, size: int = SIZE, heads: int = HEADS, blocks: int = BLOCKS) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(letters, size), nn.Embedding(LENGTH, size)
        for embedding in (self.tok, self.pos):
            nn.init.normal_(embedding.weight, std=0.1)
        self.blocks = nn.ModuleList([Block(size, heads) for _ in range(blocks)])
        self.ln = nn.LayerNorm(size)

    def forward(self, ids: Any, following: Any) -> Any:
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        scores = F.linear(self.ln(x), self.tok.weight)
        return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), following.reshape(-1))


def in_links(model: GPT) -> small_gpt.GPT:
    """The same network in AutoLab's links, with the same weights."""
    size, blocks = model.tok.weight.shape[1], len(model.blocks)
    twin = small_gpt.GPT(len(model.tok.weight), size, model.blocks[0].heads, blocks)
    weights = dict(model.named_parameters())
    for path, parameter in twin.namedparams():
        owner, _, name = path.strip("/").replace("/", ".").rpartition(".")
        kind = "weight" if name in ("W", "gamma") else "bias"
        parameter.data = weights[f"{owner}.{kind}"].detach().numpy().copy()
    return twin


def train(model: GPT, text: Text, seconds: float, rng: np.random.Generator) -> None:
    """Train for some time."""
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    end, update = time.monotonic() + seconds, 0
    while time.monotonic() < end or not update:
        loss = model(*map(torch.from_numpy, text.batch(8, rng)))
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
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)

    text = Text()
    model = GPT(len(text.letters))
    train(model, text, options.seconds, np.random.default_rng(0))

    batch = text.batch(2, np.random.default_rng(1))
    recording = autolab.record(model, *map(torch.from_numpy, batch))
    print(recording.flow())
    recording.flow().save(options.out / "flow.html")
    recording.memory().save(options.out / "memory.html")
    print(autolab.compare(recording, autolab.record(in_links(model), *batch)))


if __name__ == "__main__":
    main()
