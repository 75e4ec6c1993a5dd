"""Statements of the source documents about layers, training and input that have no better place."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest

import autolab
from autolab import Variable, optimizers, test_mode, training
from autolab import functions as F
from autolab import links as L
from autolab.data import SerialIterator, download, get_iris
from autolab.training import extensions


@pytest.mark.source("CO-21")
def test_there_is_a_dropout_that_scales_in_training_and_does_nothing_in_test_mode():
    x = Variable(np.ones((200, 50), np.float32))
    y = F.dropout(x, ratio=0.5, rng=np.random.default_rng(0)).data
    assert set(np.unique(y)) == {0.0, 2.0} and 0.47 < (y == 0).mean() < 0.53
    with test_mode():
        np.testing.assert_array_equal(F.dropout(x, ratio=0.5).data, x.data)


@pytest.mark.source("DZ-29", "X5")
def test_the_mean_squared_error_is_a_mean_over_elements_and_of_one_column_over_rows():
    rng = np.random.default_rng(0)
    for shape in ((7, 1), (4, 3)):
        a, b = Variable(rng.normal(size=shape)), Variable(rng.normal(size=shape))
        loss = F.mean_squared_error(a, b)
        loss.backward()
        difference = a.data - b.data
        assert float(loss.data) == pytest.approx((difference**2).sum() / difference.size)
        np.testing.assert_allclose(a.grad.data, 2 * difference / difference.size)
        np.testing.assert_allclose(b.grad.data, -2 * difference / difference.size)


@pytest.mark.source("DZ-30")
def test_linear_regression_by_hand_finds_the_line():
    """The document's loop: predict, mean squared error, clear, backward, and a step along each gradient."""
    rng = np.random.default_rng(0)
    x = rng.random((100, 1))
    y = 5 + 2 * x + rng.random((100, 1))
    W, b = Variable(np.zeros((1, 1))), Variable(np.zeros(1))
    losses = []
    for _ in range(2000):
        loss = F.mean_squared_error(y, F.matmul(x, W) + b)
        W.cleargrad()
        b.cleargrad()
        loss.backward()
        W.data -= 0.1 * W.grad.data
        b.data -= 0.1 * b.grad.data
        losses.append(float(loss.data))
    best, residual, *_ = np.linalg.lstsq(np.hstack([x, np.ones_like(x)]), y, rcond=None)
    np.testing.assert_allclose([W.data.item(), b.data.item()], best.ravel(), atol=1e-6)
    assert losses[-1] == pytest.approx(residual.item() / 100) and losses[0] > 20 * losses[-1]


@pytest.mark.source("DZ-32")
@pytest.mark.filterwarnings("error")
def test_sigmoid_does_not_overflow_and_relu_lets_through_what_is_positive():
    x = Variable(np.array([-1e4, -2.0, 0.0, 3.0, 1e4]))
    y = F.sigmoid(x)
    np.testing.assert_allclose(y.data, np.tanh(x.data / 2) / 2 + 0.5)
    np.testing.assert_allclose(autolab.grad(F.sum(y), x).data, y.data * (1 - y.data))
    z = F.relu(x)
    np.testing.assert_array_equal(z.data, np.where(x.data > 0, x.data, 0))
    np.testing.assert_array_equal(autolab.grad(F.sum(z), x).data, x.data > 0)


@pytest.mark.source("CI-16")
def test_every_part_of_training_can_be_replaced():
    """A dataset, an iterator, an updater and an extension of one's own."""

    class Line:  # a dataset: it has a length and examples
        def __len__(self):
            return 6

        def __getitem__(self, i):
            return np.float32([i]), np.float32([2 * i])

    class Backwards(SerialIterator):
        def _drawn(self):
            return np.arange(len(self.dataset))[::-1]

    class Twice(training.StandardUpdater):  # two updates with each batch
        def update(self):
            batch = next(self.iterator)
            seen.append(batch[0].ravel().tolist())
            for _ in range(2):
                self.optimizer.update(self.loss_func, *batch)

    seen, calls = [], []
    layer = L.Linear(1, 1)
    updater = Twice(
        Backwards(Line(), 3, rng=np.random.default_rng(0)),
        optimizers.SGD(0.01).setup(layer),
        loss_func=lambda x, t: F.mean_squared_error(layer(x), t),
    )
    trainer = training.Trainer(updater, stop_trigger=lambda trainer: trainer.updater.epoch == 2)
    trainer.extend(lambda trainer: calls.append(trainer.updater.iteration), name="mine", trigger=lambda trainer: True)
    trainer.run()
    assert seen == [[5, 4, 3], [2, 1, 0]] * 2
    assert calls == [2, 4, 6, 8] and updater.iteration == 8


