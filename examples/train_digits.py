"""Train a network on handwritten digits, and see what it confuses and why.

    python examples/train_digits.py --out result

It writes a log, curves and snapshots into the folder ``result``. If it is interrupted in any way, even killed, the same
command resumes from the last snapshot and gives the same loss curve. Delete the folder to start again.
"""

from __future__ import annotations

import argparse
from contextlib import chdir
from pathlib import Path

import numpy as np

import autolab
from autolab import Sequential, Variable, config, data, optimizers, test_mode, training
from autolab import functions as F
from autolab import links as L
from autolab.training import extensions

COLUMNS = ["epoch", "main/loss", "validation/main/loss", "validation/main/accuracy", "elapsed_time"]
MISTAKES = 6


def make_trainer(train: data.TupleDataset, test: data.TupleDataset, epochs: int, out: Path) -> training.Trainer:
    """A network with two hidden layers, and everything that happens during training."""
    config.rng = np.random.default_rng(0)
    net = Sequential(L.Linear(64, 100), F.relu, L.Dropout(0.2), L.Linear(100, 100), F.relu, L.Linear(100, 10))
    model = L.Classifier(net)
    updater = training.StandardUpdater(data.SerialIterator(train, 32), optimizers.Adam(0.002).setup(model))
    trainer = training.Trainer(updater, (epochs, "epoch"), out=out)
    trainer.extend(extensions.Evaluator(data.SerialIterator(test, 120, repeat=False, shuffle=False), model))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(COLUMNS))
    trainer.extend(extensions.PlotReport(["main/loss", "validation/main/loss"], x_key="epoch"))
    trainer.extend(extensions.snapshot("snapshot"))
    return trainer


def confusion_matrix(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The number of examples of each digit (rows) that the network classifies as each digit (columns)."""
    found = np.zeros((10, 10), np.int64)
    np.add.at(found, (labels, scores.argmax(axis=1)), 1)
    return found


def worst_mistakes(net: Sequential, images: np.ndarray, labels: np.ndarray) -> dict[str, Variable]:
    """The wrong answers with the largest losses: the images, and the gradients of the loss with respect to the pixels.

    Where a gradient is positive, more ink would have made the answer even worse.
    """
    scores = net(images).data
    shifted = scores - scores.max(axis=1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels]
    wrong = np.flatnonzero(scores.argmax(axis=1) != labels)
    found = {}
    for i in sorted(wrong, key=lambda i: -losses[i])[:MISTAKES]:
        picture = Variable(images[i].reshape(8, 8))
        F.softmax_cross_entropy(net(F.reshape(picture, shape=(1, 64))), labels[i : i + 1]).backward()
        found[f"test {i}: a {labels[i]} taken for a {scores[i].argmax()}"] = picture
    return found


def show_mistakes(net: Sequential, test: data.TupleDataset, out: Path) -> None:
    """Print the confusion matrix, and save it and the worst mistakes as pages."""
    images, labels = test[:]
    with test_mode():
        matrix = confusion_matrix(net(images).data, labels)
        mistakes = worst_mistakes(net, images, labels)
    print("\nThe digits (rows), and what they were taken for (columns):")
    print("     " + "".join([f"{digit:4d}" for digit in range(10)]))
    for digit, row in enumerate(matrix):
        print(f"{digit:4d} " + "".join([f"{count or '.':>4}" for count in row]))
    print(f"{np.trace(matrix)} of {matrix.sum()} are right.\n")
    with chdir(out):
        autolab.heatmap(confusion=matrix, options={"scale": "symlog"})  # one mistake shows next to forty right answers
        if mistakes:
            autolab.heatmap(mistakes, options={"shared": False})


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path("result"), help="the folder for log, curves and snapshot")
    options = parser.parse_args()
    train, test = data.get_digits()
    trainer = make_trainer(train, test, options.epochs, options.out)
    saved = options.out / "snapshot"
    if saved.exists():
        extensions.resume(trainer, saved)
        print(f"going on after epoch {trainer.updater.epoch}", flush=True)
    trainer.run()
    show_mistakes(trainer.updater.target.predictor, test, options.out)


if __name__ == "__main__":
    main()
