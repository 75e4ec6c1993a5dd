"""A small GPT, built from AutoLab's links, learns to write like the pages in `docs/`, character by character.

    python examples/small_gpt.py --out result --seconds 60

It saves two pages in the folder ``result``: the size of the gradient in each layer, and the memory kept for backward.
`torch_gpt.py` is the same network in PyTorch.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import autolab
from autolab import ChainList, Link, no_grad, optimizers
from autolab import functions as F
from autolab import links as L

TEXT = Path(__file__).resolve().parents[1] / "docs" / "tour.md"
LENGTH, SIZE, HEADS, BLOCKS = 64, 64, 4, 4


class Text:
    """A text as integers, one per character."""

    def __init__(self, path: Path = TEXT) -> None:
        text = path.read_text(encoding="utf-8")
        self.letters = sorted(set(text))
        self.numbers = np.array([self.letters.index(letter) for letter in text])

    def batch(self, count: int, rng: np.random.Generator, length: int = LENGTH) -> tuple[np.ndarray, np.ndarray]:
        """Random sections of the text, and the next character at each position: two ``(count, length)`` arrays."""
        starts = rng.integers(0, len(self.numbers) - length - 1, count)
        places = starts[:, None] + np.arange(length)
        return self.numbers[places], self.numbers[places + 1]


class Block(Link):
    """A Transformer block: causal attention and a two-layer network per position, both with residual connections."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = L.LayerNormalization(size), L.LayerNormalization(size)
        self.qkv, self.proj = L.Linear(size, 3 * size), L.Linear(size, size)
        self.fc, self.out = L.Linear(size, 4 * size), L.Linear(4 * size, size)

    def forward(self, x: Any) -> Any:
        count, length, size = x.shape
        shape = (count, length, self.heads, size // self.heads)
        q, k, v = [F.transpose(F.reshape(part, shape), (0, 2, 1, 3)) for part in F.split(self.qkv(self.ln1(x)), 3, -1)]
        scores = q @ F.swapaxes(k, -2, -1) / math.sqrt(shape[-1])
        later = np.triu(np.ones((length, length), bool), 1)
        att = F.softmax(F.where(later, np.float32(-np.inf), scores))
        y = F.reshape(F.transpose(att @ v, (0, 2, 1, 3)), x.shape)
        x = x + self.proj(y)
        return x + self.out(F.gelu(self.fc(self.ln2(x))))


class GPT(Link):
    """Embeddings, blocks, and a score for every character at each position, with the weights of the embedding."""

    def __init__(self, letters: int, size: int = SIZE, heads: int = HEADS, blocks: int = BLOCKS) -> None:
        super().__init__()
        self.tok = L.Embedding(letters, size, initialW=autolab.initializers.Normal(0.1))
        self.pos = L.Embedding(LENGTH, size, initialW=autolab.initializers.Normal(0.1))
        self.blocks = ChainList(*[Block(size, heads) for _ in range(blocks)])
        self.ln = L.LayerNormalization(size)

    def scores(self, ids: Any) -> Any:
        """The scores of every character at each position, of shape ``(count, length, letters)``."""
        x = self.tok(ids) + self.pos(np.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.ln(x), self.tok.W)

    def forward(self, ids: Any, following: Any) -> Any:
        scores = self.scores(ids)
        return F.softmax_cross_entropy(F.reshape(scores, (-1, scores.shape[-1])), following.reshape(-1))


def train(model: GPT, text: Text, seconds: float, rng: np.random.Generator) -> float:
    """Train for some time and return the last loss."""
    optimizer = optimizers.Adam(0.003).setup(model)
    end, update = time.monotonic() + seconds, 0
    while True:
        ids, following = text.batch(8, rng)
        loss = model(ids, following)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        update += 1
        if update % 50 == 1 or time.monotonic() > end:
            print(f"update {update}: loss {float(loss.data):.3f}", flush=True)
        if time.monotonic() > end:
            return float(loss.data)


def written(model: GPT, text: Text, count: int, rng: np.random.Generator) -> str:
    """The first characters of ``text``, continued by the model."""
    ids = list(text.numbers[:16])
    with no_grad():
        for _ in range(count):
            scores = model.scores(np.array([ids[-LENGTH:]])).data[0, -1]
            chances = np.exp(scores - scores.max())
            ids.append(rng.choice(len(chances), p=chances / chances.sum()))
    return "".join([text.letters[i] for i in ids])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("result"))
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    autolab.config.rng = np.random.default_rng(0)

    text = Text()
    model = GPT(len(text.letters))
    before = autolab.record(model, *text.batch(2, np.random.default_rng(1)))
    train(model, text, options.seconds, rng)
    print(written(model, text, 200, rng))

    after = autolab.record(model, *text.batch(2, np.random.default_rng(1)))
    print(after.flow())
    after.flow().save(options.out / "flow.html")
    after.memory().save(options.out / "memory.html")
    autolab.compare(before, after).save(options.out / "before_and_after.html")


if __name__ == "__main__":
    main()