@pytest.mark.source("DZ-45")
def test_accuracy_is_a_variable_without_a_gradient():
    scores = Variable(np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 1.0, 4.0], [9.0, 1.0, 0.0]]))
    found = F.accuracy(scores, np.array([0, 1, 2, 1]))
    assert isinstance(found, Variable) and float(found.data) == 0.75 and not found.requires_grad


@pytest.mark.source("DZ-46")
def test_progress_is_a_line_that_is_written_over_and_ends_at_100_percent():
    out = io.StringIO()
    model = L.Classifier(L.MLP((3,)))
    updater = training.StandardUpdater(SerialIterator(get_iris()[0], 20), optimizers.SGD().setup(model))
    trainer = training.Trainer(updater, (4, "epoch"))
    trainer.extend(extensions.ProgressBar(update_interval=1, file=out, mininterval=0, ascii=True))
    trainer.run()
    lines = out.getvalue().split("\r")
    percents = [int(found[1]) for line in lines if (found := re.search(r"(\d+)%\|", line))]
    assert percents[0] == 0 and percents[-1] == 100 and percents == sorted(percents)
    assert "main/loss" in lines[-1] and f"{updater.iteration}/{updater.iteration}" in lines[-1]


def test_a_bar_makes_room_for_the_lines_of_the_report():
    out = io.StringIO()
    model = L.Classifier(L.MLP((3,)))
    updater = training.StandardUpdater(SerialIterator(get_iris()[0], 20), optimizers.SGD().setup(model))
    trainer = training.Trainer(updater, (3, "epoch"))
    trainer.extend(extensions.LogReport(filename=None))
    trainer.extend(extensions.PrintReport(["epoch", "iteration"], out=out))
    trainer.extend(extensions.ProgressBar(update_interval=1, file=out, mininterval=0, ascii=True, ncols=60))
    trainer.run()
    screen = [terminal(line) for line in out.getvalue().split("\n")]
    assert [line.split() for line in screen[:4]] == [["epoch", "iteration"], ["1", "6"], ["2", "12"], ["3", "18"]]
    assert screen[4].startswith("100%|")


def test_the_log_is_json_whatever_the_losses_are(tmp_path):
    """A loss that is not finite made a file that only Python reads: JSON has no NaN."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    given = [1.5, np.nan, np.float32(np.inf), np.float16(-np.inf), np.int64(3)]
    model = L.Classifier(L.MLP((3,)))
    updater = training.StandardUpdater(SerialIterator(get_iris()[0], 120), optimizers.SGD().setup(model))
    trainer = training.Trainer(updater, (len(given), "epoch"), out=tmp_path)
    losses = iter(given)
    trainer.extend(lambda t: t.observation.update(seen=next(losses)), trigger=(1, "epoch"), priority=200, name="own")
    log = extensions.LogReport()
    trainer.extend(log)
    trainer.run()
    read = json.loads((tmp_path / "log").read_text("utf-8"), parse_constant=refuse)
    assert [line["seen"] for line in read] == [1.5, "NaN", "Infinity", "-Infinity", 3]
    np.testing.assert_array_equal([float(line["seen"]) for line in read], np.array(given, float))
    other = extensions.LogReport()
    for item, name, value in other.planned(log.state()):
        setattr(item, name, value)
    np.testing.assert_equal(other.log, log.log)


def terminal(line: str) -> str:
    """What stands in a line after all that was written over it."""
    cells: list[str] = []
    for piece in line.split("\r"):
        cells[: len(piece)] = piece
    return "".join(cells).rstrip()


@pytest.mark.source("DZ-46")
def test_a_download_that_is_interrupted_leaves_no_part_of_the_file(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    monkeypatch.setenv("AUTOLAB_CACHE", str(tmp_path))

    class Interrupted(download._Downloader):
        def __call__(self, url, file):
            file.write(b"a part")
            raise KeyboardInterrupt

    monkeypatch.setattr(download, "_Downloader", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        download.fetch("https://localhost/data", "0" * 64, "folder/data", progress=False)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
