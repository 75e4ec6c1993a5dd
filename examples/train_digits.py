"""Train a network on handwritten digits; stop it, kill it, start it again: it goes on where it was.

    python examples/train_digits.py --out result --epochs 30

writes the log and a snapshot after every epoch to the folder, and at the end ``mistakes.html``: the confusion matrix,
and the digits that it got most wrong, each beside the gradient of its loss by its pixels (where the ink speaks for the
wrong answer). The same command again goes on from the snapshot, if there is one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import autolab
from autolab import Variable, optimizers, training
from autolab import functions as F
from autolab import links as L
from autolab.data import SerialIterator, TupleDataset, get_digits
from autolab.display.escape import element, escape, join
from autolab.display.heatmap import Panel, heatmaps
from autolab.display.html import paragraph, picture, table
from autolab.recording.arrays import snapshot
from autolab.training import extensions

SNAPSHOT = "snapshot.npz"


def make_trainer(train: TupleDataset, test: TupleDataset, epochs: int, out: Path) -> training.Trainer:
    """A network with dropout, trained by Adam; everything that is random comes from one seed."""
    autolab.config.rng = np.random.default_rng(0)
    model = L.Classifier(autolab.Sequential(L.Linear(None, 100), F.relu, L.Dropout(0.2), L.Linear(100, 10)))
    updater = training.StandardUpdater(SerialIterator(train, 50), optimizers.Adam(lr=0.003).setup(model))
    trainer = training.Trainer(updater, (epochs, "epoch"), out=out)
    trainer.extend(extensions.Evaluator(SerialIterator(test, 360, repeat=False, shuffle=False), model))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "validation/main/accuracy"]))
    trainer.extend(extensions.snapshot(SNAPSHOT))
    return trainer


def confusion(model: L.Classifier, test: TupleDataset) -> np.ndarray:
    """How often each digit (rows) was taken for each (columns)."""
    x, t = test[:]
    with autolab.no_grad(), autolab.test_mode():
        guess = model.predictor(x).data.argmax(axis=1)
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (t, guess), 1)
    return counts


def worst_mistakes(
    model: L.Classifier, test: TupleDataset, most: int = 8
) -> list[tuple[int, int, np.ndarray, np.ndarray]]:
    """Digit, guess, image and gradient of the loss by its pixels, of the wrong answers with the greatest loss."""
    images, labels = test[:]
    x = Variable(images)
    with autolab.test_mode():
        scores = model.predictor(x)
        loss = F.sum(F.softmax_cross_entropy(scores, labels) * len(labels))
    (gradient,) = autolab.grad(loss, [x])
    chance = F.softmax(scores.data)[np.arange(len(labels)), labels]
    guess = scores.data.argmax(axis=1)
    order = [i for i in np.argsort(chance) if guess[i] != labels[i]][:most]
    return [(int(labels[i]), int(guess[i]), images[i].reshape(8, 8), gradient.data[i].reshape(8, 8)) for i in order]


def report(model: L.Classifier, test: TupleDataset) -> str:
    """A page with the confusion matrix and the worst mistakes."""
    counts = confusion(model, test)
    right = f"{np.trace(counts)} of {counts.sum()} are right."
    rows = [[escape(digit), *[escape(n or "") for n in row]] for digit, row in enumerate(counts)]
    parts = [element("h1", escape("Digits that were not seen in training")), paragraph(escape(right))]
    parts += [table(["digit", *[f"taken for {digit}" for digit in range(10)]], rows)]
    parts += [element("h2", escape("The worst mistakes"))]
    for digit, guess, image, gradient in worst_mistakes(model, test):
        panels = [Panel("image", snapshot(image, 64)), Panel("gradient of the loss", snapshot(gradient, 64))]
        said = f"A {digit} that was taken for a {guess}."
        parts += [paragraph(escape(said)), picture(heatmaps(panels), said)]
    return str(element("html", element("meta", charset="utf-8"), element("body", join(parts))))


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a network on handwritten digits.")
    parser.add_argument("--out", type=Path, default=Path("result"), help="the folder for log, snapshot and report")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    train, test = get_digits()
    trainer = make_trainer(train, test, options.epochs, options.out)
    if (options.out / SNAPSHOT).exists():
        extensions.resume(trainer, options.out / SNAPSHOT)
    trainer.run()
    (options.out / "mistakes.html").write_text(report(trainer.updater.target, test), "utf-8")


if __name__ == "__main__":
    main()
